/**
 * Databases that others designed: every table and view of two schemas full of what PostgreSQL and
 * its users think up is read, followed along its foreign keys, and written where it has a key.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { sendAs } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';
import { freshOf } from './existing-database/fresh.ts';

type Row = Record<string, unknown>;

const cluster = await startCluster(t);
for (const name of ['rental', 'trade']) {
  const path = join(import.meta.dirname, 'existing-database', `${name}.sql`);
  await cluster.db.query(readFileSync(path, 'utf8'));
}
const send = (method: string, path: string, body?: unknown) =>
  sendAs(cluster, ADMIN_TOKEN, method, path, body);
const pathOf = (name: string) => `/items/${encodeURIComponent(name)}`;
await until(
  async () => (await send('GET', '/items/totals')).status === 200,
  'the tables are known',
);

interface Table {
  readonly name: string;
  readonly rows: number;
  readonly key: readonly string[] | null;
  readonly columns: readonly string[];
  readonly nullable: readonly string[];
  /** Columns that PostgreSQL alone fills. */
  readonly computed: readonly string[];
}

/** What PostgreSQL itself says is there. */
async function tables(): Promise<Table[]> {
  const { rows } = await cluster.db.query(`
    SELECT c.relname AS name, c.relispopulated AS filled,
      (SELECT array_agg(a.attname::text ORDER BY array_position(i.indkey::int2[], a.attnum))
        FROM pg_index i JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
        WHERE i.indrelid = c.oid AND i.indisprimary) AS key,
      array(SELECT a.attname::text FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
      array(SELECT a.attname::text FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attnotnull) AS nullable,
      array(SELECT a.attname::text FROM pg_attribute a
        WHERE a.attrelid = c.oid AND (a.attgenerated <> '' OR a.attidentity = 'a')) AS computed
    FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
      AND NOT c.relispartition AND c.relname NOT LIKE 'system\\_%' AND c.relname <> 'a/b'
      AND c.relname <> 'without_columns'
    ORDER BY 1`);
  const found: Table[] = [];
  for (const { filled, ...table } of rows) {
    const name = `"${table.name.replaceAll('"', '""')}"`;
    const count = filled
      ? (await cluster.db.query(`SELECT count(*)::int AS n FROM ${name}`)).rows[0].n
      : 0;
    found.push({ ...table, rows: count });
  }
  return found;
}

/** A value of a key as paths take it: the bytes of a binary key in hexadecimal, a list as PostgreSQL's. */
function keyText(value: unknown): string {
  if (Array.isArray(value)) return `{${value.join(',')}}`;
  if (typeof value === 'object' && value !== null && 'data' in value && Array.isArray(value.data)) {
    return `\\x${Buffer.from(value.data.map(Number)).toString('hex')}`;
  }
  return String(value);
}

/** The form in which a value is read that was given as PostgreSQL's text. */
function readForm(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('\\x')) return value;
  return { type: 'Buffer', data: [...Buffer.from(value.slice(2), 'hex')] };
}

function keyPath({ name, key }: Table, row: Row): string {
  const parts = (key ?? []).map((column) => encodeURIComponent(keyText(row[column])));
  return `${pathOf(name)}/${parts.join(',')}`;
}

const all = await tables();
/** A materialized view that was never filled cannot be read by anybody. */
const filled = all.filter(({ name }) => name !== 'never_filled');
const keyed = all.filter(({ key }) => key !== null);

/** Members of paths of fields, of filters, and words that all have a meaning of their own. */
const SYNTAX = /[.,*()]|^[-_]|^\s+$/;

/**
 * What requests may give a value. Lists of composite values are written in PostgreSQL's text form,
 * and no body may name a prototype.
 */
const writable = ({ computed }: Table, row: Row) =>
  Object.entries(row).filter(
    ([name]) => !computed.includes(name) && name !== 'shapes' && name !== '__proto__',
  );

/** Looks at all of them at once. */
const each = (list: readonly Table[], look: (table: Table) => Promise<void>) =>
  Promise.all(list.map(look));

const first = async ({ name }: Table): Promise<Row> =>
  (await send('GET', `${pathOf(name)}?limit=1`)).body.data[0];

t.test('every table and view is a list of its rows', async (t) => {
  await each(filled, async (table) => {
    const { status, body } = await send('GET', `${pathOf(table.name)}?meta=*`);
    if (!t.equal(status, 200, `${table.name} ${JSON.stringify(body)}`)) return;
    t.equal(body.data.length, table.rows, table.name);
    t.strictSame(body.meta, { total_count: table.rows, filter_count: table.rows }, table.name);
    for (const row of body.data) {
      t.strictSame(Object.keys(row).sort(), [...table.columns].sort(), table.name);
    }
  });
});

