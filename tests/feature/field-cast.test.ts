/**
 * Fields whose column keeps their values as something else: a boolean as a number or a text, JSON
 * and UUIDs as texts, moments in another type. Every clause and every way in or out sees the field.
 */
import t from 'tap';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { createMember, sendAs } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

const U1 = '00000000-0000-4000-8000-00000000000a';
const U2 = '00000000-0000-4000-8000-00000000000b';

const cluster = await startCluster(t, { workers: 1 });
const { db } = cluster;
await db.query(`
  CREATE TABLE people (id uuid PRIMARY KEY, name text);
  INSERT INTO people VALUES ('${U1}', 'Ada'), ('${U2}', 'Bob');
  CREATE TABLE old (id serial PRIMARY KEY, num smallint, txt varchar(5), short char(1), doc text,
    uid varchar(36), who char(36), list text, zoned timestamp, local timestamptz, stamp text);
  CREATE INDEX ON old (num);
  CREATE INDEX ON old (uid);
  CREATE INDEX ON old (zoned);
  INSERT INTO old (num, txt, short, doc, uid, who, list, zoned, local, stamp) VALUES
    (1, 'true', 't', '{"a": {"b": 5}, "l": ["x"]}', '${U1}', '${U1}', 'a,b', '2024-01-01 10:00:00',
      '2024-01-01 10:00:00Z', '2024-01-01T10:00:00Z'),
    (0, '0', 'f', '[1, 2]', '${U2.toUpperCase()}', '${U2.toUpperCase()}', '', '2024-06-01 10:00:00',
      '2024-06-01 10:00:00Z', '2024-06-01 12:00:00+02'),
    (7, 'maybe', '?', 'no JSON {', 'unknown', 'nobody', 'c', NULL, NULL, 'yesterday'),
    (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
  INSERT INTO system_fields (collection, field, special) VALUES ('old', 'num', 'cast-boolean'),
    ('old', 'txt', 'cast-boolean'), ('old', 'short', 'cast-boolean'), ('old', 'doc', 'cast-json'),
    ('old', 'uid', 'file'), ('old', 'who', 'm2o,uuid'), ('old', 'list', 'cast-csv'),
    ('old', 'zoned', 'cast-timestamp'), ('old', 'local', 'cast-datetime'),
    ('old', 'stamp', 'cast-timestamp'), ('people', 'olds', 'o2m');
  INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
    VALUES ('old', 'who', 'people', 'olds');
  CREATE TABLE guarded (id serial PRIMARY KEY, flag int, note text);
  INSERT INTO guarded (flag) VALUES (1), (0), (1);
  INSERT INTO system_fields (collection, field, special) VALUES ('guarded', 'flag', 'cast-boolean')`);
const send = (method: string, path: string, body?: unknown) =>
  sendAs(cluster, ADMIN_TOKEN, method, path, body);
const search = (query: object, collection = 'old') =>
  send('SEARCH', `/items/${collection}`, { query });
await until(async () => {
  const { body } = await send('GET', '/items/old/1?fields=num');
  return body?.data?.num === true;
}, 'the fields are known');

async function ids(filter: object): Promise<unknown> {
  const { body, code } = await search({ filter, fields: ['id'], sort: ['id'] });
  return code ?? body.data.map(({ id }: { id: number }) => id);
}

