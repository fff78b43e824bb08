// @slow

// A secret is hashed or refused, whatever its JSON type and whatever the door it comes by: its
// text is found in no table, no answer and no log afterwards.
import t from 'tap';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { createMember, sendAs } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';
import { upload } from '#tests/harness/upload.ts';

let cluster: Cluster;
const answers: string[] = [];

async function admin(method: string, path: string, body?: unknown) {
  const answer = await sendAs(cluster, ADMIN_TOKEN, method, path, body);
  answers.push(`${method} ${path} ${JSON.stringify(answer.body)}`);
  return answer;
}

/** Part of each value that is planted; digits, so that it may stand in a number. */
const CANARY = '90817263';

/** One value of each type of JSON that is no text, each with the canary in it. */
const VALUES: readonly unknown[] = [
  Number(`${CANARY}1`),
  Number(`${CANARY}2.5`),
  [`${CANARY}3`],
  [Number(`${CANARY}4`)],
  { secret: `${CANARY}5` },
  { type: 'Buffer', data: [1] },
  true,
  false,
  0,
];

async function tables(): Promise<string[]> {
  const { rows } = await cluster.db.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  return rows.map(({ name }) => name);
}

/** The tables with a row in which a text stands. */
async function tablesWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await tables()) {
    const { rows } = await cluster.db.query<{ row: string }>(
      `SELECT x::text AS row FROM ${name} AS x WHERE position($1 in x::text) > 0`,
      [text],
    );
    found.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  return found;
}

/** The limits of what costs a hash, which many refusals in a row would meet. */
const UNLIMITED = {
  RATE_LIMIT_LOGIN_ENABLED: 'false',
  RATE_LIMIT_REGISTRATION_ENABLED: 'false',
};

/** Brings the fields of the installation to what their descriptions are made into. */
async function applied(change: (field: { field: string; meta: object | null }) => void) {
  const snapshot = (await admin('GET', '/schema/snapshot')).body.data;
  for (const field of snapshot.fields) change(field);
  const diff = await admin('POST', '/schema/diff?force', snapshot);
  return diff.status === 200 ? admin('POST', '/schema/apply', diff.body.data) : diff;
}

t.before(async () => {
  cluster = await startCluster(t, { workers: 1, env: UNLIMITED });
  await cluster.db.query(`
    CREATE TABLE vaults (id int PRIMARY KEY, name text);
    CREATE TABLE safes (id int PRIMARY KEY, name text, vault int REFERENCES vaults,
      pin varchar(255), code text, note varchar(20));
    INSERT INTO vaults VALUES (1, 'one');
    INSERT INTO safes (id, name, vault) VALUES (1, 'one', 1), (2, 'two', 1);
    INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
      VALUES ('safes', 'vault', 'vaults', 'safes');
    INSERT INTO system_fields (collection, field, special) VALUES ('vaults', 'safes', 'o2m'),
      ('safes', 'pin', 'hash'), ('safes', 'code', 'cast-json,hash'), ('safes', 'note', 'conceal');`);
  await until(async () => (await cluster.fetch('/items/vaults?fields=safes.pin')).ok, 'known');
});

t.test('what is no text is refused by every door', async (t) => {
  let id = 100;
  const doors: Record<string, (field: string, value: unknown) => Promise<{ status: number }>> = {
    create: (field, value) => admin('POST', '/items/safes', { id: ++id, [field]: value }),
    batch: (field, value) =>
      admin('POST', '/items/safes', [{ id: ++id }, { id: ++id, [field]: value }]),
    update: (field, value) => admin('PATCH', '/items/safes/1', { [field]: value }),
    'many by key': (field, value) =>
      admin('PATCH', '/items/safes', { keys: [1, 2], data: { [field]: value } }),
    'each of many': (field, value) =>
      admin('PATCH', '/items/safes', [{ id: 1 }, { id: 2, [field]: value }]),
    'by query': (field, value) =>
      admin('PATCH', '/items/safes', {
        query: { filter: { id: { _lt: 3 } } },
        data: { [field]: value },
      }),
    'nested list': (field, value) =>
      admin('PATCH', '/items/vaults/1', { safes: { create: [{ id: ++id, [field]: value }] } }),
    'nested update': (field, value) =>
      admin('PATCH', '/items/vaults/1', { safes: { update: [{ id: 1, [field]: value }] } }),
  };
  for (const [door, send] of Object.entries(doors)) {
    for (const field of ['pin', 'code']) {
      for (const value of VALUES) {
        const { status } = await send(field, value);
        t.equal(status, 400, `${door} ${field} ${JSON.stringify(value)}`);
      }
    }
    t.equal((await send('pin', `${CANARY}6`)).status, 200, `${door} of a text`);
  }
  const { rows } = await cluster.db.query(
    'SELECT DISTINCT left(pin, 10) AS start FROM safes WHERE pin IS NOT NULL',
  );
  t.strictSame(rows, [{ start: '$argon2id$' }]);
});

