// @newest @quick
/** Workbooks, Parquet files and JSON documents as the Admin App reads their beginning. */
import { parquetWriteBuffer } from 'hyparquet-writer';
import t from 'tap';
import { workbook } from '#tests/harness/workbook.ts';
import { openArchive } from '../../../ops/app/source/imports/archive.ts';
import { openFile } from '../../../ops/app/source/imports/beginning.ts';
import { guessPlan } from '../../../ops/app/source/imports/guess.ts';
import { wrappedList } from '../../../ops/app/source/imports/json-list.ts';
import { withField } from '../../../ops/app/source/imports/mapping.ts';
import { optionsOf, type Plan } from '../../../ops/app/source/imports/plan.ts';
import { tablePreview } from '../../../ops/app/source/imports/table-content.ts';

const bytesOf = (buffer: Uint8Array) => new Uint8Array(buffer);

async function preview(content: Uint8Array, changes: Partial<Plan> = {}) {
  const opened = await openFile(new File([bytesOf(content)], 'a'));
  if (opened.table === null) throw new Error('the file is no table');
  const plan = { ...guessPlan(opened, 'UTC'), ...changes };
  return { format: plan.format, ...tablePreview(opened.table, plan, 5) };
}

t.test('the first rows of the sheets of a workbook', async (t) => {
  const rows =
    '<row r="2"><c r="A2" t="s"><v>0</v></c><c r="C2" t="s"><v>1</v></c><c r="D2"/></row>' +
    '<row r="3"><c r="A3"><v>1.5</v></c><c r="B3" t="b"><v>1</v></c><c r="C3" s="1"><v>45352.25</v></c></row>' +
    '<row><c t="inlineStr"><is><t>x &amp; _x0041_</t></is></c></row><row r="9"><c r="A9"><v>cut';
  const shared =
    '<si><t>na</t><r><t>me</t></r><rPh><t>spoken</t></rPh></si><si><t xml:space="preserve"> day </t></si>';
  const content = await workbook({ rows, shared, formats: ['d\\.m;@'], sheets: ['One', 'Two'] });
  t.strictSame(await preview(content), {
    format: 'xlsx',
    columns: ['name', '', ' day '],
    rows: [['1.5', 'true', '2024-03-01 06:00:00'], ['x & A']],
  });
  t.match(await preview(content, { headerRow: '3' }), { columns: ['1.5', 'true', /^2024/] });
  t.match(await preview(content, { headerRow: '7' }), { columns: [], rows: [] });
  t.match(await preview(content, { sheet: '2' }), { columns: [] });
  t.match(await preview(content, { sheet: 'Three' }), { columns: [] });
});

t.test('what the App cannot read goes to fields of the same names', async (t) => {
  const damaged = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(200)]);
  t.match(await preview(damaged), { format: 'xlsx', columns: [] });
  t.match(await preview(Buffer.from('PAR1xxxxPAR1')), { format: 'parquet', columns: [] });
  const opened = await openFile(new File([bytesOf(damaged)], 'a.xlsx'));
  const plan = { ...guessPlan(opened, 'UTC'), sheet: 'A', headerRow: '4' };
  t.match(optionsOf(plan), { header: 'loose', sheet: 'A', header_row: 4 });
  await t.rejects(openArchive(new Blob(['PK'])), { message: /no end/ });
});

t.test('workbooks that the server refuses are refused before they are sent', async (t) => {
  const opened = async (content: Uint8Array) => await openFile(new File([bytesOf(content)], 'a'));
  const binary = await workbook({ rows: '', parts: { 'xl/workbook.bin': '' } });
  await t.rejects(opened(binary), { message: 'binary' });
  const macros = await workbook({ rows: '', parts: { 'xl/vbaProject.bin': '' } });
  await t.rejects(opened(macros), { message: 'macros' });
  await t.rejects(opened(Buffer.from('d0cf11e0a1b1', 'hex')), { message: 'oldWorkbook' });
});

t.test('the columns of a Parquet file', async (t) => {
  const columns = Array.from({ length: 20 }, (_, at) => ({ name: `ü ${at}`, data: [at, at + 1] }));
  const content = parquetWriteBuffer({ columnData: columns });
  t.strictSame(await preview(new Uint8Array(content)), {
    format: 'parquet',
    columns: columns.map(({ name }) => name),
    rows: [],
  });
  const nested = [
    { name: 'list', data: [[1], [2, 3]] },
    { name: 'plain', data: [1, 2] },
  ];
  const deep = parquetWriteBuffer({ columnData: nested });
  t.match(await preview(new Uint8Array(deep)), { columns: ['list', 'plain'] });
});

t.test('the list in a JSON document', async (t) => {
  const list = '[{"a":1,"data":[2]},{"a":"]"}]';
  t.equal(wrappedList(`{"meta":{"data":[0]},"data":${list},"more":{}}`), list);
  t.equal(wrappedList(' {"data" : [{"a":1},{"a'), '[{"a":1},{"a', 'it may be cut');
  t.equal(wrappedList('{"data":[1]}\n{"data":[2]}\n'), null, 'lines are rows');
  for (const text of ['[{"data":[]}]', '{"data":{"a":[1]}}', '{"a":"data"}', '']) {
    t.equal(wrappedList(text), null, text);
  }
});

t.test('a new mapping forgets what was said of other fields', async (t) => {
  const opened = await openFile(new File(['a,b\n1,2\n'], 'a.csv'));
  const plan: Plan = {
    ...guessPlan(opened, 'UTC'),
    references: { a: { field: 'one', by: 'name' }, b: { field: 'two', by: 'name' } },
    constants: { three: 'x', four: '', five: false },
  };
  const changed = withField(plan, { a: 'one', b: 'three' });
  t.strictSame(changed.references, { a: { field: 'one', by: 'name' } });
  t.strictSame(optionsOf({ ...plan, ...changed }), {
    ...{ mode: 'upsert', on_error: 'skip', timezone: plan.timezone, separator: ',' },
    constants: { five: false },
    mapping: { a: { field: 'one', by: 'name' }, b: 'three' },
  });
});
