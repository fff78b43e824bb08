import t from 'tap';
import { ServiceErrors } from '#core/base/errors/service-error.ts';
import { type Importing, importing } from './importing.ts';

const SETUP = `
  CREATE TYPE mood AS ENUM ('sad', 'happy');
  CREATE TABLE maker (id int PRIMARY KEY);
  CREATE TABLE item (
    id int PRIMARY KEY, name varchar(5) NOT NULL, code text UNIQUE, price numeric(5, 2)
      CONSTRAINT positive CHECK (price > 0), small int2, made date, mood mood,
    maker int REFERENCES maker
  );
  INSERT INTO maker VALUES (1)`;

/** The table before: empty, so that files go straight into it, or filled, so that they merge. */
const BEGINNINGS = {
  empty: '',
  filled: "INSERT INTO item (id, name, code) VALUES (1, 'one', 'a'), (100, 'old', 'taken')",
};

async function contents(db: Importing): Promise<unknown> {
  return await db.rows('SELECT * FROM item ORDER BY id');
}

interface Kind {
  readonly what: string;
  readonly csv: string;
  readonly json: string;
  readonly fault: Readonly<Record<string, unknown>>;
  readonly only?: keyof typeof BEGINNINGS;
}

const KINDS: readonly Kind[] = [
  {
    what: 'a whole number that is none',
    csv: 'id,name,small\n2,b,1\n3,c,x1\n',
    json: '[{"id":2,"name":"b","small":1},{"id":3,"name":"c","small":"x1"}]',
    fault: {
      code: 'FAILED_VALIDATION',
      row: 2,
      field: 'small',
      value: 'x1',
      reason: /whole number/,
    },
  },
  {
    what: 'a number out of range',
    csv: 'id,name,small\n2,b,1\n3,c,40000\n',
    json: '[{"id":2,"name":"b","small":1},{"id":3,"name":"c","small":40000}]',
    fault: { code: 'VALUE_OUT_OF_RANGE', row: 2, field: 'small', value: '40000' },
  },
  {
    what: 'a decimal out of range',
    csv: 'id,name,price\n2,b,1000\n',
    json: '[{"id":2,"name":"b","price":1000}]',
    fault: { code: 'VALUE_OUT_OF_RANGE', row: 1, field: 'price', value: '1000' },
  },
  {
    what: 'a text that is too long',
    csv: 'id,name\n2,b\n3,ééééé\n4,éééééé\n',
    json: '[{"id":2,"name":"b"},{"id":3,"name":"ééééé"},{"id":4,"name":"éééééé"}]',
    fault: { code: 'VALUE_TOO_LONG', row: 3, field: 'name', value: 'éééééé' },
  },
  {
    what: 'a day that does not exist',
    csv: 'id,name,made\n2,b,2023-02-29\n',
    json: '[{"id":2,"name":"b","made":"2023-02-29"}]',
    fault: { code: 'FAILED_VALIDATION', row: 1, field: 'made', value: '2023-02-29' },
  },
  {
    what: 'a day in another form than ISO-8601',
    csv: 'id,name,made\n2,b,2024-01-05\n3,c,Jan 5 2024\n',
    json: '[{"id":2,"name":"b","made":"2024-01-05"},{"id":3,"name":"c","made":"Jan 5 2024"}]',
    fault: { code: 'FAILED_VALIDATION', row: 2, field: 'made', value: 'Jan 5 2024' },
  },
  {
    what: 'a word that PostgreSQL would read as a day',
    csv: 'id,name,made\n2,b,today\n',
    json: '[{"id":2,"name":"b","made":"today"}]',
    fault: { code: 'FAILED_VALIDATION', row: 1, field: 'made', value: 'today' },
  },
  {
    what: 'a value that is written as another type',
    csv: 'id,name\n2,b\n3,éééééé\n',
    json: '[{"id":2,"name":"b"},{"id":3,"name":5}]',
    fault: { row: 2, field: 'name' },
  },
  {
    what: 'a word that is not of the list',
    csv: 'id,name,mood\n2,b,happy\n3,c,Sad\n',
    json: '[{"id":2,"name":"b","mood":"happy"},{"id":3,"name":"c","mood":"Sad"}]',
    fault: { code: 'FAILED_VALIDATION', row: 2, field: 'mood', value: 'Sad', reason: /sad, happy/ },
  },
  {
    what: 'an absent value that is required',
    csv: 'id,name\n2,b\n3,\n',
    json: '[{"id":2,"name":"b"},{"id":3}]',
    fault: { code: 'FAILED_VALIDATION', row: 2, field: 'name', value: null },
  },
  {
    what: 'a null where none may be',
    csv: 'id,name\n2,b\n1,null\n',
    json: '[{"id":2,"name":"b"},{"id":1,"name":null}]',
    fault: { code: 'FAILED_VALIDATION', row: 2, field: 'name', value: null },
  },
  {
    what: 'a required field that the file does not bring',
    csv: 'id,code\n2,b\n',
    json: '[{"id":2,"code":"b"}]',
    fault: { code: 'FAILED_VALIDATION', row: 1, field: 'name', value: null },
  },
  {
    what: 'a null key',
    csv: 'id,name\n2,b\nnull,c\n',
    json: '[{"id":2,"name":"b"},{"id":null,"name":"c"}]',
    fault: { code: 'FAILED_VALIDATION', row: 2, field: 'id' },
  },
  {
    what: 'a value that two rows have',
    csv: 'id,name,code\n2,b,x\n3,c,y\n4,d,x\n',
    json: '[{"id":2,"name":"b","code":"x"},{"id":3,"name":"c","code":"y"},{"id":4,"name":"d","code":"x"}]',
    fault: { code: 'RECORD_NOT_UNIQUE', row: 3, field: 'code', value: 'x', reason: /earlier row/ },
  },
  {
    what: 'a value that another item has',
    csv: 'id,name,code\n2,b,x\n3,c,taken\n',
    json: '[{"id":2,"name":"b","code":"x"},{"id":3,"name":"c","code":"taken"}]',
    fault: {
      code: 'RECORD_NOT_UNIQUE',
      row: 2,
      field: 'code',
      value: 'taken',
      reason: /Another item/,
    },
    only: 'filled',
  },
  {
    what: 'a value that a check refuses',
    csv: 'id,name,price\n2,b,1\n3,c,0\n',
    json: '[{"id":2,"name":"b","price":1},{"id":3,"name":"c","price":0}]',
    fault: {
      code: 'FAILED_VALIDATION',
      row: 2,
      field: 'price',
      value: '0.00',
      reason: /"positive"/,
    },
  },
  {
    what: 'a key of no item',
    csv: 'id,name,maker\n2,b,1\n3,c,7\n',
    json: '[{"id":2,"name":"b","maker":1},{"id":3,"name":"c","maker":7}]',
    fault: { code: 'INVALID_FOREIGN_KEY', row: 2, field: 'maker', value: '7', reason: /"maker"/ },
  },
];

