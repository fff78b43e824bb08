// @quick

import pg from 'pg';
import t from 'tap';
import { asSuperuser } from '#tests/harness/database.ts';
import { importing } from './importing.ts';

const NOTHING = { inserted: 0, updated: 0, unchanged: 0, duplicates: 0, skipped: 0, failed: 0 };

t.test('rows are copied into an empty table, and merged into a filled one', async (t) => {
  const db = await importing(
    `CREATE TABLE item (id serial PRIMARY KEY, name text NOT NULL, price numeric(8,2) DEFAULT 1.5,
       made date)`,
  );
  const first = await db.import(
    'item',
    'id,name,price,made\n1,one,1.00,2024-02-29\n2,"two, 2",,\n',
  );
  t.strictSame(first, { ...NOTHING, inserted: 2 });
  t.strictSame(await db.rows('SELECT id, name, price, made::text FROM item ORDER BY id'), [
    { id: 1, name: 'one', price: '1.00', made: '2024-02-29' },
    { id: 2, name: 'two, 2', price: '1.50', made: null },
  ]);
  const second = await db.import(
    'item',
    'id,name,price\n1,one,1.00\n2,deux,\n3,three,3\n3,drei,4\n,four,\n',
  );
  t.strictSame(second, { ...NOTHING, inserted: 2, updated: 1, unchanged: 1, duplicates: 1 });
  t.strictSame(await db.rows('SELECT id, name, price FROM item ORDER BY id'), [
    { id: 1, name: 'one', price: '1.00' },
    { id: 2, name: 'deux', price: '1.50' },
    { id: 3, name: 'drei', price: '4.00' },
    { id: 4, name: 'four', price: '1.50' },
  ]);
});

t.test('an empty cell has no value, and null is written as null', async (t) => {
  const db = await importing(
    `CREATE TABLE item (id int PRIMARY KEY, a text DEFAULT 'initial', b text, n int DEFAULT 7)`,
  );
  const csv = [
    'id,a,b,n',
    '1,,,',
    '2,null,null,null',
    '3,"""""","""null""",1',
    '4,"""x""",true,2',
    '5,"[1]","{""k"": 1}",3',
    '6,\\N,\\.,4',
    '7,"tab\tand\\slash","line\nbreak",5',
  ].join('\n');
  const expected = [
    { id: 1, a: 'initial', b: null, n: 7 },
    { id: 2, a: null, b: null, n: null },
    { id: 3, a: '', b: 'null', n: 1 },
    { id: 4, a: 'x', b: 'true', n: 2 },
    { id: 5, a: '[1]', b: '{"k": 1}', n: 3 },
    { id: 6, a: '\\N', b: '\\.', n: 4 },
    { id: 7, a: 'tab\tand\\slash', b: 'line\nbreak', n: 5 },
  ];
  t.match(await db.import('item', csv), { inserted: 7 });
  t.strictSame(await db.rows('SELECT * FROM item ORDER BY id'), expected);
  // The same through the staging table: the table is not empty any more.
  await db.rows("DELETE FROM item WHERE id > 1; UPDATE item SET a = 'kept', n = 9");
  t.match(await db.import('item', csv), { inserted: 6, updated: 0, unchanged: 1 });
  t.strictSame(await db.rows('SELECT * FROM item ORDER BY id'), [
    { id: 1, a: 'kept', b: null, n: 9 },
    ...expected.slice(1),
  ]);
});

