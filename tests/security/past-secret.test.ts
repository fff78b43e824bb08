// What a field held before it was concealed, hashed or forbidden is as secret as what it holds
// now: history shows of an item only what its reader may see of it today, in every clause.
import t from 'tap';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import {
  type Answer,
  createMember,
  type GivenPermission,
  type MemberUser,
  sendAs,
} from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

type Send = (method: string, path: string, body?: unknown) => Promise<Answer>;

const CANARY = 'canary-of-the-past';
const MASK = '**********';

let cluster: Cluster;
let member: MemberUser;
let first: number;

const admin: Send = (method, path, body) => sendAs(cluster, ADMIN_TOKEN, method, path, body);

const read = (collection: string, more: Partial<GivenPermission> = {}): GivenPermission => ({
  collection,
  action: 'read',
  ...more,
});

/** The revisions of an item as somebody sees them, the oldest first. */
async function revisionsOf(send: Send, collection: string, item: string) {
  const filter = JSON.stringify({ collection: { _eq: collection }, item: { _eq: item } });
  const query = `filter=${encodeURIComponent(filter)}&fields=id,data,delta&sort=id`;
  const { body } = await send('GET', `/revisions?${query}`);
  return body.data;
}

t.before(async () => {
  cluster = await startCluster(t, { workers: 1 });
  await cluster.db.query(`
    CREATE TABLE notes (id int PRIMARY KEY, name text, pin text, code text, hidden text,
      num numeric, doc json, public boolean);
    CREATE TABLE halves (a text, b int, name text, public boolean, PRIMARY KEY (a, b));
    CREATE TABLE closed (id uuid PRIMARY KEY, name text);`);
  await until(async () => (await cluster.fetch('/items/closed')).ok, 'the tables are known');
  const values = { pin: CANARY, code: CANARY, hidden: CANARY, doc: { a: CANARY } };
  const note = { name: 'one', num: '12345678901234567890.5', public: true, ...values };
  await admin('POST', '/items/notes', [
    { id: 1, ...note },
    { id: 2, ...note, pin: null, public: false },
    { id: 3, ...note },
  ]);
  await admin('PATCH', '/items/notes/1', { name: 'two', pin: `${CANARY} 2` });
  await admin('DELETE', '/items/notes/3');
  await admin('POST', '/items/halves', [
    { a: 'x,y', b: 1, name: CANARY, public: true },
    { a: 'x', b: 1, name: CANARY, public: true },
    { a: 'x', b: 2, name: CANARY, public: false },
  ]);
  await admin('POST', '/items/closed', {
    id: '00000000-0000-4000-8000-000000000001',
    name: CANARY,
  });
  first = (await revisionsOf(admin, 'notes', '1'))[0].id;
  for (const [field, special] of [
    ['pin', 'conceal'],
    ['code', 'hash'],
    ['doc', 'cast-json,conceal'],
  ]) {
    t.equal((await admin('PATCH', `/fields/notes/${field}`, { meta: { special } })).status, 200);
  }
  const seen = ['id', 'name', 'pin', 'code', 'num', 'doc', 'public'];
  const rule = { permissions: { public: { _eq: true } } };
  member = await createMember(cluster, [
    read('system_revisions'),
    read('system_activity'),
    read('notes', { fields: seen }),
    { collection: 'notes', action: 'update' },
    read('halves', { fields: ['a', 'b'] }),
    read('halves', { ...rule, fields: ['name'] }),
  ]);
});

t.test('values that are concealed today are masked in history', async (t) => {
  const [created, changed] = await revisionsOf(admin, 'notes', '1');
  const masked = { pin: MASK, code: MASK, doc: MASK };
  t.strictSame(created.data, {
    ...{ id: 1, name: 'one', ...masked, hidden: CANARY },
    ...{ num: '12345678901234567890.5', public: true },
  });
  t.match(created.delta, masked);
  t.strictSame(changed.delta, { name: 'two', pin: MASK });
  const [other] = await revisionsOf(admin, 'notes', '2');
  t.equal(other.data.pin, null, 'an unset value is shown');
  for (const format of ['csv', 'json', 'ndjson', 'xml', 'yaml']) {
    const file = await cluster.fetch(`/revisions?export=${format}&fields=data,delta`);
    t.notMatch(await file.text(), /(?:pin|code)\W+canary/, format);
  }
  // Names stay as they were written, and so does their order.
  t.strictSame(Object.keys(created.data).slice(0, 4), ['id', 'name', 'pin', 'code']);
});

