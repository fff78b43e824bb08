/**
 * The baseline of writes, a process of its own: the handler that somebody would write by hand with
 * fastify and pg for exactly these payloads, its statements prepared, without any history.
 */
import Fastify from 'fastify';
import pg from 'pg';
import * as v from 'valibot';
import { sessionSettings } from '#core/database/pool.ts';
import { drainOnDemand, tellSupervisor } from '#core/process/child.ts';

const settings = v.object({
  port: v.number(),
  databaseUrl: v.string(),
  token: v.string(),
  connections: v.number(),
});
export type WriteBaseline = v.InferInput<typeof settings>;

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

const { port, databaseUrl, token, connections } = v.parse(
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
const app = Fastify();
const expected = `Bearer ${token}`;
app.addHook('onRequest', async (request, reply) => {
  if (request.headers.authorization !== expected) return reply.code(401).send();
});

const INSERT_POST = `INSERT INTO posts (title, status, views, body, writer)
  VALUES ($1, $2, $3, $4, $5) RETURNING id, title, status, views, body, writer`;

app.post('/flat', async (request) => {
  const { title, status, views, body } = v.parse(post, request.body);
  const values = [title, status, views, body, null];
  const { rows } = await pool.query({ name: 'post', text: INSERT_POST, values });
  return { data: rows[0] };
});

app.post('/nested', async (request) => {
  const { title, status, views, body, writer, notes } = v.parse(nested, request.body);
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const added = await client.query({
      name: 'writer',
      text: 'INSERT INTO writers (name, email) VALUES ($1, $2) RETURNING id',
      values: [writer.name, writer.email],
    });
    const values = [title, status, views, body, added.rows[0].id];
    const { rows } = await client.query({ name: 'post', text: INSERT_POST, values });
    await client.query({
      name: 'notes',
      text: 'INSERT INTO notes (post, body) SELECT $1, unnest($2::text[])',
      values: [rows[0].id, notes.map((note) => note.body)],
    });
    await client.query('COMMIT');
    return { data: rows[0] };
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
});

await app.listen({ host: '127.0.0.1', port });
drainOnDemand(() => app.close());
tellSupervisor({ type: 'ready' });
