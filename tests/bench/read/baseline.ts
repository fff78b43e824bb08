/**
 * The baseline, a separate process: a handler for exactly these reads, as somebody would write it
 * by hand with fastify and pg. It uses fixed statements, prepared by name, sends their JSON
 * unchanged, and compares the token as text.
 */
import Fastify from 'fastify';
import pg from 'pg';
import * as v from 'valibot';
import { drainOnDemand, tellSupervisor } from '#core/base/process/supervised-process.ts';
import { sessionSettings } from '#core/database/pool.ts';

/** The content of `BASELINE` as JSON. */
const settings = v.object({
  port: v.number(),
  databaseUrl: v.string(),
  token: v.string(),
  /** `pool`: a pg Pool; `pipeline`: pipelined connections, used in turn. */
  mode: v.picklist(['pool', 'pipeline']),
  connections: v.number(),
  reads: v.array(
    v.object({
      name: v.string(),
      text: v.string(),
      values: v.array(v.unknown()),
      keyAt: v.nullable(v.number()),
    }),
  ),
});
export type BaselineSettings = v.InferInput<typeof settings>;

type Run = (query: pg.QueryArrayConfig) => Promise<pg.QueryArrayResult<[string]>>;

async function openPipelines(connectionString: string, count: number): Promise<Run> {
  const clients = await Promise.all(
    Array.from({ length: count }, async () => {
      const client = new pg.Client({ connectionString, pipeline: true });
      await client.connect();
      await client.query(sessionSettings(0));
      return client;
    }),
  );
  let turn = 0;
  return (query) => {
    turn = (turn + 1) % clients.length;
    const client = clients[turn];
    if (client === undefined) throw new Error('there is no connection');
    return client.query(query);
  };
}

function openPool(connectionString: string, max: number): Run {
  const pool = new pg.Pool({
    connectionString,
    max,
    onConnect: async (client) => {
      await client.query(sessionSettings(0));
    },
  });
  return (query) => pool.query(query);
}

const { port, databaseUrl, token, mode, connections, reads } = v.parse(
  settings,
  JSON.parse(process.env.BASELINE ?? ''),
);
const run =
  mode === 'pool'
    ? openPool(databaseUrl, connections)
    : await openPipelines(databaseUrl, connections);
const app = Fastify();
const expected = `Bearer ${token}`;

for (const { name, text, values, keyAt } of reads) {
  app.get<{ Params: { key?: string } }>(
    keyAt === null ? `/${name}` : `/${name}/:key`,
    async (request, reply) => {
      if (request.headers.authorization !== expected) return reply.code(401).send();
      const { key } = request.params;
      const given = keyAt === null ? values : values.with(keyAt, key);
      const { rows } = await run({ name, text, values: given, rowMode: 'array' });
      reply.type('application/json; charset=utf-8');
      return `{"data":${rows[0]?.[0]}}`;
    },
  );
}

await app.listen({ host: '127.0.0.1', port });
drainOnDemand(() => app.close());
tellSupervisor({ type: 'ready' });