t.test('every column can be asked for and filtered by', async (t) => {
  await each(filled, async (table) => {
    for (const column of table.columns.filter((name) => !SYNTAX.test(name))) {
      const fields = encodeURIComponent(JSON.stringify([column]));
      const filter = encodeURIComponent(JSON.stringify({ [column]: { _nnull: true } }));
      const { status, body } = await send(
        'GET',
        `${pathOf(table.name)}?fields=${fields}&filter=${filter}`,
      );
      const place = `${table.name}.${column}`;
      if (!t.equal(status, 200, `${place} ${JSON.stringify(body)}`)) continue;
      t.ok(
        body.data.every((row: Row) => Object.keys(row).join() === column),
        place,
      );
      t.ok(
        body.data.every((row: Row) => row[column] !== undefined),
        place,
      );
    }
  });
});

t.test('every row is found by its key', async (t) => {
  await each(keyed, async (table) => {
    const list = await send('GET', pathOf(table.name));
    for (const row of list.body.data) {
      const path = keyPath(table, row);
      const one = await send('GET', path);
      t.strictSame(one, { status: 200, body: { data: row }, code: undefined }, path);
    }
  });
});

t.test('every foreign key is a way from item to item, and back', async (t) => {
  const { rows } = await cluster.db.query(`
    SELECT c.relname AS child, p.relname AS parent, k.conname AS name,
      array(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY AS n (number, place)
        JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = n.number
        ORDER BY n.place) AS columns
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid
    WHERE k.contype = 'f' AND k.conparentid = 0 AND c.relnamespace = 'public'::regnamespace
      AND p.relnamespace = 'public'::regnamespace AND c.relname NOT LIKE 'system\\_%'
    ORDER BY k.conname`);
  t.ok(rows.length > 20);
  for (const { child, parent, name, columns } of rows) {
    const field = columns.length > 1 || name === 'second, too' ? name : columns[0];
    if (/[.,]/.test(field)) continue;
    const there = `${pathOf(child)}?fields=${encodeURIComponent(field)}.*`;
    const forth = await send('GET', there);
    t.equal(forth.status, 200, `${there} ${JSON.stringify(forth.body)}`);
    const filled = columns.map((column: string) => `"${column}" IS NOT NULL`).join(' AND ');
    const { rows: counted } = await cluster.db.query(
      `SELECT count(*)::int AS n FROM "${child}" WHERE ${filled}`,
    );
    const found = forth.body.data.filter((row: Row) => row[field] !== null);
    t.equal(found.length, counted[0].n, there);
    const rivals = rows.filter((other) => other.child === child && other.parent === parent);
    const own = await send('GET', `${pathOf(parent)}?limit=1`);
    const taken = Object.hasOwn(own.body.data[0] ?? {}, child);
    const back = rivals.length > 1 || taken ? `${child}_by_${field}` : child;
    const here = `${pathOf(parent)}?fields=${encodeURIComponent(back)}.*&limit=-1`;
    const backward = await send('GET', here);
    if (!t.equal(backward.status, 200, `${here} ${JSON.stringify(backward.body)}`)) continue;
    const children = backward.body.data.flatMap((row: Row) => row[back]);
    t.equal(children.length, counted[0].n, here);
  }
});

t.test('rows are followed several levels deep', async (t) => {
  const films = await send(
    'GET',
    '/items/film?fields=title,language_id.name,original_language_id.name,prequel.title,' +
      'film_actor.actor_id.full_name,film_actor.review.words,inventory.rental.staff_id.name&limit=1',
  );
  const review = [{ words: 'fine' }];
  t.strictSame(films.body.data, [
    {
      title: 'Academy, the',
      language_id: { name: 'English             ' },
      original_language_id: { name: '日本語                 ' },
      prequel: null,
      film_actor: [
        { actor_id: { full_name: 'Penélope Guiness' }, review },
        { actor_id: { full_name: 'Nick Wahlberg' }, review },
      ],
      inventory: [
        { rental: [{ staff_id: { name: 'Mike' } }] },
        { rental: [{ staff_id: { name: 'Jon' } }] },
      ],
    },
  ]);
  const orders = await send(
    'GET',
    `/items/order?fields=${encodeURIComponent('customer.名前,order.customer.CompanyName,Order Details.Unit Price')}`,
  );
  t.strictSame(orders.body.data, [
    {
      customer: { 名前: '花子' },
      order: null,
      'Order Details': [{ 'Unit Price': 1.5 }, { 'Unit Price': 0.1 }],
    },
    {
      customer: { 名前: null },
      order: { customer: { CompanyName: 'Alfreds Futterkiste' } },
      'Order Details': [{ 'Unit Price': 2.5 }],
    },
  ]);
});