t.test('other callers see the same parts of history and of the present', async (t) => {
  const [created] = await revisionsOf(member.send, 'notes', '1');
  t.strictSame(Object.keys(created.data), ['id', 'name', 'pin', 'code', 'num', 'doc', 'public']);
  t.notOk('hidden' in created.delta);
  const [gone] = await revisionsOf(member.send, 'notes', '3');
  t.equal(gone.data.name, 'one', 'of what is deleted, too, where no rule decides');
  const [closed] = await revisionsOf(member.send, 'closed', '00000000-0000-4000-8000-000000000001');
  t.strictSame([closed.data, closed.delta], [{}, {}]);
  const halves = await Promise.all(
    ['x%2Cy,1', 'x,1', 'x,2'].map((item) => revisionsOf(member.send, 'halves', item)),
  );
  t.strictSame(
    halves.map(([half]) => half.data),
    // A key of several parts that has to be decoded is looked up by nobody.
    [
      { a: 'x,y', b: 1 },
      { a: 'x', b: 1, name: CANARY },
      { a: 'x', b: 2 },
    ],
  );
  await admin('PATCH', '/items/halves/x,1', { public: false });
  const [hidden] = await revisionsOf(member.send, 'halves', 'x,1');
  t.strictSame(hidden.data, { a: 'x', b: 1 }, 'the rule is asked of the item as it is');
});

const CLAUSES: readonly string[] = [
  'fields=*',
  'fields=*.*',
  'fields=data',
  'fields=json(data, pin),json(delta, hidden),json(data, doc.a)',
  'alias[x]=data&fields=x',
  `filter={"data":{"_json":{"pin":{"_contains":"${CANARY}"}}}}&fields=id`,
  `filter={"data":{"_json":{"hidden":{"_eq":"${CANARY}"}}}}&fields=id`,
  `filter={"delta":{"_json":{"code":{"_starts_with":"${CANARY}"}}}}&fields=id`,
  `filter={"json(data, doc.a)":{"_eq":"${CANARY}"}}&fields=id`,
  'sort=json(data, pin),id&fields=id',
  'sort=-json(data, hidden),id&fields=id',
  'groupBy=json(data, pin)&aggregate[count]=*',
  'groupBy=json(data, hidden)&aggregate[count]=*',
  `search=${CANARY}&fields=id`,
  'export=json&fields=id,data,delta',
  'limit=-1&fields=data,delta',
];

t.test('no clause reveals their values', async (t) => {
  const ask = async () => {
    const found: string[] = [];
    for (const path of ['/revisions', '/activity', `/revisions/${first}`]) {
      for (const clause of path === '/activity' ? ['fields=*.*,revisions.*'] : CLAUSES) {
        if (path !== '/revisions' && !clause.startsWith('fields')) continue;
        const query = clause.replace(/(filter=)(.*?)(&|$)/, (_, name, json, end) => {
          return `${name}${encodeURIComponent(json)}${end}`;
        });
        const { status, body } = await member.send('GET', `${path}?${query}`);
        found.push(`${path} ${clause}: ${status} ${JSON.stringify(body)}`);
      }
    }
    return found;
  };
  const before = await ask();
  for (const line of before) {
    t.match(line, /: (?:200|400|403) /);
    t.notMatch(line.replace(/^.*?: \d+/, '').replaceAll(`?search=${CANARY}`, ''), CANARY, line);
  }
  await cluster.db.query(`
    UPDATE system_revisions SET
      data = replace(replace(data::text, '${CANARY}', 'flipped' || id), '"flipped" ', '')::json,
      delta = replace(delta::text, '${CANARY}', 'flipped' || id)::json`);
  t.strictSame(await ask(), before, 'nor does anything depend on it');
});

