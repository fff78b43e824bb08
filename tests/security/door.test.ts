// @newest

// What may be linked is the same by every door: by single items, lists, by key, nested, by going
// back to a revision, and by files. What is hidden and what is missing answer alike everywhere.
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
type Upload = (path: string, form: FormData) => Promise<Answer>;

interface Person {
  readonly send: Send;
  readonly upload: Upload;
}

let cluster: Cluster;
/** Revisions of book 1 by the author that it had then. */
const revisions = new Map<number, number>();

const admin: Person = {
  send: (method, path, body) => sendAs(cluster, ADMIN_TOKEN, method, path, body),
  async upload(path, body) {
    const response = await cluster.fetch(path, { method: 'POST', body });
    const text = await response.text();
    const parsed = text === '' ? null : JSON.parse(text);
    return {
      status: response.status,
      body: parsed,
      code: parsed?.errors?.[0]?.extensions?.code,
    };
  },
};

t.before(async () => {
  cluster = await startCluster(t, { workers: 1 });
  await cluster.db.query(`
    CREATE TABLE authors (id int PRIMARY KEY, name text);
    CREATE TABLE shelves (id int PRIMARY KEY);
    CREATE TABLE books (id int PRIMARY KEY, name text, author int REFERENCES authors,
      shelf int REFERENCES shelves, loose int, item text, kind text,
      owner uuid REFERENCES system_users);
    INSERT INTO authors VALUES (1, 'seen'), (2, 'hidden');
    INSERT INTO shelves VALUES (1);
    INSERT INTO books VALUES (1, 'one', NULL, 1), (2, 'two', NULL, 1);
    INSERT INTO system_relations (many_collection, many_field, one_collection, one_field,
        one_collection_field, one_allowed_collections) VALUES
      ('books', 'shelf', 'shelves', 'books', NULL, NULL),
      ('books', 'loose', 'authors', NULL, NULL, NULL),
      ('books', 'item', NULL, NULL, 'kind', 'authors');
    INSERT INTO system_fields (collection, field, special) VALUES ('shelves', 'books', 'o2m');`);
  await until(async () => (await cluster.fetch('/items/shelves?fields=books.id')).ok, 'known');
  for (const author of [1, 2]) {
    await admin.send('PATCH', '/items/books/1', { author });
    const { body } = await admin.send('GET', '/revisions?sort=-id&limit=1&fields=id');
    revisions.set(author, body.data[0].id);
  }
  await admin.send('PATCH', '/items/books/1', { author: null });
});

const books: GivenPermission[] = (['create', 'read', 'update', 'delete'] as const).map(
  (action) => ({ collection: 'books', action }),
);
const shelves: GivenPermission[] = (['read', 'update'] as const).map((action) => ({
  collection: 'shelves',
  action,
}));
const history: GivenPermission = { collection: 'system_revisions', action: 'read' };
const base = [...books, ...shelves, history];
const some = { permissions: { id: { _eq: 1 } } };

let next = 100;
const fresh = () => ++next;

const DOORS: Record<string, (by: Person, link: object) => Promise<Answer>> = {
  one: ({ send }, link) => send('POST', '/items/books', { id: fresh(), ...link }),
  list: ({ send }, link) =>
    send('POST', '/items/books', [{ id: fresh() }, { id: fresh(), ...link }]),
  'by key': ({ send }, link) => send('PATCH', '/items/books/2', link),
  'the same for many': ({ send }, link) =>
    send('PATCH', '/items/books', { keys: [1, 2], data: link }),
  'each of many': ({ send }, link) => send('PATCH', '/items/books', [{ id: 2, ...link }]),
  'by query': ({ send }, link) =>
    send('PATCH', '/items/books', { query: { filter: { id: { _eq: 2 } } }, data: link }),
  'nested creation': ({ send }, link) =>
    send('PATCH', '/items/shelves/1', { books: { create: [{ id: fresh(), ...link }] } }),
  'nested change': ({ send }, link) =>
    send('PATCH', '/items/shelves/1', { books: { update: [{ id: 2, ...link }] } }),
};

function csvOf(rows: readonly object[]): string {
  const [first = {}] = rows;
  const lines = rows.map((row) => Object.values(row).join(','));
  return [Object.keys(first).join(','), ...lines].join('\n');
}

