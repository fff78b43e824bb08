// @newest
/**
 * The locks of a process in a request's transaction, while it is silent and while it is healthy.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import { createPool } from '#core/database/pool.ts';
import { PoolShares } from '#core/database/pool-shares.ts';
import { Streams } from '#core/database/streams.ts';
import { createDatabase } from '#tests/harness/database.ts';
import { until } from '#tests/harness/until.ts';

const log = pino({ level: 'silent' });
const HOLDER = fileURLToPath(new URL('./fixture/holder.ts', import.meta.url));
/** As QUERY_TIMEOUT is by default. */
const PATIENCE = "SET statement_timeout = '30s'";

async function startHolder(t: Test) {
  const url = await createDatabase(t);
  const child = spawn(process.execPath, [HOLDER, url], { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
  });
  const others = new pg.Pool({ connectionString: url, max: 1 });
  t.teardown(async () => {
    child.kill('SIGKILL');
    await others.end();
  });
  await until(() => output.includes('held'), 'it holds the lock');
  const goOn = async () => {
    child.stdin.write('\n');
    await once(child, 'exit');
    return output.split('\n')[1];
  };
  return { child, others, goOn };
}

t.jobs = 3;

t.test('a frozen process holds its locks for less time than other processes wait', async (t) => {
  const { child, others, goOn } = await startHolder(t);
  child.kill('SIGSTOP');
  await others.query(PATIENCE);
  await others.query('SELECT pg_advisory_lock(1)');
  child.kill('SIGCONT');
  t.equal(await goOn(), 'SERVICE_UNAVAILABLE, then [{"one":1}]');
});

t.test('a healthy process may hold them', async (t) => {
  const { others, goOn } = await startHolder(t);
  await others.query("SET lock_timeout = '15s'");
  await t.rejects(others.query('SELECT pg_advisory_lock(1)'), { code: '55P03' });
  t.equal(await goOn(), 'committed, then [{"one":1}]');
});

t.test('a stream continues after its reader has paused', async (t) => {
  const url = await createDatabase(t);
  const config = loadConfig({});
  const statementTimeout = 30_000;
  const pool = createPool(config, url, log, { name: 'test', max: 1, statementTimeout });
  t.teardown(() => pool.end());
  const shares = new PoolShares({ pool, url, log, wait: 60_000 });
  const limits = { max: 1, perHolder: 1, wait: 1_000 };
  const streams = new Streams({ shares, statementTimeout, maxTime: 60_000, limits });
  const text = `SELECT repeat('x', 1000) FROM generate_series(1, 10000)`;
  const rows = streams.read({ text, values: [] }, 'somebody');
  let count = (await rows.next()).value?.length ?? 0;
  t.ok(count > 0 && count < 10_000, 'it has begun');
  await delay(13_000);
  for await (const batch of rows) count += batch.length;
  t.equal(count, 10_000);
});
