/**
 * The baseline of writes, a separate process: handlers for exactly these payloads, as somebody
 * would write them by hand with fastify and pg. Rows, activities and revisions are one prepared
 * statement; without history the nested payload has several statements in a transaction. History has
 * tables of its own, so that nothing of Sluice's tables slows both sides. The lean handlers hand the
 * text of the payload to PostgreSQL, and its answer to the client.
 */
import Fastify, { type FastifyRequest } from 'fastify';
import pg from 'pg';
import * as v from 'valibot';
import { drainOnDemand, tellSupervisor } from '#core/base/process/supervised-process.ts';
import { sessionSettings } from '#core/database/pool.ts';

const settings = v.object({
  port: v.number(),
  databaseUrl: v.string(),
  token: v.string(),
  /** The user in the history. */
  user: v.string(),
  connections: v.number(),
});
export type WriteBaseline = v.InferInput<typeof settings>;

const BODY_LIMIT = 104_857_600;

const post = v.object({
  title: v.string(),
  status: v.string(),
  views: v.number(),
  body: v.string(),
});
const nested = v.object({
  ...post.entries,
  writer: v.object({ name: v.string(), email: v.string() }),
  notes: v.array(v.object({ body: v.string() })),
});
const change = v.object({ title: v.string(), views: v.number() });
const changes = v.object({ keys: v.array(v.number()), data: change });
const key = v.object({ id: v.pipe(v.string(), v.toNumber()) });
const place = v.object({ history: v.picklist(['all', 'none']) });

const { port, databaseUrl, token, user, connections } = v.parse(
  settings,
  JSON.parse(process.env.BASELINE ?? ''),
);
const pool = new pg.Pool({
  connectionString: databaseUrl,
  max: connections,
  onConnect: async (client) => {
    await client.query(sessionSettings(0));
  },
});
const app = Fastify({ bodyLimit: BODY_LIMIT });
const expected = `Bearer ${token}`;
app.addHook('onRequest', async (request, reply) => {
  if (request.headers.authorization !== expected) return reply.code(401).send();
});

/**
 * The history of the rows of `source`, which have an `id` and a `delta`. The first parameters are
 * the user, the address and the user agent.
 */
function activity(source: string, action: string, collection: string): string {
  return `${source}_a AS (
    INSERT INTO own_activity (action, "user", ip, user_agent, collection, item)
    SELECT '${action}', $1::uuid, $2, $3, '${collection}', id::text FROM ${source}
    RETURNING id, item)`;
}
function revision(source: string, collection: string, row: string, delta: string): string {
  return `${source}_r AS (
    INSERT INTO own_revisions (activity, collection, item, data, delta)
    SELECT a.id, '${collection}', a.item, ${row}, ${delta}
    FROM ${source} JOIN ${source}_a AS a ON a.item = ${source}.id::text)`;
}

const COLUMNS = 'id, title, status, views, body, writer, owner';
const INSERT = `INSERT INTO posts (title, status, views, body) VALUES`;