t.test('an absent member has no value either', async (t) => {
  const db = await importing(
    `CREATE TABLE item (id int PRIMARY KEY, a text DEFAULT 'initial', b text, n int8)`,
  );
  const json = JSON.stringify([
    { id: 1 },
    { id: 2, a: null, b: '' },
    { b: 'x', id: 3, n: 0 },
    { id: '4', a: 'true', b: '1.5', n: null },
  ]).replace('"n":0', '"n":9007199254740993');
  t.match(await db.import('item', json, 'json'), { inserted: 4 });
  const expected = [
    { id: 1, a: 'initial', b: null, n: null },
    { id: 2, a: null, b: '', n: null },
    { id: 3, a: 'initial', b: 'x', n: '9007199254740993' },
    { id: 4, a: 'true', b: '1.5', n: null },
  ];
  t.strictSame(await db.rows('SELECT * FROM item ORDER BY id'), expected);
  t.match(await db.import('item', json, 'json'), { unchanged: 4, inserted: 0, updated: 0 });
  t.match(await db.import('item', '[{"id":1,"a":"new"},{"id":2}]', 'json'), {
    updated: 1,
    unchanged: 1,
  });
  t.match(await db.import('item', '[]', 'json'), NOTHING);
});

t.test('a member that first occurs late is an ordinary column', async (t) => {
  const db = await importing(
    'CREATE TABLE item (id serial PRIMARY KEY, a text, b text); CREATE TABLE other (id int PRIMARY KEY)',
  );
  const objects = Array.from({ length: 200 }, (_, n) => ({
    a: `${n}`,
    ...(n > 150 ? { b: 'b' } : {}),
  }));
  const bytes = Buffer.from(JSON.stringify(objects));
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100);
  }
  t.match(await db.import('item', pieces, 'json'), { inserted: 200 });
  t.strictSame(await db.rows('SELECT count(*)::int AS n, count(b)::int AS b FROM item'), [
    { n: 200, b: 49 },
  ]);
  const ids = await db.rows('SELECT bool_and(id = a::int + 1) AS ordered FROM item');
  t.strictSame(ids, [{ ordered: true }], 'numbered in file order');
});

t.test('rows without any value are skipped', async (t) => {
  const db = await importing(
    "CREATE TABLE item (id serial PRIMARY KEY, a text, b text DEFAULT 'd')",
  );
  t.match(await db.import('item', 'a,b\n1,2\n,\n\n"",""\n3,\n'), { inserted: 2, skipped: 2 });
  t.match(await db.import('item', '[{},{"a":"x"}]', 'json'), { inserted: 2, skipped: 0 });
  t.strictSame(await db.rows('SELECT a, b FROM item ORDER BY id'), [
    { a: '1', b: '2' },
    { a: '3', b: 'd' },
    { a: null, b: 'd' },
    { a: 'x', b: 'd' },
  ]);
});

t.test('the last of several rows with the same key is used', async (t) => {
  const db = await importing('CREATE TABLE item (id text PRIMARY KEY, n int)');
  const csv = 'id,n\na,1\nb,2\na,3\na,4\nc,5\nb,6\n';
  t.strictSame(await db.import('item', csv), { ...NOTHING, inserted: 3, duplicates: 3 });
  t.strictSame(await db.rows('SELECT * FROM item ORDER BY id'), [
    { id: 'a', n: 4 },
    { id: 'b', n: 6 },
    { id: 'c', n: 5 },
  ]);
  t.strictSame(await db.import('item', csv), { ...NOTHING, unchanged: 3, duplicates: 3 });
  t.strictSame(await db.import('item', 'n,id\n1,a\n9,a'), {
    ...NOTHING,
    updated: 1,
    duplicates: 1,
  });
});

t.test('keys of several columns, mixed-case and reserved names', async (t) => {
  const db = await importing(
    `CREATE TABLE "Mixed Case" ("select" int, "User ID" text, "it""s" text, "c0" int,
       PRIMARY KEY ("User ID", "select"))`,
  );
  const header = '"it""s",select,User ID,c0';
  const first = await db.import('Mixed Case', `${header}\nx,1,a,1\ny,1,b,2\nz,2,a,3\nzz,2,a,4\n`);
  t.strictSame(first, { ...NOTHING, inserted: 3, duplicates: 1 });
  const second = await db.import('Mixed Case', `${header}\nx,1,a,1\nY,1,b,2\nn,3,a,9\n`);
  t.strictSame(second, { ...NOTHING, inserted: 1, updated: 1, unchanged: 1 });
  t.strictSame(await db.rows('SELECT * FROM "Mixed Case" ORDER BY 2, 1'), [
    { select: 1, 'User ID': 'a', 'it"s': 'x', c0: 1 },
    { select: 2, 'User ID': 'a', 'it"s': 'zz', c0: 4 },
    { select: 3, 'User ID': 'a', 'it"s': 'n', c0: 9 },
    { select: 1, 'User ID': 'b', 'it"s': 'Y', c0: 2 },
  ]);
});