t.test('what is read can be written back as it is', async (t) => {
  await each(keyed, async (table) => {
    const list = await send('GET', pathOf(table.name));
    for (const row of list.body.data) {
      const path = keyPath(table, row);
      const answer = await send('PATCH', path, Object.fromEntries(writable(table, row)));
      t.strictSame(answer, { status: 200, body: { data: row }, code: undefined }, path);
    }
  });
});

t.test('where there is a key, rows are made, changed and deleted', async (t) => {
  await cluster.db.query(
    "INSERT INTO actor VALUES ('00000000-0000-4000-8000-000000000003', 'Third', 'Actor')",
  );
  await cluster.db.query('INSERT INTO staff (staff_id, store_id) VALUES (3, 1)');
  for (const table of keyed) {
    const { name } = table;
    const wanted = { ...(await first(table)), ...freshOf(name) };
    const given = writable(table, wanted);
    const body = Object.fromEntries(given);
    const created = await send('POST', pathOf(name), body);
    if (!t.equal(created.status, 200, `${name} ${JSON.stringify(created.body)}`)) continue;
    const row = created.body.data;
    for (const [column] of given)
      t.strictSame(row[column], readForm(wanted[column]), `${name}.${column}`);
    const path = keyPath(table, row);
    t.strictSame((await send('GET', path)).body, { data: row }, path);
    const emptied = given
      // A trigger fills the words of a film again.
      .filter(([column]) => table.nullable.includes(column) && column !== 'fulltext')
      .map(([column]) => [column, null] as const);
    const changed = await send('PATCH', path, Object.fromEntries(emptied));
    t.match(changed, { status: 200, body: { data: Object.fromEntries(emptied) } }, path);
    t.equal((await send('DELETE', path)).status, 204, path);
    t.equal((await send('GET', path)).code, 'FORBIDDEN', path);
  }
  for (const table of filled) {
    const { body } = await send('GET', `${pathOf(table.name)}?aggregate[count]=*`);
    const added = ['actor', 'staff'].includes(table.name) ? 1 : 0;
    t.strictSame(body.data, [{ count: String(table.rows + added) }], table.name);
  }
});

t.test('lists of composite values are written as PostgreSQL writes them', async (t) => {
  const { body } = await send('PATCH', '/items/film/2', { shapes: ['(1,2,"c m")', null] });
  t.strictSame(body.data.shapes, [{ width: 1, height: 2, unit: 'c m' }, null]);
});

t.test('a view that was never filled is served as soon as it is', async (t) => {
  t.equal((await send('GET', '/items/never_filled')).code, 'SERVICE_UNAVAILABLE');
  await cluster.db.query('REFRESH MATERIALIZED VIEW never_filled');
  t.strictSame((await send('GET', '/items/never_filled')).body, { data: [{ one: 1 }] });
});

t.test('what has no key is read only', async (t) => {
  for (const table of all.filter(({ key }) => key === null)) {
    for (const [method, path, body] of [
      ['GET', `${pathOf(table.name)}/1`],
      ['POST', pathOf(table.name), {}],
      ['PATCH', `${pathOf(table.name)}/1`, {}],
      ['DELETE', `${pathOf(table.name)}/1`],
    ] as const) {
      const { code } = await send(method, path, body);
      t.equal(code, 'FORBIDDEN', `${method} ${path}`);
    }
  }
});

t.test('only what cannot be addressed is left out', async (t) => {
  const { body } = await send('GET', '/server/health');
  const left: { observedValue: string; output: string }[] = body.checks['catalog:leftOut'];
  t.strictSame(
    left.map(({ observedValue }) => observedValue),
    ['public.a/b', 'public.system_of_a_customer', 'public.without_columns'],
  );
  t.ok(
    left.every(({ output }) => output.length > 10),
    'each with its reason',
  );
  for (const name of ['a/b', 'system_of_a_customer', 'payment_2022_01']) {
    t.equal((await send('GET', pathOf(name))).code, 'FORBIDDEN', name);
  }
});
