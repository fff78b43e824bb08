// @newest @quick
/** Files as the Admin App reads their beginning, and the rows that it writes when they are corrected. */
import t from 'tap';
import { columnOf } from '../../../ops/app/source/imports/column-of.ts';
import {
  newMapping,
  resolveMapping,
  technicalName,
  withChoice,
} from '../../../ops/app/source/imports/mapping.ts';
import {
  cellsOf,
  readPreview,
  withCells,
  writeRows,
} from '../../../ops/app/source/imports/preview.ts';

const CSV = { format: 'csv', separator: ';', quote: '"' } as const;
const JSON_FILE = { format: 'json', separator: ',', quote: '"' } as const;

const field = (name: string) => ({
  collection: 'customer',
  field: name,
  type: 'string',
  schema: null,
  meta: null,
});

t.test('the first rows are read, also of a text that ends within one', async (t) => {
  t.strictSame(readPreview('\uFEFFsep=;\r\na;b\r\n"1;2";x\r\n3;"cut', CSV, 5), {
    columns: ['a', 'b'],
    rows: [['1;2', 'x']],
  });
  t.strictSame(readPreview('[{"a":1,"b":"x"},\n{"c":{"d":[2]}},{"a":', JSON_FILE, 5), {
    columns: ['a', 'b', 'c'],
    rows: [
      ['1', 'x', ''],
      ['', '', '{"d":[2]}'],
    ],
  });
  t.strictSame(readPreview('{"a":"}\\""}\n{"a":2}\n', { ...CSV, format: 'ndjson' }, 1), {
    columns: ['a'],
    rows: [['}"']],
  });
  t.strictSame(readPreview('', CSV, 5), { columns: [], rows: [] });
});

t.test('a corrected row is written as the file has it', async (t) => {
  const columns = ['a', 'b', 'c'];
  const row = '"1;2";x';
  t.strictSame(cellsOf(row, columns, CSV), ['1;2', 'x', ''], 'a short row has empty cells');
  const corrected = withCells(row, columns, CSV, { b: 'say "y"' });
  t.equal(corrected, '"1;2";"say ""y""";\n');
  t.equal(writeRows(columns, [corrected, 'p;q;r\r\n'], CSV), 'a;b;c\n"1;2";"say ""y""";\np;q;r\n');
  const object = '{"a":1,"b":"x","other":true}';
  t.strictSame(cellsOf(object, columns, JSON_FILE), ['1', 'x', '']);
  t.strictSame(
    JSON.parse(withCells(object, columns, JSON_FILE, { a: '2', b: '3', c: 'free' })),
    { a: 2, b: '3', c: 'free', other: true },
    'a text stays a text, and what is not shown stays',
  );
  t.equal(writeRows(columns, [object], { ...JSON_FILE, format: 'ndjson' }), `${object}\n`);
});

t.test('columns find their fields', async (t) => {
  const fields = ['e_mail', 'name', 'maker'].map(field);
  const guessed = resolveMapping(['E-Mail', 'name', 'maker.id', 'else'], fields, {}, 'en');
  t.strictSame(guessed, { 'E-Mail': 'e_mail', name: 'name', 'maker.id': 'maker.id', else: null });
  t.strictSame(
    resolveMapping(['Name', 'name'], fields, {}, 'en'),
    { Name: null, name: 'name' },
    'no field twice',
  );
  const chosen = withChoice({}, guessed, 'else', 'name');
  t.strictSame(
    resolveMapping(['E-Mail', 'name', 'else'], fields, chosen, 'en'),
    { 'E-Mail': 'e_mail', name: null, else: 'name' },
    'who takes a field leaves the other column out',
  );
  t.equal(columnOf('e_mail', ['E-Mail', 'name'], guessed), 'E-Mail');
  t.equal(columnOf('maker', ['E-Mail', 'maker.id'], guessed), 'maker.id');
  t.equal(columnOf('gone', ['E-Mail'], guessed), null);
});

t.test('a new collection gets names that a field may have', async (t) => {
  t.equal(technicalName('Straße & Nr.'), 'strasse_nr');
  t.equal(technicalName('2. Länge'), 'n2_lange');
  t.strictSame(newMapping(['A', 'a', '№', 'B'], { B: null }), {
    A: 'a',
    a: null,
    '№': 'no',
    B: null,
  });
});