for (const [beginning, fill] of Object.entries(BEGINNINGS)) {
  t.test(`a faulty row rejects the file, the table being ${beginning}`, async (t) => {
    for (const { what, csv, json, fault, only } of KINDS) {
      if (only !== undefined && only !== beginning) continue;
      const db = await importing(`${SETUP}; ${fill}`);
      const before = await contents(db);
      for (const [format, content] of Object.entries({ csv, json })) {
        const found = await db.refused('item', content, format === 'csv' ? 'csv' : 'json');
        t.match(found, [fault], `${what} (${format})`);
        t.equal(found.length, 1, 'and no other fault');
        t.strictSame(await contents(db), before, 'the table is unchanged');
      }
    }
  });
}

t.test('all faulty rows are reported, for any kind of fault', async (t) => {
  for (const fill of Object.values(BEGINNINGS)) {
    const db = await importing(`${SETUP}; ${fill}`);
    const csv = [
      'id,name,code,price,small,maker',
      '2,b,x,1,1,1',
      '3,toolong,y,abc,99999,1',
      '4,d,x,-1,1,9',
      '5,,z,1,1,1',
      '6,f,w,1,1',
      '7,g,v,1,1,8',
      '2,b,u,1,1,9',
      '2,b,u,1,1,1',
    ].join('\n');
    const faults = (await db.refused('item', csv)).map(({ row, code, field, value }) =>
      [row, code, field, value].join(' '),
    );
    t.strictSame(
      faults.sort(),
      [
        '3 INVALID_FOREIGN_KEY maker 9',
        '2 FAILED_VALIDATION price abc',
        '2 VALUE_OUT_OF_RANGE small 99999',
        '2 VALUE_TOO_LONG name toolong',
        '3 FAILED_VALIDATION price -1.00',
        '4 FAILED_VALIDATION name ',
        '5 INVALID_PAYLOAD  ',
        '6 INVALID_FOREIGN_KEY maker 8',
      ].sort(),
    );
  }
});

