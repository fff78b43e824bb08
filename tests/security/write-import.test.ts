// @slow

import t from 'tap';
import { type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { createMember, type GivenPermission, type MemberUser } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

let cluster: Cluster;

const may = (
  action: GivenPermission['action'],
  more: Partial<GivenPermission> = {},
): GivenPermission => ({ collection: 'things', action, ...more });

async function importAs(member: MemberUser, csv: string, collection = 'things') {
  const form = new FormData();
  form.append('file', new Blob([csv], { type: 'text/csv' }), 'a.csv');
  const { status, body } = await member.upload(`/utils/import/${collection}`, form);
  return [status, body?.errors?.[0]?.extensions.code];
}

async function rows() {
  return (await cluster.db.query('SELECT id, name, hidden FROM things ORDER BY id')).rows;
}

t.before(async () => {
  cluster = await startCluster(t, { workers: 1 });
  await cluster.db.query(`
    CREATE TABLE things (id int PRIMARY KEY, name text, hidden text);
    INSERT INTO things VALUES (1, 'one', 'secret');`);
  await until(async () => (await cluster.fetch('/items/things')).ok, 'the table is known');
});

/** Puts the one row back. */
async function reset() {
  await cluster.db.query("TRUNCATE things; INSERT INTO things VALUES (1, 'one', 'secret')");
}

const ALL = [may('create'), may('update'), may('read')];
const KNOWN = { fields: ['id', 'name'] };

t.test('a row is refused where PATCH or POST refuses it', async (t) => {
  const cases: Record<string, GivenPermission[]> = {
    all: ALL,
    nothing: [may('read')],
    'no creation': [may('update'), may('read')],
    'no update': [may('create'), may('read')],
    'no reading': [may('create'), may('update')],
    'update of others': [may('create'), may('update', { permissions: { id: { _gt: 100 } } })],
    'update of this one': [may('create'), may('update', { permissions: { name: { _eq: 'one' } } })],
    'name is not for creation': [may('create', { fields: ['id'] }), may('update'), may('read')],
    'name is for others alone': [
      may('create'),
      may('update', { fields: ['id', 'hidden'] }),
      may('update', { ...KNOWN, permissions: { id: { _gt: 1 } } }),
    ],
    'validation of new items': [...ALL, may('create', { validation: { name: { _eq: 'x' } } })],
    'validation of changes': [...ALL, may('update', { validation: { name: { _eq: 'x' } } })],
    presets: [
      may('create', { presets: { hidden: 'new' } }),
      may('update', { presets: { hidden: 'changed', name: 'other' } }),
    ],
  };
  for (const [name, permissions] of Object.entries(cases)) {
    const member = await createMember(cluster, permissions);
    const outcomes = [];
    await reset();
    const patched = await member.send('PATCH', '/items/things/1', { name: 'mine' });
    const posted = await member.send('POST', '/items/things', { id: 2, name: 'mine' });
    outcomes.push([patched.code, posted.code, await rows()]);
    await reset();
    const [, changed] = await importAs(member, 'id,name\n1,mine\n');
    const [, created] = await importAs(member, 'id,name\n2,mine\n');
    outcomes.push([changed, created, await rows()]);
    t.strictSame(outcomes[1], outcomes[0], name);
  }
  const member = await createMember(cluster, ALL);
  t.strictSame(await importAs(member, 'id\n1\n', 'system_users'), [403, 'FORBIDDEN']);
  t.strictSame(await importAs(member, 'id\n1\n', 'nothing'), [403, 'FORBIDDEN']);
});

t.test('a column that no permission covers is unknown', async (t) => {
  await reset();
  const permissions = [may('create', KNOWN), may('update', KNOWN), may('read')];
  const member = await createMember(cluster, permissions);
  for (const column of ['hidden', 'missing']) {
    const refused = await importAs(member, `id,${column}\n1,guess\n`);
    t.strictSame(refused, [400, 'INVALID_PAYLOAD'], column);
  }
});

t.test('an import reveals no unreadable data', async (t) => {
  for (const [name, reading] of Object.entries({
    nothing: [],
    'other fields': [may('read', KNOWN)],
    'other items': [may('read', { permissions: { id: { _gt: 100 } } })],
  })) {
    await reset();
    const member = await createMember(cluster, [may('create'), may('update'), ...reading]);
    const counts = [];
    for (const guess of ['wrong', 'secret']) {
      await reset();
      const form = new FormData();
      form.append('file', new Blob([`id,hidden\n1,${guess}\n`], { type: 'text/csv' }), 'a.csv');
      t.equal((await member.upload('/utils/import/things', form)).status, 200, name);
      const { rows } = await cluster.db.query(
        `SELECT result FROM system_jobs WHERE "user" = '${member.id}' ORDER BY created_on DESC LIMIT 1`,
      );
      counts.push(rows[0]);
    }
    t.strictSame(counts[0], counts[1], name);
  }
});

type Row = Readonly<Record<string, number | string | null>>;

const all = (collection: string, more: Partial<GivenPermission> = {}): GivenPermission[] =>
  (['create', 'update', 'read'] as const).map((action) => ({ collection, action, ...more }));

const READ_SOME: GivenPermission[] = [
  {
    collection: 'owners',
    action: 'read',
    permissions: { _or: [{ keeper: '$CURRENT_USER' }, { notes: { text: 'open' } }] },
  },
  { collection: 'areas', action: 'read', permissions: { keeper: { _eq: '$CURRENT_USER' } } },
];

const FORMATS = {
  csv(rows: readonly Row[]): Blob {
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const lines = rows.map((row) => names.map((name) => (name in row ? String(row[name]) : '')));
    return new Blob([[names, ...lines].map((line) => line.join(',')).join('\n')], {
      type: 'text/csv',
    });
  },
  json(rows: readonly Row[]): Blob {
    return new Blob([JSON.stringify(rows)], { type: 'application/json' });
  },
};

type Format = keyof typeof FORMATS;

async function importTasks(who: MemberUser, format: Format, rows: readonly Row[]) {
  const form = new FormData();
  form.append('file', FORMATS[format](rows), `a.${format}`);
  const { status, body } = await who.upload('/utils/import/tasks', form);
  return { status, errors: body?.errors ?? [] };
}

interface WireError {
  readonly extensions: Readonly<Record<string, unknown>>;
}

function faults(errors: readonly WireError[]) {
  return errors.map(({ extensions: { code, row, field, value, reason } }) => ({
    ...{ code, row, field, value, reason },
  }));
}

let member: MemberUser;

t.test('an import does not reveal which items exist', async (t) => {
  await cluster.db.query(`CREATE TABLE numbered (
      id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, code text UNIQUE, name text, mine boolean);
    INSERT INTO numbered (code, name, mine) SELECT n, n, n = 1 FROM generate_series(1, 3) AS n`);
  await until(async () => (await cluster.fetch('/items/numbered')).ok, 'the table is known');
  const mine = { collection: 'numbered', permissions: { mine: { _eq: true } } } as const;
  const fields = ['id', 'code', 'name'];
  const updating = [{ ...mine, action: 'update', fields } as const];
  const creating = { collection: 'numbered', action: 'create' } as const;
  for (const [name, permissions] of Object.entries({
    'reads and updates': [...updating, { ...mine, action: 'read' } as const],
    'creates without a key': [...updating, { ...creating, fields: ['name'] }],
    'creates with a key': [...updating, creating],
  })) {
    const member = await createMember(cluster, permissions);
    for (const query of ['mode=update', 'mode=update&match=code', 'on_error=skip', 'dry_run']) {
      const isMatch = query.includes('match');
      if (isMatch && name === 'creates with a key') continue;
      const form = new FormData();
      const csv = `${isMatch ? 'code' : 'id'},name\n3,mine\n99,mine\n`;
      form.append('file', new Blob([csv], { type: 'text/csv' }), 'a.csv');
      await member.upload(`/utils/import/numbered?${query}`, form);
      const [job] = (await member.send('GET', '/jobs?limit=1')).body.data;
      const report = await (await cluster.fetch(`/jobs/${job.id}/errors`)).text();
      const [hidden, missing, ...more] = report
        .split('\n')
        .slice(1, -1)
        .map((line) => line.replace(/^[12],/, '').replace(/,[23],"(3|99),mine"(?=,)/, ''));
      t.match(hidden, 'FORBIDDEN', `${name}, ${query}`);
      t.strictSame([missing, more], [hidden, []], `${name}, ${query}`);
    }
  }
});

t.test('an anonymous caller gets the confirmation of an import', async (t) => {
  await cluster.db.query(`INSERT INTO system_permissions (policy, collection, action, fields)
    SELECT policy, 'things', 'create', '*' FROM system_access WHERE role IS NULL AND "user" IS NULL`);
  const send = async () => {
    const body = new FormData();
    body.append('file', new Blob(['id\n70\n'], { type: 'text/csv' }), 'a.csv');
    const path = `${cluster.url}/utils/import/things`;
    return await fetch(path, { method: 'POST', body, headers: { prefer: 'respond-async' } });
  };
  let answer = await send();
  await until(async () => {
    if (answer.status === 403) answer = await send();
    return answer.status !== 403;
  }, 'the permission is known');
  const { data } = JSON.parse(await answer.text());
  t.strictSame([answer.status, answer.headers.get('location')], [202, `/jobs/${data.id}`]);
  t.equal((await fetch(`${cluster.url}/jobs/${data.id}`)).status, 403, 'jobs are for users');
});

t.test('members may read some of the items that tasks refer to', async () => {
  await cluster.db.query(`
    CREATE TABLE owners (id int PRIMARY KEY, keeper uuid);
    CREATE TABLE notes (id int PRIMARY KEY, owner int REFERENCES owners, text text);
    CREATE TABLE areas (a int, b text, keeper uuid, PRIMARY KEY (a, b));
    CREATE TABLE secrets (id int PRIMARY KEY);
    CREATE TABLE tasks (id int PRIMARY KEY, name text, owner int REFERENCES owners,
      checker int DEFAULT 3 REFERENCES owners, a int, b text DEFAULT 'x', secret int REFERENCES secrets,
      parent int REFERENCES tasks, FOREIGN KEY (a, b) REFERENCES areas);`);
  await until(async () => (await cluster.fetch('/items/tasks')).ok, 'the tables are known');
  member = await createMember(cluster, [...all('tasks'), ...READ_SOME]);
  await cluster.db.query(
    `INSERT INTO owners VALUES (1, '${member.id}'), (2, NULL), (3, NULL), (4, NULL);
     INSERT INTO notes VALUES (1, 4, 'open'), (2, 3, 'closed');
     INSERT INTO areas VALUES (1, 'x', '${member.id}'), (2, 'x', NULL), (2, 'y', '${member.id}');
     INSERT INTO secrets VALUES (1);`,
  );
});

/** 1 and 4 are readable, 2 and 3 are hidden, 9 is missing. */
const CREATED: readonly Row[] = [
  { name: 'readable', owner: 1 },
  { name: 'readable by a list', owner: 4 },
  { name: 'hidden', owner: 2 },
  { name: 'missing', owner: 9 },
  { name: 'null', owner: null },
  { name: 'none' },
  { name: 'second hidden', owner: 1, checker: 2 },
  { name: 'second readable', owner: 1, checker: 4 },
  { name: 'area', a: 1, b: 'x' },
  { name: 'area hidden', a: 2, b: 'x' },
  { name: 'area missing', a: 3, b: 'x' },
  { name: 'other area', a: 2, b: 'y' },
  { name: 'half an area', a: null, b: 'x' },
  { name: 'unreadable collection', secret: 1 },
  { name: 'null of an unreadable collection', secret: null },
];

t.test('a new row is accepted by an import where POST accepts it', async (t) => {
  for (const row of CREATED) {
    const given = { id: 1, ...row };
    const posted = await member.send('POST', '/items/tasks', given);
    await cluster.db.query('DELETE FROM tasks');
    for (const format of ['csv', 'json'] as const) {
      const { status, errors } = await importTasks(member, format, [given]);
      const { rowCount } = await cluster.db.query('DELETE FROM tasks');
      const name = `${row.name} as ${format}`;
      t.equal(rowCount === 1, posted.status === 200, name);
      t.equal(status === 200, posted.status === 200, name);
      t.match(faults(errors), posted.status === 200 ? [] : [{ code: posted.code, row: 1 }], name);
    }
  }
});

t.test('a change is accepted by an import where PATCH accepts it', async (t) => {
  const fill = () =>
    cluster.db.query(`INSERT INTO tasks (id, name, owner, a, b) VALUES (1, 'old', 2, 2, 'x')`);
  const changes: readonly Row[] = [
    { name: 'unnamed' },
    { name: 'same', owner: 2 },
    { name: 'readable', owner: 1 },
    { name: 'half', b: 'y' },
    { name: 'other half', a: 1 },
    { name: 'half to nothing', a: 3 },
  ];
  for (const change of changes) {
    await fill();
    const patched = await member.send('PATCH', '/items/tasks/1', change);
    const { rows: expected } = await cluster.db.query('DELETE FROM tasks RETURNING *');
    for (const format of ['csv', 'json'] as const) {
      await fill();
      const { status } = await importTasks(member, format, [{ id: 1, ...change }]);
      const { rows } = await cluster.db.query('DELETE FROM tasks RETURNING *');
      t.equal(status === 200, patched.status === 200, `${change.name} as ${format}`);
      t.strictSame(rows, expected, `${change.name} as ${format}`);
    }
  }
});

t.test('all refused rows of a file are named, hidden and missing keys alike', async (t) => {
  const rows = CREATED.map((row, index): Row => ({ id: index + 1, ...row }));
  const refused = rows.filter(({ name }) => /hidden|missing|^unreadable/.test(String(name)));
  const kept = rows.filter((row) => !refused.includes(row));
  for (const format of ['csv', 'json'] as const) {
    const { status, errors } = await importTasks(member, format, rows);
    t.equal(status, 403, format);
    const reported = faults(errors);
    t.strictSame(
      reported.map(({ row }) => row),
      refused.map(({ id }) => id),
    );
    t.strictSame(
      reported.map(({ field }) => field),
      ['owner', 'owner', 'checker', 'a,b', 'a,b', 'secret'],
    );
    t.equal(new Set(reported.map(({ code, reason }) => `${code} ${reason}`)).size, 1);
    t.strictSame(
      reported.slice(0, 2).map(({ value }) => value),
      ['2', '9'],
    );
    const { status: good } = await importTasks(member, format, kept);
    t.equal(good, 200, format);
    const { rowCount } = await cluster.db.query('DELETE FROM tasks');
    t.equal(rowCount, kept.length, format);
  }
});

t.test('with other faults too, hidden and missing keys get the same error', async (t) => {
  await cluster.db.query('CREATE UNIQUE INDEX IF NOT EXISTS names ON tasks (name)');
  const others: readonly Row[][] = [
    [{ id: 2, name: 'other', owner: 1, checker: 1, parent: 77 }],
    [{ id: 2, name: 'one', owner: 1 }],
    [{ id: 2, name: 'other', a: 'no number' }],
  ];
  for (const rest of others) {
    const answers = [];
    for (const owner of [2, 9]) {
      const { errors } = await importTasks(member, 'json', [
        { id: 1, name: 'one', owner },
        ...rest,
      ]);
      answers.push(faults(errors).map(({ value: _, ...fault }) => fault));
    }
    t.strictSame(answers[0], answers[1]);
    t.match(answers[0], [{ row: 1, field: 'owner' }]);
  }
});

t.test('a member with permission for all items needs no checks of rows', async (t) => {
  const reader = await createMember(cluster, [
    ...all('tasks'),
    { collection: 'owners', action: 'read' },
  ]);
  for (const format of ['csv', 'json'] as const) {
    const good = await importTasks(reader, format, [{ id: 1, name: 'a', owner: 2 }]);
    t.equal(good.status, 200, format);
    const bad = await importTasks(reader, format, [{ id: 2, name: 'b', owner: 9 }]);
    t.match(faults(bad.errors), [{ code: 'FORBIDDEN', row: 1, field: 'owner' }]);
    await cluster.db.query('DELETE FROM tasks');
  }
});

t.test('related items of a row are refused where POST refuses them', async (t) => {
  await cluster.db.query(`
    CREATE TABLE writers (id serial PRIMARY KEY, name text, secret text, owner uuid
      REFERENCES system_users);
    CREATE TABLE texts (id serial PRIMARY KEY, title text, writer int REFERENCES writers);
    INSERT INTO writers (name, secret) VALUES ('seen', 'a'), ('hidden', 'b');
    INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
      VALUES ('texts', 'writer', 'writers', 'texts')`);
  await until(async () => (await cluster.fetch('/items/writers?fields=texts')).ok, 'relations');
  const on = (
    collection: string,
    action: GivenPermission['action'],
    more: Partial<GivenPermission> = {},
  ): GivenPermission => ({ collection, action, ...more });
  const texts = [on('texts', 'create'), on('texts', 'read')];
  const seen = on('writers', 'read', { permissions: { name: { _neq: 'hidden' } } });
  const rights: Record<string, GivenPermission[]> = {
    'no writers': texts,
    'readers of writers': [...texts, seen],
    'authors of writers': [...texts, seen, on('writers', 'create', { fields: ['name'] })],
    'validated authors': [
      ...[...texts, seen],
      on('writers', 'create', { validation: { name: { _starts_with: 'ok' } } }),
    ],
    'editors of writers': [
      ...[...texts, seen],
      on('writers', 'update', { fields: ['name'], permissions: { id: { _lt: 3 } } }),
    ],
    'all of writers': [
      ...texts,
      ...(['create', 'update', 'read'] as const).map((one) => on('writers', one)),
    ],
  };
  const payloads = [
    { title: 'a', writer: { name: 'ok new' } },
    { title: 'a', writer: { name: 'new' } },
    { title: 'a', writer: { name: 'ok', secret: 's' } },
    { title: 'a', writer: { id: 1, name: 'ok changed' } },
    { title: 'a', writer: { id: 2, name: 'ok changed' } },
    { title: 'a', writer: { id: 1, secret: 's' } },
    { title: 'a', writer: { id: 1 } },
    { title: 'a', writer: { id: 2 } },
    { title: 'a', writer: { id: 77, name: 'ok' } },
    { title: 'a', writer: { owner: { email: 'x@example.com' } } },
  ];
  const state = async () =>
    (
      await cluster.db.query(`SELECT t.title, w.name, w.secret FROM texts t
        FULL JOIN writers w ON w.id = t.writer ORDER BY w.id, t.id`)
    ).rows;
  const outcome = async (send: () => Promise<string | undefined>) => {
    await cluster.db.query(`TRUNCATE writers, texts RESTART IDENTITY;
      INSERT INTO writers (name, secret) VALUES ('seen', 'a'), ('hidden', 'b')`);
    return { code: await send(), rows: await state() };
  };
  for (const [name, permissions] of Object.entries(rights)) {
    const member = await createMember(cluster, permissions);
    for (const payload of payloads) {
      const posted = await outcome(
        async () => (await member.send('POST', '/items/texts', payload)).code,
      );
      const imported = await outcome(async () => {
        const form = new FormData();
        form.append('file', new Blob([JSON.stringify([payload])]), 'a.json');
        const { body } = await member.upload('/utils/import/texts', form);
        return body?.errors?.[0]?.extensions.code;
      });
      // To a caller who may not know the writers the field is a plain one, and a value that does not fit
      // such a field has a code of its own in a file.
      const isPlain = name === 'no writers';
      if (isPlain) t.equal(posted.code, 'INVALID_PAYLOAD');
      const expected = isPlain ? { ...posted, code: 'FAILED_VALIDATION' } : posted;
      t.strictSame(imported, expected, `${name}: ${JSON.stringify(payload)}`);
    }
  }
  const form = new FormData();
  const users = [{ title: 'a', writer: { owner: { email: 'x@example.com' } } }];
  form.append('file', new Blob([JSON.stringify(users)]), 'a.json');
  const answer = await cluster.fetch('/utils/import/texts', { method: 'POST', body: form });
  t.equal(answer.status, 422, 'no file makes users, not even that of an administrator');
  const found = await cluster.db.query("SELECT FROM system_users WHERE email = 'x@example.com'");
  t.equal(found.rowCount, 0);
});