t.test('reverting restores only visible values', async (t) => {
  await admin('PATCH', '/items/notes/1', { name: 'now', hidden: 'now', pin: 'now' });
  t.equal((await member.send('POST', `/utils/revert/${first}`)).status, 204);
  const { rows } = await cluster.db.query('SELECT name, hidden, pin FROM notes WHERE id = 1');
  t.strictSame(rows, [{ name: 'one', hidden: 'now', pin: 'now' }]);
  t.equal((await admin('POST', `/utils/revert/${first}`)).status, 204);
  const after = await cluster.db.query('SELECT hidden, pin FROM notes WHERE id = 1');
  t.match(after.rows[0], { hidden: /^flipped/, pin: 'now' });
});

t.test('a dropped field reveals nothing, even to a later one of its name', async (t) => {
  const secret = 'dropped secret';
  await cluster.db.query('CREATE TABLE drops (id int PRIMARY KEY, name text, sec text, open text)');
  await until(async () => (await cluster.fetch('/items/drops')).ok, 'the table is known');
  const other = await createMember(cluster, [
    read('system_revisions'),
    read('drops'),
    { collection: 'drops', action: 'update' },
  ]);
  const listing = await createMember(cluster, [
    read('system_revisions'),
    read('drops', { permissions: { id: { _gt: 0 } } }),
  ]);
  const item = { id: 1, name: 'one', sec: secret, open: secret };
  await admin('POST', '/items/drops', [item, { ...item, id: 2, sec: null }]);
  await admin('PATCH', '/items/drops/1', { sec: `${secret} 2` });
  const conceal = { meta: { special: 'conceal' } };
  t.equal((await admin('PATCH', '/fields/drops/sec', conceal)).status, 200);
  for (const field of ['sec', 'open']) {
    t.equal((await admin('DELETE', `/fields/drops/${field}`)).status, 204);
  }
  const clauses = [
    ...CLAUSES.map((clause) => clause.replaceAll('hidden', 'open').replaceAll(CANARY, secret)),
    'fields=json(data, sec),json(data, open),json(delta, sec)',
    'sort=-json(data, sec),id&fields=id',
    `filter={"data":{"_json":{"sec":{"_contains":"${secret}"}}}}&fields=id`,
    'groupBy=json(data, sec)&aggregate[count]=*',
  ];
  const quiet = async (send: Send, forbidden: RegExp, what: string) => {
    for (const clause of clauses) {
      const mine = clause.replace(/(filter=)(.*?)(&|$)/, (_, name, json, end) => {
        const both = `{"_and":[{"collection":{"_eq":"drops"}},${json}]}`;
        return `${name}${encodeURIComponent(both)}${end}`;
      });
      const one = mine.includes('filter=') ? mine : `${mine}&filter[collection]=drops`;
      const { status, body } = await send('GET', `/revisions?${one}`);
      t.notMatch(JSON.stringify(body), forbidden, `${what}: ${clause} ${status}`);
      if (clause.startsWith('filter') && status === 200) t.strictSame(body.data, [], clause);
    }
  };
  for (const { send } of [other, listing]) await quiet(send, /dropped secret/, 'dropped');
  const [created] = await revisionsOf(other.send, 'drops', '1');
  t.strictSame(
    [created.data, created.delta],
    [
      { id: 1, name: 'one' },
      { id: 1, name: 'one' },
    ],
  );
  const [all, , none] = [
    ...(await revisionsOf(admin, 'drops', '1')),
    ...(await revisionsOf(admin, 'drops', '2')),
  ];
  t.match(all.data, { sec: MASK, open: secret }, 'administrators see what is gone, not secrets');
  t.equal(none.data.sec, null);

  for (const field of ['sec', 'open']) {
    const made = await admin('POST', '/fields/drops', { field, type: 'string' });
    t.equal(made.status, 200);
  }
  const [again] = await revisionsOf(other.send, 'drops', '1');
  t.strictSame(Object.keys(again.data), ['id', 'name', 'sec', 'open'], 'a plain field is shown');
  t.equal(again.data.sec, MASK, 'what was concealed is not');
  const [, changed] = await revisionsOf(admin, 'drops', '1');
  t.strictSame(changed.delta, { sec: MASK });
  t.equal((await other.send('POST', `/utils/revert/${again.id}`)).status, 204);
  const { rows } = await cluster.db.query('SELECT sec, open FROM drops WHERE id = 1');
  t.strictSame(rows, [{ sec: null, open: secret }], 'a mask is no value to go back to');
});