t.test(
  'notations of numbers are those of every release, and JSON numbers are read by value',
  async (t) => {
    const db = await importing(
      'CREATE TABLE item (id int PRIMARY KEY, n int, l int[], d numeric, f float8)',
    );
    await db.import('item', 'id,n,d,f\n1, +07 ,.5,-5.e-1\n2,7,1E3,NaN\n');
    const json = '[{"id":3,"n":1E3,"l":[2.0,12e1],"d":1E3,"f":5},{"id":4,"n":-0.0,"d":".5"}]';
    await db.import('item', json, 'json');
    await db.import('item', json.slice(1, -1).replace('},', '}\n'), 'ndjson');
    t.strictSame(await db.rows('SELECT id, n, l::text, d::text, f::text FROM item ORDER BY id'), [
      { id: 1, n: 7, l: null, d: '0.5', f: '-0.5' },
      { id: 2, n: 7, l: null, d: '1000', f: 'NaN' },
      { id: 3, n: 1000, l: '{2,120}', d: '1000', f: '5' },
      { id: 4, n: 0, l: null, d: '0.5', f: null },
    ]);
    for (const spelling of ['0x10', '1_000']) {
      const row = [8, spelling, `"{${spelling}}"`, spelling, spelling];
      const told = (await db.refused('item', `id,n,l,d,f\n${row}\n`)).map(({ field }) => field);
      t.strictSame(told, ['n', 'l', 'd', 'f'], `${spelling} is a fault`);
      const text = JSON.stringify([
        { id: 8, n: spelling, l: [spelling], d: spelling, f: spelling },
      ]);
      const same = (await db.refused('item', text, 'json')).map(({ field }) => field);
      t.strictSame(same, ['n', 'l', 'd', 'f'], 'in JSON too');
    }
    const powers = await db.refused('item', 'id,n\n8,1E3\n9,1.5\n');
    t.strictSame(
      powers.map(({ field, value }) => [field, value]),
      [
        ['n', '1E3'],
        ['n', '1.5'],
      ],
      'a text for an integer must consist of digits',
    );
  },
);

t.test('bytes and lists of exact numbers are accepted in their output format', async (t) => {
  const db = await importing(
    'CREATE TABLE item (id int PRIMARY KEY, x bytea, n numeric[], b bigint[])',
  );
  const bytes = '{"type":"Buffer","data":[0,255]}';
  const json = `[{"id":1,"x":${bytes},"n":["1.10"],"b":["9007199254740993"]}]`;
  await db.import('item', json, 'json');
  const cell = `"${bytes.replaceAll('"', '""')}"`;
  await db.import('item', `id,x,n,b\n2,${cell},"[""1.10""]",[9007199254740993]\n3,{},[1.10],{}\n`);
  await db.import('item', `id;x;n\n4;${cell};[1.10]\n`, 'csv', {
    parameters: { separator: ';' },
  });
  t.strictSame(await db.rows('SELECT id, x::text, n::text, b::text FROM item ORDER BY id'), [
    { id: 1, x: '\\x00ff', n: '{1.10}', b: '{9007199254740993}' },
    { id: 2, x: '\\x00ff', n: '{1.10}', b: '{9007199254740993}' },
    { id: 3, x: '\\x7b7d', n: '{1.10}', b: '{}' },
    { id: 4, x: '\\x00ff', n: '{1.10}', b: null },
  ]);
  t.match(await db.refused('item', '[{"id":5,"x":{"data":[256]}}]', 'json'), [{ field: 'x' }]);
});

