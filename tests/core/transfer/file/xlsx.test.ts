// @newest
/** Workbooks: what their cells become, and what is refused with its address. */
import { Readable } from 'node:stream';
import t from 'tap';
import { ServiceError, ServiceErrors } from '#core/base/errors/service-error.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import { openTable } from '#core/transfer/file/table/open-table.ts';
import { workbook } from '#tests/harness/workbook.ts';
import { importing } from '../importing.ts';

const db = await importing(`CREATE TABLE item (id int PRIMARY KEY, name text, price numeric,
  day date, moment timestamp, "time" time, flag boolean, document jsonb)`);

async function loaded(content: Buffer, parameters: ImportParameters = {}) {
  await db.rows('TRUNCATE item');
  await db.import('item', content, 'xlsx', { parameters });
  return db.rows(`SELECT id, name, price::text, day::text, moment::text, "time"::text, flag, document
    FROM item ORDER BY id`);
}

/** The first error of a file that must be refused, with the name of its reason. */
async function refusal(content: Buffer, parameters: ImportParameters = {}) {
  const error: unknown = await db
    .import('item', content, 'xlsx', { parameters })
    .catch((thrown: unknown) => thrown);
  if (!(error instanceof ServiceErrors)) throw error;
  const { details } = error.errors[0] ?? {};
  return { ...details, reason: details?.reason?.code };
}

function text(address: string, value: string): string {
  return `<c r="${address}" t="inlineStr"><is><t xml:space="preserve">${value}</t></is></c>`;
}

const HEADER = `<row r="1">${text('A1', 'id')}${text('B1', 'name')}${text('C1', 'price')}</row>`;

t.test('cells become values: shared and rich texts, numbers, booleans and results', async (t) => {
  const rows = await loaded(
    await workbook({
      shared:
        '<si><t>id</t></si><si><t>name</t></si><si><r><t>ri</t></r><r><t xml:space="preserve">ch </t></r><rPh sb="0" eb="1"><t>guide</t></rPh></si>',
      rows: `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c>${text('C1', 'price')}${text('D1', 'flag')}${text('E1', 'document')}</row>
        <row r="2"><c r="A2"><v>1</v></c><c r="B2" t="s"><v>2</v></c><c r="C2"><v>3.0000000000000001E-2</v></c><c r="D2" t="b"><v>1</v></c>${text('E2', '{&quot;a&quot;:1}')}</row>
        <row r="4"><c r="A4"><f>1+1</f><v>2</v></c><c r="B4" t="str"><f>"x"</f><v>a_x000D_b &lt;</v></c><c r="C4"><v>12345678901234567890</v></c></row>
        <row r="5"><c r="A5" s="0"/></row>
        <row r="6"><c r="A6"><v>3</v></c>${text('B6', 'true')}</row>`,
    }),
  );
  const [first, second, third] = rows;
  t.match(first, { id: 1, name: 'rich ', price: '0.03', flag: true, document: { a: 1 } });
  t.match(second, { id: 2, name: 'a\rb <', price: '12345678901234567890', flag: null });
  t.match(third, { id: 3, name: 'true', price: null }, 'rows without values are skipped');
  t.equal(rows.length, 3);
});

t.test('dates follow the number format, in the systems of 1900 and 1904', async (t) => {
  const rows = `<row r="1">${text('A1', 'id')}${text('B1', 'day')}${text('C1', 'moment')}${text('D1', 'time')}${text('E1', 'price')}</row>
    <row r="2"><c r="A2"><v>1</v></c><c r="B2" s="1"><v>1</v></c><c r="C2" s="2"><v>45352.520844907405</v></c><c r="D2" s="3"><v>0.5</v></c><c r="E2" s="4"><v>45352</v></c></row>
    <row r="3"><c r="A3"><v>2</v></c><c r="B3" s="1"><v>61</v></c><c r="C3" t="d"><v>2024-02-29T12:00:00</v></c></row>`;
  const formats = [
    'dd\\/mm\\/yyyy',
    'yyyy-mm-dd\\ hh:mm:ss',
    '[$-409]h:mm AM/PM',
    '#,##0 &quot;days&quot;',
  ];
  const zone = { timezone: 'Europe/Berlin', dateFormat: 'DD.MM.YYYY' };
  t.match(await loaded(await workbook({ rows, formats }), zone), [
    { day: '1900-01-01', moment: '2024-03-01 12:30:01', time: '12:00:00', price: '45352' },
    { day: '1900-03-01', moment: '2024-02-29 12:00:00' },
  ]);
  t.match(await loaded(await workbook({ rows, formats, since1904: true })), [
    { day: '1904-01-02', moment: '2028-03-02 12:30:01' },
    { day: '1904-03-02' },
  ]);
});

t.test('a sheet is named or numbered, and its header may be in a later row', async (t) => {
  const rows = `<row r="1">${text('B1', 'A title')}</row>
    <row r="3">${text('A3', 'id')}${text('B3', 'name')}</row><row r="4"><c r="A4"><v>7</v></c>${text('B4', '')}</row>`;
  const content = await workbook({ rows, sheets: ['Data', 'Other'] });
  t.match(await loaded(content, { headerRow: 3 }), [{ id: 7, name: '' }]);
  t.match(await loaded(content, { headerRow: 3, sheet: 'Data' }), [{ id: 7 }]);
  t.match(await refusal(content, { sheet: '2' }), { reason: 'sheet_empty' });
  t.match(await refusal(content, { sheet: '3' }), { reason: 'sheet_unknown' });
  t.match(await refusal(content, { headerRow: 2 }), { reason: 'header_row_empty' });
});