const CREATE = {
  none: `${INSERT} ($1, $2, $3, $4) RETURNING ${COLUMNS}`,
  all: `WITH w AS (${INSERT} ($4, $5, $6, $7) RETURNING ${COLUMNS}), ${activity('w', 'create', 'posts')},
    ${revision('w', 'posts', 'row_to_json(w)', '$8::json')} SELECT ${COLUMNS} FROM w`,
};
const UPDATE = {
  none: `UPDATE posts SET title = $1, views = $2 WHERE id = $3 RETURNING ${COLUMNS}`,
  all: `WITH w AS (UPDATE posts SET title = $4, views = $5 WHERE id = $6 RETURNING ${COLUMNS}),
    ${activity('w', 'update', 'posts')}, ${revision('w', 'posts', 'row_to_json(w)', '$7::json')}
    SELECT ${COLUMNS} FROM w`,
};
const DELETE = {
  none: 'DELETE FROM posts WHERE id = $1 RETURNING id',
  all: `WITH w AS (DELETE FROM posts WHERE id = $4 RETURNING id), ${activity('w', 'delete', 'posts')}
    SELECT id FROM w`,
};
const NESTED = `WITH
    k AS (SELECT nextval('writers_id_seq')::int AS writer, nextval('posts_id_seq')::int AS post),
    w AS (INSERT INTO writers (id, name, email) SELECT writer, $4, $5 FROM k RETURNING *),
    p AS (INSERT INTO posts (id, title, status, views, body, writer)
      SELECT post, $6, $7, $8, $9, writer FROM k RETURNING ${COLUMNS}),
    n AS (INSERT INTO notes (post, body) SELECT post, unnest($10::text[]) FROM k RETURNING *),
    ${activity('w', 'create', 'writers')}, ${activity('p', 'create', 'posts')},
    ${activity('n', 'create', 'notes')},
    p_r AS (INSERT INTO own_revisions (activity, collection, item, data, delta)
      SELECT a.id, 'posts', a.item, row_to_json(p), $11::json FROM p, p_a AS a RETURNING id),
    w_r AS (INSERT INTO own_revisions (activity, collection, item, data, delta, parent)
      SELECT a.id, 'writers', a.item, row_to_json(w), $12::json, p_r.id FROM w, w_a AS a, p_r),
    n_r AS (INSERT INTO own_revisions (activity, collection, item, data, delta, parent)
      SELECT a.id, 'notes', a.item, row_to_json(n), row_to_json(n), p_r.id
      FROM p_r, n JOIN n_a AS a ON a.item = n.id::text)
  SELECT ${COLUMNS} FROM p`;
/** The payload in a parameter, as a row. */
const payload = (place: string) =>
  `json_to_record(${place}::json) AS j (title text, status text, views integer, body text)`;
const LEAN = {
  create: {
    none: `INSERT INTO posts (title, status, views, body) SELECT * FROM ${payload('$1')}
      RETURNING row_to_json(posts)::text AS text`,
    all: `WITH w AS (INSERT INTO posts (title, status, views, body)
        SELECT * FROM ${payload('$4')} RETURNING ${COLUMNS}),
      ${activity('w', 'create', 'posts')}, ${revision('w', 'posts', 'row_to_json(w)', '$4::json')}
      SELECT row_to_json(w)::text AS text FROM w`,
  },
  update: {
    none: `UPDATE posts SET title = j.title, views = j.views
      FROM ${payload('$1')} WHERE id = $2 RETURNING row_to_json(posts)::text AS text`,
    all: `WITH w AS (UPDATE posts SET title = j.title, views = j.views
        FROM ${payload('$4')} WHERE id = $5 RETURNING posts.*),
      ${activity('w', 'update', 'posts')}, ${revision('w', 'posts', 'row_to_json(w)', '$4::json')}
      SELECT row_to_json(w)::text AS text FROM w`,
  },
};
const MANY_UPDATED = `WITH w AS (
    UPDATE posts SET title = $4, views = $5 WHERE id = ANY ($6::int[]) RETURNING ${COLUMNS}),
    ${activity('w', 'update', 'posts')}, ${revision('w', 'posts', 'row_to_json(w)', '$7::json')}
  SELECT id FROM w`;
const MANY_CREATED = `WITH w AS (
    INSERT INTO posts (title, status, views, body)
    SELECT * FROM unnest($4::text[], $5::text[], $6::int[], $7::text[]) RETURNING ${COLUMNS}),
    ${activity('w', 'create', 'posts')},
    ${revision('w', 'posts', 'row_to_json(w)', "to_json(w)::jsonb - 'id'")}
  SELECT id FROM w`;

function isTold({ params }: FastifyRequest): boolean {
  return v.parse(place, params).history === 'all';
}

function author({ ip, headers }: FastifyRequest): unknown[] {
  return [user, ip, headers['user-agent'] ?? null];
}

async function run(name: string, text: string, values: unknown[]) {
  const { rows } = await pool.query({ name, text, values });
  return rows;
}