t.test('constraints alone are reported all at once too', async (t) => {
  const db = await importing(`${SETUP}; ${BEGINNINGS.filled}`);
  const csv = 'id,name,code,price,maker\n2,b,x,-1,9\n3,c,x,-2,1\n4,,taken,1,1\n1,one,taken,1,1\n';
  const faults = (await db.refused('item', csv)).map(({ row, code }) => `${row} ${code}`);
  t.strictSame(faults.sort(), [
    '1 FAILED_VALIDATION',
    '1 INVALID_FOREIGN_KEY',
    '2 FAILED_VALIDATION',
    '2 RECORD_NOT_UNIQUE',
    '3 FAILED_VALIDATION',
    '4 RECORD_NOT_UNIQUE',
    '4 RECORD_NOT_UNIQUE',
  ]);
});

t.test('a report has a maximum size', async (t) => {
  const db = await importing(SETUP);
  const rows = Array.from({ length: 50 }, (_, n) => `${n},b,${n % 2 ? 'x' : '1'},9`);
  const csv = `id,name,small,maker\n${rows.join('\n')}\n`;
  t.equal((await db.refused('item', csv, 'csv', { errorLimit: 10 })).length, 10);
  const constraints = csv.replaceAll(',x,', ',1,');
  t.equal((await db.refused('item', constraints, 'csv', { errorLimit: 10 })).length, 10);
  t.equal((await db.refused('item', csv, 'csv', { errorLimit: 60 })).length, 50, 'it is shared');
});

t.test('malformed files are rejected with line and column', async (t) => {
  const db = await importing(SETUP);
  const errorOf = async (content: string | Buffer, format: 'csv' | 'json') => {
    try {
      await db.import('item', content, format);
    } catch (error) {
      if (error instanceof ServiceErrors) return error.errors[0].toJSON().extensions;
      throw error;
    }
    throw new Error('the file was not refused');
  };
  t.match(await errorOf('id,name\n1,a\n2,b"c\n', 'csv'), {
    code: 'INVALID_PAYLOAD',
    collection: 'item',
    row: 2,
    line: 3,
    column: 4,
    reason: /quote/,
  });
  t.match(await errorOf('id,name\n1,"a\n', 'csv'), { row: 1, line: 2, column: 3 });
  const unclosed = { row: 2, line: 3, column: 1, reason: /row begins on this line/ };
  t.match(await errorOf('id,name\n1,a\n2,"b\n3,c\n4,"d"\n5,e\n', 'csv'), unclosed);
  t.match(await errorOf('id,name\n1,a,3\n', 'csv'), {
    ...{ row: 1, line: 2, reason: /3 cells/ },
    ...{ reason_code: 'row_cells_differ_from_header', reason_parameters: { cells: 3, width: 2 } },
  });
  t.match(await errorOf('', 'csv'), { code: 'INVALID_PAYLOAD', row: null, reason: /empty/ });
  t.match(await errorOf('id,nome\n', 'csv'), { row: null, field: 'nome', line: 1, column: 4 });
  t.match(await errorOf('id,id\n', 'csv'), { field: 'id', column: 4, reason: /twice/ });
  t.match(await errorOf('id,\n', 'csv'), { column: 4, reason: /without a name/ });
  t.match(await errorOf('name\nx\n', 'csv'), { field: 'id', reason: /key/ });
  t.match(await errorOf(Buffer.from('id,name\n1,\xff\n', 'latin1'), 'csv'), {
    row: 1,
    reason: /UTF-8/,
  });
  t.match(await errorOf('[{"id":1},\n{"id":2,}]', 'json'), {
    code: 'INVALID_PAYLOAD',
    row: 2,
    line: 2,
    column: 9,
  });
  t.match(await errorOf('{"id":1}', 'json'), { row: null, line: 1, column: 1, reason: /array/ });
  t.match(await errorOf('[{"id":1,"name":"a"},3]', 'json'), { row: 2, line: 1, column: 22 });
  t.match(await errorOf('[{"id":1,"nome":"a"}]', 'json'), { row: 1, field: 'nome' });
  t.match(await errorOf('[{"id":1,"__proto__":{"name":"x"}}]', 'json'), { field: '__proto__' });
  t.match(await errorOf('[{"id":1,"name":{"a":1}}]', 'json'), {
    code: 'FAILED_VALIDATION',
    row: 1,
    field: 'name',
    value: '{"a":1}',
  });
  t.match(await errorOf('[{"id":1,"name":"a\\u0000"}]', 'json'), {
    row: 1,
    field: 'name',
    reason: /NUL/,
  });
  for (const [content, format] of [
    ['[{"id":1,"name":"a\\ud800"}]', 'json'],
    ['[{"id":1,"name":"\\udc00\\ud800é"}]', 'json'],
    ['id,name\n1,"""a\\ud800"""\n', 'csv'],
  ] as const) {
    const place = { code: 'FAILED_VALIDATION', row: 1, field: 'name', reason: /surrogate/ };
    t.match(await errorOf(content, format), place, content);
  }
  t.match(await errorOf('id,name\n1,a\0\n', 'csv'), { row: 1, field: 'name', reason: /NUL/ });
  t.strictSame(await contents(db), []);
});