function importOf(format: 'csv' | 'json') {
  return ({ upload }: Person, link: object) => {
    const rows = [{ id: fresh(), ...link }];
    const text = format === 'csv' ? csvOf(rows) : JSON.stringify(rows);
    const type = format === 'csv' ? 'text/csv' : 'application/json';
    const form = new FormData();
    form.append('file', new Blob([text], { type }), `a.${format}`);
    return upload('/utils/import/books', form);
  };
}

const FILES = { csv: importOf('csv'), json: importOf('json') };

function verdict({ status, code }: Answer): string {
  return status < 300 ? 'done' : `${status} ${code}`;
}

/** The one verdict that all doors have; several when they differ. */
async function verdicts(by: Person, link: object, doors: typeof DOORS): Promise<string[]> {
  const found = new Map<string, string[]>();
  for (const [name, door] of Object.entries(doors)) {
    const said = verdict(await door(by, link));
    found.set(said, [...(found.get(said) ?? []), name]);
  }
  const [only] = found.keys();
  if (only !== undefined && found.size === 1) return [only];
  return [...found].map(([said, names]) => `${said}: ${names.join(', ')}`);
}

t.test('every door treats callers alike who may read all linked items', async (t) => {
  const member = await createMember(cluster, [...base, { collection: 'authors', action: 'read' }]);
  const all = { ...DOORS, ...FILES };
  t.strictSame(await verdicts(member, { author: 1 }, all), ['done']);
  t.strictSame(await verdicts(member, { author: 2 }, all), ['done']);
  t.strictSame(await verdicts(member, { author: 99 }, all), ['403 FORBIDDEN']);
  t.strictSame(await verdicts(admin, { author: 1 }, all), ['done']);
  t.strictSame(await verdicts(admin, { author: 99 }, all), ['400 INVALID_FOREIGN_KEY']);
});

t.test('unreadable items are not linked, and answer like missing ones', async (t) => {
  const people: Record<string, [MemberUser, string]> = {
    some: [
      await createMember(cluster, [...base, { collection: 'authors', action: 'read', ...some }]),
      'done',
    ],
    none: [await createMember(cluster, base), '403 FORBIDDEN'],
  };
  for (const [name, [member, seen]] of Object.entries(people)) {
    const all = { ...DOORS, ...FILES };
    t.strictSame(await verdicts(member, { author: 1 }, all), [seen], `${name}: seen`);
    t.strictSame(await verdicts(member, { author: 2 }, all), ['403 FORBIDDEN'], name);
    t.strictSame(await verdicts(member, { author: 99 }, all), ['403 FORBIDDEN'], name);
    for (const [format, door] of Object.entries(FILES)) {
      const texts = await Promise.all(
        [2, 99].map(async (author) => {
          const { body } = await door(member, { author });
          // Nothing differs but the value that was sent.
          return JSON.stringify(body).replace(`"value":"${author}"`, '');
        }),
      );
      t.equal(texts[0], texts[1], `${name} ${format}: hidden and missing`);
    }
  }
  const { rows } = await cluster.db.query('SELECT FROM books WHERE author = 2 AND id > 1000');
  t.equal(rows.length, 0);
});

t.test('going back to a revision links no more than writing it would', async (t) => {
  const member = await createMember(cluster, [
    ...base,
    { collection: 'authors', action: 'read', ...some },
  ]);
  await admin.send('PATCH', '/items/books/1', { author: null });
  const back = (author: number) => member.send('POST', `/utils/revert/${revisions.get(author)}`);
  t.equal(verdict(await back(2)), '403 FORBIDDEN');
  t.equal(verdict(await back(1)), 'done');
});

t.test('every door checks links without a foreign key alike', async (t) => {
  const member = await createMember(cluster, [...base, { collection: 'authors', action: 'read' }]);
  for (const link of [{ loose: 99 }, { item: '99', kind: 'authors' }]) {
    const name = JSON.stringify(link);
    t.strictSame(await verdicts(member, link, { ...DOORS, ...FILES }), ['403 FORBIDDEN'], name);
  }
  for (const link of [{ loose: 1 }, { item: '1', kind: 'authors' }]) {
    t.strictSame(
      await verdicts(member, link, { ...DOORS, ...FILES }),
      ['done'],
      JSON.stringify(link),
    );
  }
  const user = { owner: '00000000-0000-4000-8000-000000000000' };
  t.strictSame(await verdicts(member, user, { ...DOORS, ...FILES }), ['403 FORBIDDEN'], 'a user');
});