t.test('faults have the address of their cell', async (t) => {
  const row = (cells: string) =>
    workbook({ rows: `${HEADER}<row r="2"/><row r="3"><c r="A3"><v>1</v></c>${cells}</row>` });
  const error = await refusal(await row('<c r="C3" t="e"><v>#N/A</v></c>'));
  t.match(error, { row: 2, field: 'price', value: '#N/A', cell: 'C3', reason: 'cell_shows_error' });
  t.match(await refusal(await row('<c r="C3"><f>A1</f></c>')), {
    cell: 'C3',
    reason: 'cell_without_result',
  });
  t.match(await refusal(await row(text('C3', 'many'))), {
    row: 2,
    field: 'price',
    value: 'many',
    cell: 'C3',
  });
  t.match(await refusal(await row('<c r="D3"><v>5</v></c>')), {
    row: 2,
    reason: 'cell_without_header',
  });
});

t.test(
  'a column that is left out may have errors, and cells of a merged area are empty',
  async (t) => {
    const rows = `${HEADER}<row r="2"><c r="A2"><v>1</v></c>${text('B2', 'both')}<c r="C2" t="e"><v>#REF!</v></c></row><row r="3"><c r="A3"><v>2</v></c><c r="B3"/></row>`;
    const content = await workbook({ rows });
    t.match(await loaded(content, { mapping: { price: null } }), [
      { id: 1, name: 'both' },
      { id: 2, name: null },
    ]);
  },
);

t.test('other workbooks are refused', async (t) => {
  const parts = { 'xl/vbaProject.bin': 'code' };
  const macros = db.import('item', await workbook({ rows: HEADER, parts }), 'xlsx');
  await t.rejects(macros, { code: 'UNSUPPORTED_MEDIA_TYPE' });
  const whole = await workbook({ rows: HEADER });
  t.match(await refusal(Buffer.from('PK')), { reason: 'workbook_damaged' });
  t.match(await refusal(whole.subarray(0, whole.length - 30)), { reason: 'workbook_damaged' });
  const broken = await workbook({ rows: '<row r="1"><c></row>' });
  t.match(await refusal(broken), { reason: 'workbook_damaged' });
  const backwards = await workbook({ rows: `${HEADER}<row r="1"><c r="A1"/></row>` });
  t.match(await refusal(backwards), { reason: 'sheet_out_of_order' });
  const missing = await workbook({ rows: `${HEADER}<row r="2"><c t="s"><v>9</v></c></row>` });
  t.match(await refusal(missing), { reason: 'sheet_out_of_order' });
  const entity = `<!DOCTYPE a [<!ENTITY e "x">]><worksheet><sheetData><row><c><v>&e;</v></c></row></sheetData></worksheet>`;
  const declared = await workbook({ rows: '', parts: { 'xl/worksheets/0.xml': entity } });
  t.match(await refusal(declared), { reason: 'workbook_damaged' });
});

t.test('a workbook that expands too far is refused with the variable', async (t) => {
  const bomb = await workbook({
    rows: HEADER,
    shared: `<si><t>${' '.repeat(40_000_000)}</t></si>`,
  });
  t.ok(bomb.length < 100_000);
  const error: unknown = await db.import('item', bomb, 'xlsx').catch((thrown: unknown) => thrown);
  t.ok(error instanceof ServiceError && error.code === 'CONTENT_TOO_LARGE');
  t.match(error, { details: { variable: 'IMPORT_MAX_EXPANSION' } });
});

t.test('faulty rows can be skipped', async (t) => {
  await db.rows('TRUNCATE item');
  const rows = `${HEADER}<row r="2"><c r="A2"><v>1</v></c><c r="C2" t="e"><v>#DIV/0!</v></c></row><row r="3"><c r="A3"><v>2</v></c></row>`;
  const options = { parameters: { onError: 'skip' }, report: async () => undefined } as const;
  const result = await db.import('item', await workbook({ rows }), 'xlsx', options);
  t.match(result, { inserted: 1, failed: 1 });
});

t.test('parts that would fill the memory are refused', async (t) => {
  const rows = `${HEADER}<row r="2">${text('A2', '1')}</row>`;
  const long = `<t>${'x'.repeat(4_500_000)}</t>`.repeat(2);
  const tooLong = { reason: 'workbook_text_too_long' };
  t.match(await refusal(await workbook({ rows, shared: `<si>${long}</si>` })), tooLong);
  const inline = `${HEADER}<row r="2"><c r="A2" t="inlineStr"><is>${long}</is></c></row>`;
  t.match(await refusal(await workbook({ rows: inline })), tooLong);
  const many = async (name: string, content: string) =>
    refusal(await workbook({ rows, parts: { [name]: content } }));
  const styles = `<styleSheet><cellXfs>${'<xf/>'.repeat(100_001)}</cellXfs></styleSheet>`;
  t.match(await many('xl/styles.xml', styles), { reason: 'workbook_damaged' });
  const related = Array.from({ length: 100_001 }, (_, id) => `<Relationship Id="${id}"/>`);
  const relations = `<Relationships>${related.join('')}</Relationships>`;
  t.match(await many('_rels/.rels', relations), { reason: 'workbook_damaged' });
});

t.test('short rows with far cells are read in small batches', async (t) => {
  const far = '<row><c r="XFD1"><f/></c></row>'.repeat(2_000);
  const content = await workbook({ rows: `<row>${text('A1', 'id')}</row>${far}` });
  const limits = { bytes: 1e9, ratio: 1_000 };
  const source = Readable.from([content]);
  const table = await openTable({ format: 'xlsx', content: source }, {}, limits);
  t.teardown(() => table.close());
  let longest = 0;
  for await (const { length } of table.content()) longest = Math.max(longest, length);
  t.ok(longest < 32 * 1024 * 1024, `${longest} bytes`);
});
