/** The rejected rows as a file in the notation of the first one, and what an import ignores. */
import t from 'tap';
import type { ImportFormat } from '#core/jobs/message/import.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import { type Importing, importing } from './importing.ts';

const SETUP = `
  CREATE TABLE item (id int PRIMARY KEY, name varchar(5), price numeric(5, 2));
  DELETE FROM system_fields WHERE collection = 'item'`;

const SECRET = `ALTER TABLE item ADD pin text;
  INSERT INTO system_fields (collection, field, special) VALUES ('item', 'pin', 'conceal')`;

let db: Importing;
t.beforeEach(async () => {
  db = await importing(SETUP);
});

async function skip(content: string, format: ImportFormat, parameters: ImportParameters = {}) {
  let rejected = '';
  const result = await db.import('item', content, format, {
    parameters: { onError: 'skip', ...parameters },
    report: async (pieces) => {
      for await (const _ of pieces);
    },
    rejectedFile: async (pieces) => {
      for await (const piece of pieces) rejected += Buffer.from(piece).toString();
    },
  });
  return { result, rejected };
}

/** Files with two faulty rows, 2 and 3, and the corrections of their rejected rows. */
const FILES: readonly {
  readonly format: ImportFormat;
  readonly text: string;
  readonly parameters?: ImportParameters;
  readonly corrections: readonly (readonly [string, string])[];
}[] = [
  {
    format: 'csv',
    text: 'id,name,price\n1,a,1\n2,"too ""long, x",2\n3,b\n',
    corrections: [
      ['"too ""long, x"', 'ok'],
      ['3,b\n', '3,b,\n'],
    ],
  },
  {
    format: 'csv',
    text: "sep=;\nid;name;price\n1;a;1,5\n2;'too ; long';2,5\n3;b\n",
    parameters: { quote: "'", decimal: ',' },
    corrections: [
      ["'too ; long'", 'ok'],
      ['3;b\n', '3;b;\n'],
    ],
  },
  {
    format: 'csv',
    text: 'id|name|price\n1|a|1\n2|too long|2\n3|b\n',
    parameters: { separator: '|', quote: '' },
    corrections: [
      ['|too long|', '|ok|'],
      ['3|b\n', '3|b|\n'],
    ],
  },
  {
    format: 'json',
    text: '[{"id":1},{"id":2,"name":"too long","price":1.5},{"id":3,"name":[]}]',
    corrections: [
      ['"too long"', '"ok"'],
      ['[]}', '"b"}'],
    ],
  },
  {
    format: 'ndjson',
    text: '{"id":1}\n{"id":2,"name":"too long"}\n{"id":3\n',
    corrections: [
      ['"too long"', '"ok"'],
      ['"sluice_text":"{\\"id\\":3"', '"id":3'],
    ],
  },
];

t.test('rejected rows keep their notation, and are imported once corrected', async (t) => {
  for (const { format, text, parameters, corrections } of FILES) {
    await db.rows('TRUNCATE item');
    const { result, rejected } = await skip(text, format, parameters);
    t.match(result, { failed: 2, inserted: 1 }, text);
    const again = await skip(rejected, format, parameters);
    t.match(again.result, { failed: 2, inserted: 0 }, 'the same rows are faulty again');
    if (format !== 'csv') {
      t.match(rejected, /"sluice_row":2,"sluice_reason":"name: The value has more than 5/);
      t.match(again.rejected, /"sluice_row":2,/, 'with the numbers of the first file');
    } else {
      t.match(again.rejected, /^2[,;|]name: The value has more than 5 characters/m);
    }
    let corrected = rejected;
    for (const [from, to] of corrections) {
      t.ok(corrected.includes(from), corrected);
      corrected = corrected.replace(from, to);
    }
    t.match((await skip(corrected, format, parameters)).result, { inserted: 2 }, corrected);
    t.match(await db.rows('SELECT id FROM item ORDER BY id'), [{ id: 1 }, { id: 2 }, { id: 3 }]);
  }
});

t.test('faults are grouped by their reason', async (t) => {
  const { result } = await skip('id,name,price\n1,too long,1\n2,too long,x\n3,a,y\n', 'csv');
  t.match(result.reasons, [
    { code: 'VALUE_TOO_LONG', field: 'name', rows: 2, first_row: 1 },
    { code: 'FAILED_VALIDATION', field: 'price', rows: 2, first_row: 2 },
  ]);
});

t.test('no rejected row repeats a secret', async (t) => {
  await db.rows(SECRET);
  const csv = 'id,name,pin\n1,too long,CANARY\n2,b,CANARY,4\n';
  t.notMatch((await skip(csv, 'csv')).rejected, /CANARY/);
  t.notMatch((await skip(csv, 'csv', { mapping: { pin: null } })).rejected, /CANARY/);
  const json = '[{"id":1,"name":"too long","pin":"CANARY"}]';
  t.notMatch((await skip(json, 'json')).rejected, /CANARY/);
  const { rejected } = await skip(json.replace('pin', 'code'), 'json', {
    mapping: { code: 'pin' },
  });
  t.notMatch(rejected, /CANARY/);
});

t.test('the values of omitted columns are counted', async (t) => {
  const mapping = { note: null, other: null };
  const ignored = { note: 2 };
  const csv = 'id,note,other\n1,a,\n2,b,\n3,,\n';
  t.strictSame((await db.import('item', csv, 'csv', { parameters: { mapping } })).ignored, ignored);
  const own = { mapping, separator: ';' };
  const text = csv.replaceAll(',', ';');
  t.strictSame((await db.import('item', text, 'csv', { parameters: own })).ignored, ignored);
  const json = '[{"id":1,"note":"a"},{"id":2,"note":1,"other":null}]';
  t.strictSame(
    (await db.import('item', json, 'json', { parameters: { mapping } })).ignored,
    ignored,
  );
  t.notHas(await db.import('item', 'id,sluice_row,sluice_reason\n1,5,x\n', 'csv'), { ignored: {} });
});