t.test('values of every kind are stored unchanged', async (t) => {
  const db = await importing(
    `CREATE TYPE mood AS ENUM ('sad', 'happy');
     CREATE DOMAIN percent AS int CHECK (VALUE BETWEEN 0 AND 100);
     CREATE DOMAIN needed AS text NOT NULL DEFAULT 'needed';
     CREATE TABLE item (id int PRIMARY KEY, j json, b jsonb, a int[], t text[], m mood, p percent,
       d needed, u uuid, f float8, w timestamptz, x bytea, s varchar(3), r int4range)`,
  );
  const uuid = '123e4567-e89b-12d3-a456-426614174000';
  const csv = [
    'id,j,b,a,t,m,p,d,u,f,w,x,s,r',
    `1,"{""n"": 1.0}","{""n"":12345678901234567890}","[1,null]","[""x,y"",""\\""""]",sad,5,x,${uuid},` +
      `1e300,2024-01-01T10:00:00+02:00,\\x00ff,äöü,"[1,5)"`,
    '2,"""text""",5,"{1,2}",{},happy,100,,,NaN,infinity,,,',
  ].join('\n');
  const expected = [
    {
      id: 1,
      j: '{"n": 1.0}',
      b: '{"n": 12345678901234567890}',
      a: [1, null],
      t: ['x,y', '"'],
      m: 'sad',
      p: 5,
      d: 'x',
      u: uuid,
      f: 1e300,
      w: '2024-01-01 08:00:00+00',
      x: '\\x00ff',
      s: 'äöü',
      r: '[1,5)',
    },
    {
      id: 2,
      j: '"text"',
      b: '5',
      a: [1, 2],
      t: [],
      m: 'happy',
      p: 100,
      d: 'needed',
      u: null,
      f: Number.NaN,
      w: 'infinity',
      x: null,
      s: null,
      r: null,
    },
  ];
  const select = `SELECT id, j::text, b::text, a, t, m, p, d, u, f,
    (w AT TIME ZONE 'UTC')::text || CASE WHEN isfinite(w) THEN '+00' ELSE '' END AS w,
    x::text, s, r::text FROM item ORDER BY id`;
  t.match(await db.import('item', csv), { inserted: 2 });
  t.strictSame(await db.rows(select), expected);
  t.match(await db.import('item', csv), { unchanged: 2 });
  await db.rows('DELETE FROM item WHERE id = 1');
  t.match(await db.import('item', csv), { inserted: 1, unchanged: 1 });
  t.strictSame(await db.rows(select), expected);
  const json = `[{"id":2,"j":"text","b":5,"a":[1,2],"t":[],"p":null},
    {"id":3,"j":{"x":[1.50]},"b":[1e400],"a":[[1,2],[3,4]],"d":"d"}]`;
  t.match(await db.import('item', json, 'json'), { inserted: 1, updated: 1 });
  t.strictSame(
    await db.rows('SELECT j::text, length(b::text) AS b, a, p FROM item WHERE id > 1 ORDER BY id'),
    [
      { j: '"text"', b: 1, a: [1, 2], p: null },
      {
        j: '{"x":[1.50]}',
        b: 403,
        a: [
          [1, 2],
          [3, 4],
        ],
        p: null,
      },
    ],
  );
});

t.test(
  'a value that only looks different is unchanged, one that only looks equal is updated',
  async (t) => {
    const db = await importing(`CREATE TABLE item (id int PRIMARY KEY, n numeric, j json);
     INSERT INTO item VALUES (1, 1.0, '{"a":1}'), (2, 1.0, '{"a":1}')`);
    const csv = 'id,n,j\n01,1.0,"{""a"":1}"\n2,1.00,"{""a"": 1}"\n';
    t.strictSame(await db.import('item', csv), { ...NOTHING, updated: 1, unchanged: 1 });
    t.strictSame(await db.rows('SELECT n, j::text FROM item WHERE id = 2'), [
      { n: '1.00', j: '{"a": 1}' },
    ]);
  },
);