t.test('unreadable documents are faults of their rows', async (t) => {
  const db = await importing('CREATE TABLE item (id int PRIMARY KEY, doc json, docs json[])');
  for (const doc of [String.raw`{"n":"\u0000"}`, String.raw`["\udc00"]`, '{"n":1e200000}']) {
    const fault = { code: 'FAILED_VALIDATION', row: 2, field: 'doc' };
    const rows = `[{"id":1,"doc":{"n":1}},{"id":2,"doc":${doc}}]`;
    t.match(await db.refused('item', rows, 'json'), [fault], doc);
    const cell = doc.replaceAll('"', '""');
    t.match(await db.refused('item', `id,doc\n1,{}\n2,"${cell}"\n`), [fault], `${doc} in CSV`);
    const listed = `[{"id":1,"docs":[${doc}]}]`;
    t.match(await db.refused('item', listed, 'json'), [{ row: 1, field: 'docs' }], `[${doc}]`);
  }
});

t.test('unwritable columns are named', async (t) => {
  const db = await importing(
    `CREATE TABLE item (id int PRIMARY KEY, twice int GENERATED ALWAYS AS (id * 2) STORED,
       n int GENERATED ALWAYS AS IDENTITY);
     CREATE TABLE numbered (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n text)`,
  );
  t.match(await db.refused('item', 'id,twice\n1,2\n'), [{ field: 'twice', reason: /computed/ }]);
  t.match(await db.refused('item', 'id,n\n1,2\n'), [{ field: 'n', reason: /numbered/ }]);
  t.match(await db.refused('numbered', 'id,n\n7,a\n8,b\n'), [
    { code: 'FAILED_VALIDATION', row: 1, field: 'id', value: '7' },
    { row: 2, field: 'id', value: '8' },
  ]);
});

t.test('faults that only the database detects are assigned to their rows', async (t) => {
  const db = await importing(
    `CREATE TABLE item (id int PRIMARY KEY, name text, during int4range,
       EXCLUDE USING gist (during WITH &&));
     CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF new.name = 'bad' THEN RAISE EXCEPTION 'no bad names'; END IF; RETURN new; END $$;
     CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON item FOR EACH ROW EXECUTE FUNCTION refuse();
     INSERT INTO item VALUES (1, 'a', '[1,5)')`,
  );
  const rows = Array.from({ length: 100 }, (_, n) => `${n + 1},${n === 70 ? 'bad' : 'good'}`);
  t.match(await db.refused('item', `id,name\n${rows.join('\n')}`), [
    { code: 'FAILED_VALIDATION', row: 71, reason: /no bad names/ },
  ]);
  t.match(await db.refused('item', 'id,during\n2,"[7,8)"\n3,"[4,6)"\n'), [
    { code: 'RECORD_NOT_UNIQUE', row: 2 },
  ]);
  t.strictSame(await db.rows('SELECT id, name FROM item'), [{ id: 1, name: 'a' }]);
});

t.test('domains reject values by row, and accept absent ones as usual', async (t) => {
  const db = await importing(
    `CREATE DOMAIN percent AS int CHECK (VALUE <= 100);
     CREATE DOMAIN needed AS varchar(3) NOT NULL;
     CREATE TABLE item (id int PRIMARY KEY, p percent, n needed);
     INSERT INTO item VALUES (1, 5, 'x')`,
  );
  t.match(await db.refused('item', 'id,p,n\n1,5,y\n2,101,y\n3,102,y\n'), [
    { code: 'FAILED_VALIDATION', row: 2, field: 'p', value: '101' },
    { code: 'FAILED_VALIDATION', row: 3, field: 'p', value: '102' },
  ]);
  t.match(await db.refused('item', 'id,p,n\n2,5,\n'), [
    { code: 'FAILED_VALIDATION', row: 1, field: 'n' },
  ]);
  t.match(await db.import('item', 'id,p,n\n1,6,\n'), { updated: 1 });
});