t.test('presets that are no texts are no secrets either', async (t) => {
  for (const action of ['create', 'update'] as const) {
    const member = await createMember(cluster, [
      { collection: 'safes', action: 'read' },
      { collection: 'safes', action, presets: { pin: 55_443_322 } },
    ]);
    const [method, path] = action === 'create' ? ['POST', ''] : ['PATCH', '/1'];
    const body = action === 'create' ? { id: 900 } : { name: 'x' };
    const { code } = await member.send(method, `/items/safes${path}`, body);
    t.equal(code, 'INVALID_PAYLOAD', action);
  }
});

t.test('passwords and tokens of users are texts, and meet the policy', async (t) => {
  await admin('PATCH', '/settings', { auth_password_policy: '/^.{12,}$/' });
  const email = () => `u${++count}@example.com`;
  let count = 0;
  const { body } = await admin('POST', '/users', { email: email() });
  const user = body.data.id;
  const role = (await admin('POST', '/roles', { name: 'some' })).body.data.id;
  const doors: Record<string, (member: object) => Promise<{ status: number }>> = {
    create: (member) => admin('POST', '/users', { email: email(), ...member }),
    update: (member) => admin('PATCH', `/users/${user}`, member),
    'many by key': (member) => admin('PATCH', '/users', { keys: [user], data: member }),
    'each of many': (member) => admin('PATCH', '/users', [{ id: user, ...member }]),
    me: (member) => admin('PATCH', '/users/me', member),
    nested: (member) =>
      admin('PATCH', `/roles/${role}`, { users: { create: [{ email: email(), ...member }] } }),
  };
  for (const [door, send] of Object.entries(doors)) {
    for (const value of VALUES) {
      const shown = JSON.stringify(value);
      t.equal((await send({ password: value })).status, 400, `${door} password ${shown}`);
      t.equal((await send({ token: value })).status, 400, `${door} token ${shown}`);
    }
    t.equal((await send({ password: `${CANARY}7` })).status, 400, `${door} short`);
  }
  t.equal((await doors.update?.({ password: `${CANARY}8 is long enough` }))?.status, 200);
  t.equal((await doors.update?.({ token: `${CANARY}9 is a token` }))?.status, 200);
  for (const [path, member] of [
    ['/users/register', { email: email() }],
    ['/users/invite/accept', { token: 'x' }],
    ['/auth/password/reset', { token: 'x' }],
    ['/utils/hash/verify', { hash: 'x' }],
    ['/utils/hash/generate', {}],
  ] as const) {
    for (const value of VALUES) {
      const { status } = await admin('POST', path, { ...member, password: value, string: value });
      t.equal(status, 400, `${path} ${JSON.stringify(value)}`);
    }
  }
});

t.test('files bring texts as secrets, and no masks in place of values', async (t) => {
  const json = (rows: unknown) =>
    upload(cluster, 'safes', JSON.stringify(rows), { name: 'a.json', type: 'application/json' });
  let id = 300;
  for (const field of ['pin', 'code']) {
    for (const value of [...VALUES, '']) {
      for (const key of [1, ++id]) {
        const refused = await json([{ id: key, [field]: value }]);
        answers.push(await refused.text());
        t.equal(refused.status, 400, `${field} ${JSON.stringify(value)}`);
      }
    }
    const secrets = [`${CANARY}10`, `${CANARY}11`, `${CANARY}12`];
    t.equal((await json([{ id: ++id, [field]: secrets[0] }])).status, 200);
    const csv = `id,${field}\n${++id},${secrets[1]}\n`;
    t.equal((await upload(cluster, 'safes', csv)).status, 200);
    const posted = { id: ++id, [field]: secrets[2] };
    t.ok((await admin('POST', '/items/safes', posted)).status < 300);
    // The field with the flag of JSON stores a text as JSON, as it does for POST.
    const { rows } = await cluster.db.query<{ stored: string }>(
      `SELECT btrim(${field}, '"') AS stored FROM safes WHERE id > 300 AND ${field} IS NOT NULL ORDER BY id`,
    );
    for (const [index, { stored }] of rows.entries()) {
      const hashed = { string: secrets[index], hash: stored };
      const verified = await admin('POST', '/utils/hash/verify', hashed);
      t.equal(verified.body.data, true, 'what is stored is the hash of the text');
    }
    t.equal(rows.length, 3);
    const forms = await cluster.db.query(
      `SELECT DISTINCT left(${field}, 8) FROM safes WHERE id > 300 AND ${field} IS NOT NULL`,
    );
    t.equal(forms.rows.length, 1, 'in the form in which POST stores it');
  }
  await cluster.db.query("UPDATE safes SET note = 'kept' WHERE id = 1");
  t.equal((await upload(cluster, 'safes', 'id,note\n1,**********\n')).status, 200);
  t.equal(
    (
      await json([
        { id: 1, note: '**********' },
        { id: 400, note: '**********' },
      ])
    ).status,
    200,
  );
  const { rows } = await cluster.db.query(
    'SELECT id, note FROM safes WHERE id IN (1, 400) ORDER BY id',
  );
  t.strictSame(rows, [
    { id: 1, note: 'kept' },
    { id: 400, note: null },
  ]);
});