t.test('sequences advance beyond imported keys, and never go back', async (t) => {
  const db = await importing(
    `CREATE TABLE a (id serial PRIMARY KEY, n text);
     CREATE TABLE b (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, n text);
     CREATE TABLE c (id int GENERATED BY DEFAULT AS IDENTITY (INCREMENT -1 START -1) PRIMARY KEY, n text)`,
  );
  const next = async (table: string) => {
    const [row] = await db.rows(`INSERT INTO ${table} (n) VALUES ('next') RETURNING id`);
    return Number(row?.id);
  };
  for (const table of ['a', 'b']) {
    await db.import(table, 'id,n\n10,x\n7,y\n');
    t.equal(await next(table), 11, 'after the direct path');
    await db.import(table, 'id,n\n20,x\n7,z\n,generated\n');
    t.equal(await next(table), 21, 'after a merge');
    await db.import(table, 'id,n\n3,x\n');
    t.equal(await next(table), 22, 'never back');
  }
  await db.import('c', 'id,n\n-10,x\n-7,y\n');
  t.equal(await next('c'), -11, 'also downwards');
});

t.test('keys that only the database generates find existing rows', async (t) => {
  const db = await importing(
    `CREATE TABLE item (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n text);
     INSERT INTO item (n) VALUES ('a'), ('b')`,
  );
  t.match(await db.import('item', 'id,n\n1,a\n2,bb\n,c\n'), {
    updated: 1,
    unchanged: 1,
    inserted: 1,
  });
  t.match(await db.import('item', 'n\nd\n'), { inserted: 1 });
  t.strictSame(await db.rows('SELECT * FROM item ORDER BY id'), [
    { id: 1, n: 'a' },
    { id: 2, n: 'bb' },
    { id: 3, n: 'c' },
    { id: 4, n: 'd' },
  ]);
});

t.test('a file may contain only keys', async (t) => {
  const db = await importing('CREATE TABLE item (id int PRIMARY KEY, n int DEFAULT 3)');
  t.match(await db.import('item', 'id\n1\n2\n'), { inserted: 2 });
  t.match(await db.import('item', 'id\n2\n3\n'), { inserted: 1, unchanged: 1 });
  t.match(await db.import('item', 'id\n'), NOTHING);
});

t.test('foreign keys, generated columns, partitions and triggers apply', async (t) => {
  const db = await importing(
    `CREATE TABLE parent (id int PRIMARY KEY, up int REFERENCES parent DEFERRABLE INITIALLY DEFERRED,
       twice int GENERATED ALWAYS AS (id * 2) STORED);
     CREATE TABLE part (at date, n int, PRIMARY KEY (n, at)) PARTITION BY RANGE (at);
     CREATE TABLE part_old PARTITION OF part FOR VALUES FROM (MINVALUE) TO ('2020-01-01');
     CREATE TABLE part_new PARTITION OF part FOR VALUES FROM ('2020-01-01') TO (MAXVALUE);
     CREATE TABLE guarded (id int PRIMARY KEY, n text);
     CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF new.n = 'drop' THEN RETURN NULL; END IF;
       new.n := upper(new.n); RETURN new; END $$;
     CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON guarded FOR EACH ROW EXECUTE FUNCTION guard()`,
  );
  t.match(await db.import('parent', 'id,up\n1,2\n2,\n3,1\n'), { inserted: 3 });
  t.match(await db.import('parent', 'id,up\n5,6\n6,5\n1,3\n'), { inserted: 2, updated: 1 });
  t.match(await db.rows('SELECT up, twice FROM parent WHERE id = 5'), [{ up: 6, twice: 10 }]);
  t.match(await db.import('part', 'at,n\n2019-01-01,1\n2021-01-01,1\n'), { inserted: 2 });
  t.match(await db.import('part', 'at,n\n2019-01-01,1\n2022-01-01,1\n'), {
    inserted: 1,
    unchanged: 1,
  });
  t.match(await db.import('guarded', 'id,n\n1,a\n2,drop\n'), { inserted: 1, skipped: 1 });
  t.match(await db.import('guarded', 'id,n\n1,A\n3,b\n4,drop\n'), {
    inserted: 1,
    unchanged: 1,
    skipped: 1,
  });
  t.strictSame(await db.rows('SELECT * FROM guarded ORDER BY id'), [
    { id: 1, n: 'A' },
    { id: 3, n: 'B' },
  ]);
});

