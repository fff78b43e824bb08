// What an error says of the place that is at fault: field, index in a list, path within nested
// items, parameter of a query.
import t from 'tap';
import { type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

let cluster: Cluster;

t.before(async () => {
  cluster = await startCluster(t);
  await cluster.db.query(`
    CREATE SCHEMA types;
    CREATE DOMAIN types."E-Mail" AS text CHECK (VALUE LIKE '%@%');
    CREATE TABLE teams (id int PRIMARY KEY, name text);
    CREATE TABLE people (
      id serial PRIMARY KEY,
      email text,
      contact types."E-Mail",
      "Age" int CHECK ("Age" >= 0),
      born date,
      leaves date,
      team int REFERENCES teams,
      CONSTRAINT sane CHECK (leaves > born)
    );
    CREATE UNIQUE INDEX people_email ON people (lower(email::text));
    CREATE TABLE memberships (team int REFERENCES teams, person int, PRIMARY KEY (team, person));
    CREATE TABLE dated (id int, day date NOT NULL, price int, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
    CREATE TABLE dated_2024 PARTITION OF dated FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
    INSERT INTO teams VALUES (1, 'one');
    INSERT INTO people (email, team) VALUES ('Ann@example.com', 1);
    INSERT INTO memberships VALUES (1, 22);`);
  await until(async () => (await cluster.fetch('/items/dated')).ok, 'the tables are known');
});

async function send(method: string, path: string, body?: unknown) {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const response = await cluster.fetch(path, init);
  const text = await response.text();
  const answer = text === '' ? null : JSON.parse(text);
  return { status: response.status, answer, details: answer?.errors?.[0]?.extensions };
}

t.test('the field behind an index, a check and a domain', async (t) => {
  const unique = await send('POST', '/items/people', { email: 'ANN@example.com' });
  t.match(unique.details, {
    code: 'RECORD_NOT_UNIQUE',
    collection: 'people',
    field: 'email',
    value: 'ann@example.com',
  });
  const checked = await send('POST', '/items/people', { email: 'b', Age: -1 });
  t.match(checked.details, { code: 'FAILED_VALIDATION', field: 'Age', value: -1 });
  const both = { born: '2024-01-02', leaves: '2024-01-01' };
  t.match((await send('POST', '/items/people', both)).details, {
    code: 'FAILED_VALIDATION',
    field: 'born,leaves',
    constraint: 'sane',
  });
  t.match((await send('PATCH', '/items/people/1', both)).details, { field: 'born,leaves' });
  const domain = await send('POST', '/items/people', { email: 'c', contact: 'nobody' });
  t.match(domain.details, { code: 'FAILED_VALIDATION', field: 'contact', value: 'nobody' });
});

t.test('the index of the item in a list', async (t) => {
  const list = async (items: object[], method = 'POST') =>
    (await send(method, '/items/people', items)).details;
  t.match(await list([{ email: 'x' }, { email: 'y' }, { email: 'ann@example.com' }]), {
    code: 'RECORD_NOT_UNIQUE',
    index: 2,
    field: 'email',
  });
  t.match(await list([{ email: 'x' }, { email: 'y' }, { email: 'X' }]), { index: 2 });
  t.match(await list([{ email: 'x' }, { email: 'y', Age: -5 }]), { index: 1, field: 'Age' });
  t.match(
    await list([
      { email: 'x', contact: 'a@b' },
      { email: 'y', contact: 'b' },
    ]),
    {
      field: 'contact',
    },
  );
  t.match(await list([{ team: 1 }, { team: 99 }]), {
    code: 'INVALID_FOREIGN_KEY',
    index: 1,
    field: 'team',
  });
  t.match(await list([{ Age: 1 }, { Age: 'x' }]), { index: 1, field: 'Age' });
  t.match(
    await list(
      [
        { id: 1, Age: 1 },
        { id: 1, Age: -5 },
      ],
      'PATCH',
    ),
    { field: 'Age' },
  );
});

t.test('the path of a nested item', async (t) => {
  const nested = await send('POST', '/items/teams', [
    { id: 5, name: 'five' },
    { id: 6, name: 'six', people: [{ email: 'p' }, { email: 'q', Age: -1 }] },
  ]);
  t.match(nested.details, {
    code: 'FAILED_VALIDATION',
    index: 1,
    field: 'people',
    path: [1, 'Age'],
  });
  const upwards = await send('POST', '/items/people', { team: { id: 7, people: [{ Age: 'x' }] } });
  t.match(upwards.details, { field: 'team', path: ['people', 0, 'Age'] });
  const taken = { id: 8, people: [{ email: 'r' }, { email: 'Ann@example.com' }] };
  t.match((await send('POST', '/items/teams', taken)).details, {
    code: 'RECORD_NOT_UNIQUE',
    field: 'people',
    path: [1, 'email'],
  });
});

t.test('a partition is named as its table', async (t) => {
  const day = '2024-05-01';
  await send('POST', '/items/dated', { id: 1, day });
  t.match((await send('POST', '/items/dated', { id: 1, day })).details, {
    code: 'RECORD_NOT_UNIQUE',
    collection: 'dated',
    field: 'id,day',
    value: '1, 2024-05-01',
  });
});

t.test('the referenced collection is named as such', async (t) => {
  const { status, details, answer } = await send('DELETE', '/items/teams/1');
  t.equal(status, 400);
  t.match(details, { code: 'INVALID_FOREIGN_KEY', collection: 'teams', field: 'id', value: '1' });
  t.match(answer.errors[0].message, /Items of "(people|memberships)" still refer to the item/);
  const changed = await send('PATCH', '/items/people/1', { team: 99 });
  t.match(changed.details, { code: 'INVALID_FOREIGN_KEY', collection: 'people', field: 'team' });
  t.match(changed.answer.errors[0].message, /No item of "teams" has this key/);
});

t.test('the form of a key of several values', async (t) => {
  for (const keys of [['1,22'], [1], [['1']], [['1', '22', '3']]]) {
    const { details } = await send('DELETE', '/items/memberships', { keys });
    t.match(details, { code: 'INVALID_PAYLOAD', reason: /a list of them, such as/ });
  }
  t.match((await send('SEARCH', '/items/memberships', { keys: ['1,22'] })).details, {
    code: 'INVALID_PAYLOAD',
  });
  t.equal((await send('DELETE', '/items/memberships', { keys: [['1', 22]] })).status, 204);
});

t.test('the parameter of a query', async (t) => {
  const parameters: Readonly<Record<string, string>> = {
    'limit=x': 'limit',
    'sort=a..b': 'sort',
    'filter[id][_eq]=x': 'filter[id][_eq]',
    'filter={"_or":[{"id":{"_in":["x"]}}]}': 'filter[_or][0][id][_in]',
    'deep={"people":{"_limit":"x"}}': 'deep[people][_limit]',
    'aggregate[total]=id': 'aggregate[total]',
    'meta=nothing': 'meta',
  };
  for (const [query, parameter] of Object.entries(parameters)) {
    const { details } = await send('GET', `/items/teams?${query}`);
    t.match(details, { code: 'INVALID_QUERY', parameter }, query);
  }
});

t.test('too many parts of a query are refused with their name', async (t) => {
  const parts = (name: string, count: number) =>
    Array.from({ length: count }, (_, i) => `${name}${i}`).join('&');
  const lists = { 'filter[id][_in][]=': 'filter[id][_in]', 'sort%5B%5D=': 'sort' };
  for (const [name, parameter] of Object.entries(lists)) {
    const { status, details } = await send('GET', `/items/teams?${parts(name, 501)}`);
    t.equal(status, 400);
    t.match(details, { code: 'INVALID_QUERY', parameter, reason: /more than 500/ });
  }
  const indexed = Array.from({ length: 502 }, (_, i) => `sort[${i}]=id`).join('&');
  t.match((await send('GET', `/items/teams?${indexed}`)).details, {
    code: 'INVALID_QUERY',
    parameter: 'sort',
  });
  t.equal((await send('GET', `/items/teams?${parts('filter[id][_in][]=', 500)}`)).status, 200);
  t.match((await send('GET', `/items/teams?${parts('a', 1_001)}`)).details, {
    code: 'INVALID_QUERY',
  });
});