t.test('a value that does not fit a concealed field is not repeated', async (t) => {
  const long = `${CANARY} and much more than fits`;
  const api = await admin('PATCH', '/items/safes/1', { note: long });
  t.equal(api.code, 'VALUE_TOO_LONG');
  const csv = await upload(cluster, 'safes', `id,note\n1,${long}\n`);
  answers.push(await csv.text());
  t.equal(csv.status, 400);
  const json = [{ id: 1, note: { secret: CANARY } }];
  const shape = await upload(cluster, 'safes', JSON.stringify(json), {
    name: 'a.json',
    type: 'application/json',
  });
  answers.push(await shape.text());
  t.equal(shape.status, 400);
});

t.test('no field of hashes has a default, which would not be hashed', async (t) => {
  const secret = { default_value: 'an open secret' };
  for (const [method, path, body] of [
    ['POST', '/fields/safes', { field: 'a', type: 'hash', schema: secret }],
    [
      'POST',
      '/fields/safes',
      { field: 'a', type: 'string', schema: secret, meta: { special: 'hash' } },
    ],
    ['PATCH', '/fields/safes/pin', { schema: secret }],
    ['PATCH', '/fields/safes', [{ field: 'pin', schema: secret }]],
    [
      'POST',
      '/collections',
      { collection: 'made', schema: {}, fields: [{ field: 'a', type: 'hash', schema: secret }] },
    ],
  ] as const) {
    const { status, code } = await admin(method, path, body);
    t.strictSame([status, code], [400, 'INVALID_PAYLOAD'], `${method} ${path}`);
  }
  const plain = { field: 'b', type: 'string', schema: { default_value: 'open' } };
  t.equal((await admin('POST', '/fields/safes', plain)).status, 200);
  t.equal((await admin('PATCH', '/fields/safes/b', { meta: { special: 'hash' } })).status, 400);
  t.equal((await admin('PATCH', '/fields/safes/b', { type: 'hash' })).status, 400);
  const { status } = await applied((field) => {
    if (field.field === 'b') field.meta = { ...field.meta, special: 'hash' };
  });
  t.equal(status, 400);
  const sound = { schema: { default_value: null }, meta: { special: 'hash' } };
  t.equal((await admin('PATCH', '/fields/safes/b', sound)).status, 200);
});

t.test('no field promises to encrypt', async (t) => {
  for (const special of ['encrypt', ['conceal', 'encrypt'], ' encrypt ,json', 'Encrypt']) {
    const meta = { special };
    const field = { field: 'c', type: 'string', meta };
    for (const [method, path, body] of [
      ['POST', '/fields/safes', field],
      ['PATCH', '/fields/safes/name', { meta }],
      ['PATCH', '/fields/safes', [{ field: 'name', meta }]],
      ['POST', '/collections', { collection: 'made', schema: {}, fields: [field] }],
      ['POST', '/collections', [{ collection: 'made', fields: [field] }]],
    ] as const) {
      const { status, code, body: answer } = await admin(method, path, body);
      t.strictSame([status, code], [400, 'INVALID_PAYLOAD'], `${method} ${path}`);
      t.match(answer.errors[0].extensions.reason, /lost key/);
    }
  }
  const { status, body } = await applied((field) => {
    if (field.field === 'name') field.meta = { ...field.meta, special: 'encrypt' };
  });
  t.equal(status, 400);
  t.match(body.errors[0].extensions.reason, /lost key/);
  // One that is there already, as after an upgrade, is no secret to those who run the installation.
  await cluster.db.query(
    "INSERT INTO system_fields (collection, field, special) VALUES ('vaults', 'name', 'encrypt')",
  );
  await until(async () => {
    const health = await admin('GET', '/server/health');
    return JSON.stringify(health.body).includes('vaults.name has the flag encrypt');
  }, 'health tells of it');
});

t.test('no canary is found anywhere', async (t) => {
  t.strictSame(
    answers.filter((answer) => answer.includes(CANARY)),
    [],
  );
  t.strictSame(await tablesWith(CANARY), []);
  for (const member of [...cluster.edges, ...cluster.workers]) {
    t.notMatch(member.output(), CANARY);
  }
});