app.post('/flat/:history', async (request) => {
  const item = v.parse(post, request.body);
  const values = [item.title, item.status, item.views, item.body];
  const [data] = isTold(request)
    ? await run('create with history', CREATE.all, [
        ...author(request),
        ...values,
        JSON.stringify(item),
      ])
    : await run('create', CREATE.none, values);
  return { data };
});

app.patch('/flat/:history/:id', async (request, reply) => {
  const item = v.parse(change, request.body);
  const values = [item.title, item.views, v.parse(key, request.params).id];
  const [data] = isTold(request)
    ? await run('update with history', UPDATE.all, [
        ...author(request),
        ...values,
        JSON.stringify(item),
      ])
    : await run('update', UPDATE.none, values);
  return data === undefined ? reply.code(403).send() : { data };
});

app.delete('/flat/:history/:id', async (request, reply) => {
  const { id } = v.parse(key, request.params);
  const [data] = isTold(request)
    ? await run('delete with history', DELETE.all, [...author(request), id])
    : await run('delete', DELETE.none, [id]);
  return reply.code(data === undefined ? 403 : 204).send();
});

/** The lean handlers get the text of a payload. */
app.register(async (lean) => {
  lean.removeAllContentTypeParsers();
  lean.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  );
  const answer = async (form: keyof typeof LEAN, request: FastifyRequest, values: unknown[]) => {
    const told = isTold(request);
    const all = told ? [...author(request), ...values] : values;
    const [row] = await run(`lean ${form} ${told}`, LEAN[form][told ? 'all' : 'none'], all);
    return `{"data":${row.text}}`;
  };
  lean.post('/lean/:history', async (request, reply) => {
    reply.type('application/json; charset=utf-8');
    return answer('create', request, [request.body]);
  });
  lean.patch('/lean/:history/:id', async (request, reply) => {
    reply.type('application/json; charset=utf-8');
    return answer('update', request, [request.body, v.parse(key, request.params).id]);
  });
});

/** Without history as most people would write it: a statement for each table, in a transaction. */
async function createNested({ writer, notes, ...item }: v.InferOutput<typeof nested>) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const added = await client.query({
      name: 'writer',
      text: 'INSERT INTO writers (name, email) VALUES ($1, $2) RETURNING id',
      values: [writer.name, writer.email],
    });
    const { rows } = await client.query({
      name: 'post of a writer',
      text: `INSERT INTO posts (title, status, views, body, writer) VALUES ($1, $2, $3, $4, $5)
        RETURNING ${COLUMNS}`,
      values: [item.title, item.status, item.views, item.body, added.rows[0].id],
    });
    await client.query({
      name: 'notes',
      text: 'INSERT INTO notes (post, body) SELECT $1, unnest($2::text[])',
      values: [rows[0].id, notes.map((note) => note.body)],
    });
    await client.query('COMMIT');
    return rows[0];
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

app.post('/nested/:history', async (request) => {
  const item = v.parse(nested, request.body);
  if (!isTold(request)) return { data: await createNested(item) };
  const { writer, notes, ...own } = item;
  const [data] = await run('nested with history', NESTED, [
    ...author(request),
    ...[writer.name, writer.email, own.title, own.status, own.views, own.body],
    notes.map((note) => note.body),
    ...[JSON.stringify(own), JSON.stringify(writer)],
  ]);
  return { data };
});

app.patch('/many', async (request) => {
  const { keys, data } = v.parse(changes, request.body);
  const values = [data.title, data.views, keys, JSON.stringify(data)];
  return { data: await run('many updated', MANY_UPDATED, [...author(request), ...values]) };
});

app.post('/many', async (request) => {
  const items = v.parse(v.array(post), request.body);
  const values = [
    items.map((item) => item.title),
    items.map((item) => item.status),
    items.map((item) => item.views),
    items.map((item) => item.body),
  ];
  return { data: await run('many created', MANY_CREATED, [...author(request), ...values]) };
});

await app.listen({ host: '127.0.0.1', port });
drainOnDemand(() => app.close());
tellSupervisor({ type: 'ready' });