t.test('are read in queries that PostgreSQL runs in parallel', async (t) => {
  const client = await db.connect();
  try {
    await client.query(`BEGIN; SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0;
      SET LOCAL min_parallel_table_scan_size = 0; ALTER TABLE old SET (parallel_workers = 2)`);
    const { rows } = await client.query<{ docs: string; moments: string }>(
      'SELECT count(system_json_of(doc)::text) AS docs, count(system_moment_of(stamp)) AS moments FROM old',
    );
    t.strictSame(rows, [{ docs: '3', moments: '2' }]);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});

t.test('are read as their type', async (t) => {
  const { body } = await search({ sort: ['id'] });
  t.strictSame(body.data[0], {
    ...{ id: 1, num: true, txt: true, short: true, doc: { a: { b: 5 }, l: ['x'] }, uid: U1 },
    ...{ who: U1, list: ['a', 'b'], zoned: '2024-01-01T10:00:00.000Z' },
    ...{ local: '2024-01-01T10:00:00', stamp: '2024-01-01T10:00:00.000Z' },
  });
  t.match(body.data[1], { num: false, txt: false, short: false, doc: [1, 2], list: [] });
  t.equal(body.data[1].stamp, '2024-06-01T10:00:00.000Z');
  // What is no value of the type: nothing, but a text stays what it is.
  const odd = { num: null, txt: null, short: null, doc: 'no JSON {', stamp: null, uid: 'unknown' };
  t.match(body.data[2], odd);
});

t.test('are filtered as their type', async (t) => {
  for (const field of ['num', 'txt', 'short']) {
    t.strictSame(await ids({ [field]: { _eq: true } }), [1], field);
    t.strictSame(await ids({ [field]: { _neq: true } }), [2], field);
    t.strictSame(await ids({ [field]: { _null: true } }), [3, 4], field);
    t.equal(await ids({ [field]: { _eq: 'x' } }), 'INVALID_QUERY', field);
  }
  t.strictSame(await ids({ doc: { _json: { 'a.b': { _eq: 5 } } } }), [1]);
  t.strictSame(await ids({ 'count(doc)': { _eq: 2 } }), [2]);
  t.strictSame(await ids({ doc: { _null: true } }), [4]);
  for (const uid of [U1, U1.toUpperCase()]) t.strictSame(await ids({ uid: { _eq: uid } }), [1]);
  t.strictSame(await ids({ uid: { _in: [U1, U2] } }), [1, 2]);
  t.strictSame(await ids({ uid: { _nin: [U1] } }), [2, 3]);
  t.equal(await ids({ uid: { _eq: 'unknown' } }), 'INVALID_QUERY');
  for (const field of ['zoned', 'stamp']) {
    t.strictSame(await ids({ [field]: { _gte: '2024-03-01T00:00:00+02:00' } }), [2], field);
    t.strictSame(await ids({ [field]: { _eq: '2024-01-01T11:00:00+01:00' } }), [1], field);
    t.strictSame(await ids({ [`year(${field})`]: { _eq: 2024 } }), [1, 2], field);
  }
  t.strictSame(await ids({ local: { _lt: '2024-03-01T00:00:00' } }), [1]);
  t.equal(await ids({ local: { _lt: 'soon' } }), 'INVALID_QUERY');
});

t.test('relations join columns of different types', async (t) => {
  t.strictSame(await ids({ who: { name: { _eq: 'Ada' } } }), [1]);
  const { body } = await search({ fields: ['id', 'who.name'], sort: ['who.name', 'id'] });
  const names = body.data.map(({ who }: { who: { name: string } | null }) => who?.name ?? null);
  t.strictSame(names, ['Ada', 'Bob', null, null]);
  const people = await search(
    { fields: ['name', 'olds.id'], filter: { olds: { id: 1 } } },
    'people',
  );
  t.strictSame(people.body.data, [{ name: 'Ada', olds: [{ id: 1 }] }]);
});

t.test('are sorted, grouped, aggregated and searched as their type', async (t) => {
  for (const field of ['num', 'doc', 'uid', 'zoned', 'stamp', 'txt']) {
    const { status, code } = await search({ sort: [field] });
    t.equal(code ?? status, field === 'doc' ? 'INVALID_QUERY' : 200, field);
  }
  const { body } = await search({ groupBy: ['num'], aggregate: { count: '*' }, sort: ['num'] });
  t.strictSame(body.data, [
    { num: false, count: '1' },
    { num: true, count: '1' },
    { num: null, count: '2' },
  ]);
  const extreme = await search({ aggregate: { max: ['zoned', 'stamp'], countDistinct: ['doc'] } });
  t.strictSame(extreme.body.data, [
    {
      max: { zoned: '2024-06-01T10:00:00.000Z', stamp: '2024-06-01T10:00:00.000Z' },
      countDistinct: { doc: '3' },
    },
  ]);
  t.equal((await search({ search: U1 })).body.data.length, 1);
});

t.test('indexes serve', async (t) => {
  const plan = async (condition: string) => {
    await db.query('SET enable_seqscan = off');
    const { rows } = await db.query(`EXPLAIN SELECT FROM old WHERE ${condition}`);
    return JSON.stringify(rows);
  };
  t.match(await plan('num IN (1)'), /old_num_idx/);
  t.match(await plan(`uid = ANY('{${U1}}'::text[])`), /old_uid_idx/);
  t.match(await plan("zoned = '2024-01-01T10:00:00Z'::timestamptz"), /old_zoned_idx/);
});

t.test('are stored in the form of the column, and recorded as they are read', async (t) => {
  const given = {
    ...{ num: true, txt: false, short: true, doc: { deep: [1, 'two'] }, uid: U1.toUpperCase() },
    ...{ zoned: '2024-01-01T12:00:00+02:00', local: '2024-01-01T12:00:00', list: ['x'] },
    stamp: '2024-01-01T12:00:00.25+02:00',
  };
  const created = await send('POST', '/items/old', given);
  t.match(created.body.data, {
    ...given,
    uid: U1,
    zoned: '2024-01-01T10:00:00.000Z',
    stamp: /10:00/,
  });
  const { id } = created.body.data;
  const stored = async () => (await db.query('SELECT * FROM old WHERE id = $1', [id])).rows[0];
  t.match(await stored(), {
    ...{ num: 1, txt: 'false', short: '1', doc: '{"deep":[1,"two"]}', uid: U1 },
    stamp: '2024-01-01T10:00:00.25Z',
  });
  t.equal((await send('PATCH', `/items/old/${id}`, { num: false, doc: [] })).body.data.num, false);
  t.match(await stored(), { num: 0, doc: '[]' });
  for (const bad of [{ num: 'perhaps' }, { uid: 'x' }, { stamp: 'soon' }, { txt: 2 }]) {
    t.equal((await send('PATCH', `/items/old/${id}`, bad)).status, 400, JSON.stringify(bad));
  }
  const { rows } = await db.query(
    `SELECT id, data FROM system_revisions WHERE collection = 'old' AND item = $1 ORDER BY id`,
    [id],
  );
  t.match(rows[0].data, { num: true, doc: { deep: [1, 'two'] } });
  t.equal((await send('POST', `/utils/revert/${rows[0].id}`)).status, 204);
  t.match(await stored(), { num: 1, doc: '{"deep":[1,"two"]}' });
  await send('DELETE', `/items/old/${id}`);
});

t.test('presets, rules and validations see the type', async (t) => {
  const user = await createMember(cluster, [
    { collection: 'guarded', action: 'read', permissions: { flag: { _eq: true } } },
    {
      ...{ collection: 'guarded', action: 'create', presets: { flag: true } },
      validation: { flag: { _eq: true } },
    },
  ]);
  const found = await user.send('GET', '/items/guarded?sort=id');
  t.strictSame(
    found.body.data.map(({ id }: { id: number }) => id),
    [1, 3],
  );
  const made = await user.send('POST', '/items/guarded', { note: 'x' });
  t.equal(made.body.data.flag, true);
  const refused = await user.send('POST', '/items/guarded', { flag: false });
  t.equal(refused.code, 'FAILED_VALIDATION');
});

t.test('are imported and exported as their type', async (t) => {
  const upload = async (name: string, type: string, text: string) => {
    const form = new FormData();
    form.set('file', new Blob([text], { type }), name);
    const response = await cluster.fetch('/utils/import/old', { method: 'POST', body: form });
    return { status: response.status, text: await response.text() };
  };
  const { rows: before } = await db.query('SELECT max(id) AS last FROM old');
  const csv = `num,txt,doc,uid,zoned,stamp\ntrue,1,"{""a"":1}",${U1.toUpperCase()},2024-01-01T12:00:00+02:00,2024-01-01T12:00:00+02:00\n`;
  t.strictSame(await upload('a.csv', 'text/csv', csv), { status: 200, text: '' });
  const json = JSON.stringify([{ num: false, txt: true, doc: { a: 1 }, uid: U2 }]);
  t.strictSame(await upload('a.json', 'application/json', json), { status: 200, text: '' });
  const { rows } = await db.query('SELECT * FROM old WHERE id > $1 ORDER BY id', [before[0].last]);
  t.match(rows[0], { num: 1, txt: 'true', doc: '{"a":1}', uid: U1, stamp: '2024-01-01T10:00:00Z' });
  t.equal(rows[0].zoned.getUTCHours(), 10);
  t.match(rows[1], { num: 0, txt: 'true', doc: '{"a":1}', uid: U2 });
  for (const bad of ['num\nperhaps\n', 'uid\nx\n', 'doc\n{\n', 'stamp\nsoon\n']) {
    t.match(
      await upload('b.csv', 'text/csv', bad),
      { status: 400, text: /FAILED_VALIDATION/ },
      bad,
    );
  }
  const exported = await cluster.fetch('/items/old?export=csv&fields=num,doc&limit=1&sort=id');
  t.match(await exported.text(), /true/);
});
