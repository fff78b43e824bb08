/**
 * Measures writes of an installation that has just begun: PostgreSQL knows nothing of tables that
 * were empty a moment ago, and no plan may depend on it. Compared with the same one after ANALYZE.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { loadConfig } from '#core/base/config/config.ts';
import { createPool } from '#core/database/pool.ts';
import { bootstrapAdmin } from '#core/model/system/bootstrap.ts';
import { migrate } from '#core/model/system/migrate.ts';
import { freePort } from '#ops/run/embedded/postgres.ts';
import type { Environment } from '../environment.ts';
import type { Load } from '../load/load.ts';
import { startProcess } from '../process.ts';
import { comparison, type Row } from '../result-row.ts';
import { ITEM } from './request.ts';

export const FRESH = { id: 'write/create-fresh', title: 'create one item, the first minute' };
const GOAL = 0.9;
const DATABASE = 'bench_fresh';
/** A run takes so many times as long as others: a minute by default. */
const LONGER = 20;

/**
 * Measures creation with history in a new database, first without statistics and then with them.
 * @param tables creates the tables of the bench
 */
export async function measureFresh(
  environment: Environment,
  load: Load,
  tables: string,
): Promise<Row> {
  const { options, say, stop, token } = environment;
  const seconds = LONGER * options.seconds;
  say(`write: ${FRESH.title} (${2 * seconds} s)`);
  await environment.pool.query(`DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`);
  await environment.pool.query(`CREATE DATABASE ${DATABASE}`);
  const databaseUrl = Object.assign(new URL(environment.databaseUrl), { pathname: DATABASE }).href;
  const port = await freePort();
  const env = { ...environment.env, DATABASE_URL: databaseUrl, PORT: String(port) };
  const config = loadConfig(env);
  const log = pino({ level: 'warn' }, process.stderr);
  const pool = createPool(config, databaseUrl, log, { name: 'fresh', statementTimeout: 0 });
  const running = [];
  try {
    await migrate(config, databaseUrl);
    await bootstrapAdmin(config, pool);
    await pool.query(tables);
    running.push(await startProcess({ script: 'workers/main.ts', env }));
    running.push(await startProcess({ script: 'edge/main.ts', env }));
    const url = `http://127.0.0.1:${port}`;
    const headers = { Authorization: `Bearer ${token}` };
    while (!(await fetch(`${url}/items/posts`, { headers })).ok) {
      stop.throwIfAborted();
      await sleep(50);
    }
    const target = { url, token, method: 'POST', paths: ['/items/posts'] } as const;
    const run = () =>
      load({ ...target, body: JSON.stringify(ITEM) }, { connections: 32, seconds, signal: stop });
    const first = await run();
    await pool.query('ANALYZE');
    const later = await run();
    return comparison(
      { ...FRESH, unit: 'requests/s' },
      { sluice: [first], baseline: [later] },
      GOAL,
      { baselineIs: 'the same after ANALYZE' },
    );
  } finally {
    for (const one of running) await one.stop();
    await pool.end();
    await environment.pool.query(`DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`);
  }
}