t.test('row numbers count rows, with any line breaks in them', async (t) => {
  const db = await importing('CREATE TABLE item (id int PRIMARY KEY, n int, s text)');
  const csv = 'id,n,s\r\n1,1,"a\r\nb\nc"\r\n\r\n2,2,"\n\n"\r\n3,x,"\n"\r\n';
  t.match(await db.refused('item', csv), [{ row: 3, field: 'n', value: 'x' }]);
});

t.test('wrong statistics are corrected before a merge', async (t) => {
  const db = await importing(
    `CREATE TABLE parent (id int PRIMARY KEY);
     INSERT INTO parent SELECT generate_series(1, 5000);
     CREATE TABLE item (id int PRIMARY KEY, name text, parent int REFERENCES parent)
       PARTITION BY RANGE (id);
     CREATE TABLE item_low PARTITION OF item FOR VALUES FROM (0) TO (10000);
     CREATE TABLE item_high PARTITION OF item FOR VALUES FROM (10000) TO (100000);
     INSERT INTO item SELECT i, repeat('x', 100), 1 FROM generate_series(1, 12000) AS i;
     ANALYZE parent, item_low, item_high`,
  );
  const [database] = await db.rows('SELECT current_database() AS name');
  await asSuperuser(async (client) => {
    await client.query(
      `UPDATE pg_class SET reltuples = 1000000000, relpages = 1 WHERE oid = 'app.parent'::regclass;
       UPDATE pg_class SET reltuples = 0, relpages = 200 WHERE oid = 'app.item_low'::regclass`,
    );
  }, String(database?.name));
  const counts = async () => {
    const rows = await db.rows(
      `SELECT relname, reltuples::int AS rows FROM pg_class
       WHERE oid IN ('parent'::regclass, 'item_low'::regclass, 'item_high'::regclass)`,
    );
    return Object.fromEntries(rows.map(({ relname, rows }) => [relname, rows]));
  };
  const csv = 'id,name,parent\n1,changed,2\n20000,new,5000\n';
  t.match(await db.import('item', csv), { inserted: 1, updated: 1 });
  t.strictSame(await counts(), { parent: 5000, item_low: 9999, item_high: 2001 });
});

t.test('a referenced table need not be readable', async (t) => {
  const db = await importing(
    `CREATE TABLE parent (id int PRIMARY KEY);
     INSERT INTO parent VALUES (1), (2);
     CREATE TABLE item (id int PRIMARY KEY, parent int REFERENCES parent);
     INSERT INTO item VALUES (1, 1);
     ANALYZE parent, item`,
  );
  const url = new URL(db.url);
  const database = url.pathname.slice(1);
  const role = `importer_${database}`;
  await asSuperuser(async (client) => {
    await client.query(
      `CREATE ROLE ${role} LOGIN PASSWORD '${role}'; GRANT USAGE ON SCHEMA app TO ${role};
       GRANT ALL ON app.item TO ${role}; GRANT TEMPORARY ON DATABASE ${database} TO ${role}`,
    );
  }, database);
  url.username = role;
  url.password = role;
  const client = new pg.Client({ connectionString: url.href });
  t.teardown(async () => {
    await client.end();
    await asSuperuser(async (superuser) => {
      await superuser.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }, database);
  });
  await client.connect();
  await t.rejects(client.query('SELECT FROM app.parent'), { code: '42501' });
  t.match(await db.import('item', 'id,parent\n1,2\n2,1\n', 'csv', { client }), {
    inserted: 1,
    updated: 1,
  });
});