t.test('deferred constraints are checked before the end of the transaction', async (t) => {
  const db = await importing(
    `CREATE TABLE item (id int PRIMARY KEY,
       up int REFERENCES item DEFERRABLE INITIALLY DEFERRED,
       code int UNIQUE DEFERRABLE INITIALLY DEFERRED)`,
  );
  for (let round = 0; round < 2; round += 1) {
    t.match(await db.refused('item', 'id,up,code\n10,11,1\n11,12,2\n'), [
      { code: 'INVALID_FOREIGN_KEY', row: 2, field: 'up', value: '12' },
    ]);
    t.match(await db.refused('item', 'id,code\n10,1\n11,1\n'), [
      { code: 'RECORD_NOT_UNIQUE', row: 2, field: 'code', value: '1' },
    ]);
    if (round === 0) t.match(await db.import('item', 'id,code\n1,7\n2,8\n'), { inserted: 2 });
  }
  t.match(await db.import('item', 'id,code\n1,8\n2,7\n'), { updated: 2 }, 'values may be swapped');
});

t.test('only tables with a key can be imported into', async (t) => {
  const db = await importing(
    `CREATE TABLE item (id int PRIMARY KEY); CREATE TABLE keyless (n int);
     CREATE VIEW seen AS SELECT * FROM item`,
  );
  await t.rejects(db.import('keyless', 'n\n1\n'), { code: 'UNPROCESSABLE_ENTITY' });
  await t.rejects(db.import('seen', 'id\n1\n'), { code: 'UNPROCESSABLE_ENTITY' });
  await t.rejects(db.import('nothing', 'id\n1\n'), { code: 'FORBIDDEN' });
  await t.rejects(db.import('system_users', 'id\n1\n'), { code: 'FORBIDDEN' });
});

t.test('all faults of a row are reported, including missing values', async (t) => {
  const db = await importing(SETUP);
  await db.rows("INSERT INTO item (id, name) VALUES (1, 'one')");
  const brief = (faults: readonly { row: unknown; field: unknown; code: string }[]) =>
    faults.map(({ row, field, code }) => [row, field, code]);
  const csv = 'id,name,small,made\n5,,bad,never\n1,,bad,\n6,null,bad,\nx,,bad,\n7,good,1,\n';
  t.strictSame(brief(await db.refused('item', csv)), [
    [1, 'small', 'FAILED_VALIDATION'],
    [1, 'made', 'FAILED_VALIDATION'],
    [1, 'name', 'NOT_NULL_VIOLATION'],
    // The item exists: its name stays.
    [2, 'small', 'FAILED_VALIDATION'],
    [3, 'small', 'FAILED_VALIDATION'],
    [3, 'name', 'NOT_NULL_VIOLATION'],
    // Without a key, it is unknown whether the item is new.
    [4, 'id', 'FAILED_VALIDATION'],
    [4, 'small', 'FAILED_VALIDATION'],
  ]);
  const json = '[{"id":5,"small":"bad"},{"id":1,"small":"bad"},{"id":6,"name":null,"small":[]}]';
  t.strictSame(brief(await db.refused('item', json, 'json')), [
    [1, 'small', 'FAILED_VALIDATION'],
    [1, 'name', 'NOT_NULL_VIOLATION'],
    [2, 'small', 'FAILED_VALIDATION'],
    [3, 'small', 'FAILED_VALIDATION'],
    [3, 'name', 'NOT_NULL_VIOLATION'],
  ]);
});

t.test('all unknown columns are named at once', async (t) => {
  const db = await importing(SETUP);
  const faults = await db.refused('item', 'id,nmae,price,,prize,id\n1,a,1,,2,3\n');
  t.strictSame(
    faults.map(({ field, reason }) => [field, reason]),
    [
      ['nmae', 'The collection has no field "nmae".'],
      ['', 'The header has a column without a name.'],
      ['prize', 'The collection has no field "prize".'],
      ['id', 'The header names "id" twice.'],
    ],
  );
});
