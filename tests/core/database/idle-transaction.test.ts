// @newest
/** What a process holds in the transaction of a request while it says nothing, and while it is well. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import t, { type Test } from 'tap';
import { createDatabase } from '#tests/harness/database.ts';
import { until } from '#tests/harness/until.ts';

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

t.jobs = 2;

t.test('a frozen process keeps its locks for less than others wait', async (t) => {
  const { child, others, goOn } = await startHolder(t);
  child.kill('SIGSTOP');
  await others.query(PATIENCE);
  await others.query('SELECT pg_advisory_lock(1)');
  child.kill('SIGCONT');
  t.equal(await goOn(), 'SERVICE_UNAVAILABLE, then [{"one":1}]');
});

t.test('a process that is well may keep them', async (t) => {
  const { others, goOn } = await startHolder(t);
  await others.query("SET lock_timeout = '15s'");
  await t.rejects(others.query('SELECT pg_advisory_lock(1)'), { code: '55P03' });
  t.equal(await goOn(), 'committed, then [{"one":1}]');
});
