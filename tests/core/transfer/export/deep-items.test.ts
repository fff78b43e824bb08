// @quick @newest
/** Items that are nested deeper than libraries write, or have very long texts, are exported in every format. */
import t from 'tap';
import { EXPORT_FORMATS, type ExportFormat } from '#core/jobs/message/export.ts';
import { exportText } from '#core/transfer/export/export.ts';

async function exported(format: ExportFormat, document: string): Promise<string> {
  const items = async function* () {
    yield [`{"id":1,"doc":${document}}`, '{"id":2,"doc":[1]}'];
  };
  const columns = [
    { path: ['id'], isDocument: false },
    { path: ['doc'], isDocument: true },
  ];
  let text = '';
  for await (const part of exportText(items(), { format, columns, safe: false })) text += part;
  return text;
}

const DEEP = 16_000;
const deep = `{"n":1.50,"m":${'{"a":'.repeat(DEEP)}"]\\"[\\\\"${'}'.repeat(DEEP)}}`;

t.test('documents of any depth', async (t) => {
  // A table has no text to search, and a cell of a workbook holds 32,767 characters.
  for (const format of EXPORT_FORMATS.filter((name) => name !== 'xlsx' && name !== 'parquet')) {
    const text = await exported(format, deep);
    t.match(text, '2', `${format} continues with the next item`);
    // Indentation grows with the square of the depth.
    t.ok(text.length < deep.length * 4, `${format} has ${text.length} characters`);
  }
  const csv = await exported('csv', deep);
  await t.rejects(exported('xlsx', deep), { code: 'UNPROCESSABLE_ENTITY' });
  t.match(await exported('parquet', deep), /^PAR1/);
  t.ok(csv.includes(deep.replaceAll('"', '""')), 'CSV contains the document as it was written');
  const json = await exported('json', deep);
  t.equal(json.replace(/\s/g, ''), `[{"id":1,"doc":${deep}},{"id":2,"doc":[1]}]`);
});

t.test('texts of any length', async (t) => {
  const long = `"${String.raw`x\"y\\`.repeat(2_000_000)}"`;
  const plain = `"${'x'.repeat(15_000_000)}"`;
  for (const text of [long, plain]) t.ok((await exported('json', text)).includes(text));
});
