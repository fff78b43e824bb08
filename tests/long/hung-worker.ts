/**
 * One of two workers hangs while the other one does a long import: the supervisor starts the hung one
 * again, and the import goes on as if nothing had been.
 */
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import t from 'tap';
import * as v from 'valibot';
import { until } from '#tests/harness/until.ts';
import { dataOf, Job, startInstallation } from '../ops/run/monitor/fixture/installation.ts';

const ROWS = 3_000;
const LIMIT_MS = 120_000;

const line = v.object({ pid: v.number(), msg: v.string() });

/** The children of a process that run a script. */
function childrenOf(parent: number, script: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!pid) return [];
    try {
      const [, above] = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return Number(above) === parent && command.includes(script) ? [pid] : [];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

t.test('a worker that hangs beside a long import', async (t) => {
  const env = { WORKER_PROCESSES: '2', WATCHDOG_TIMEOUT: '3s', LOG_LEVEL: 'info' };
  const { run, api, createThings, importFile, databaseUrl } = await startInstallation(t, env);
  t.equal((await createThings()).status, 200);
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  t.teardown(() => db.end());
  await db.query(`
    CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_sleep(0.006); RETURN NEW; END';
    CREATE TRIGGER slow BEFORE INSERT ON things FOR EACH ROW EXECUTE FUNCTION slow()`);
  const supervisor = run.process.pid ?? 0;
  const workers = () => childrenOf(supervisor, 'workers/main.ts');
  t.equal(workers().length, 2);
  const rows = Array.from({ length: ROWS }, (_, row) => `${row},n${row}`).join('\n');
  const { id } = await importFile(`id,name\n${rows}\n`);
  const begun = () =>
    run.stdout
      .split('\n')
      .filter((text) => text.includes(id) && text.includes('job begins'))
      .map((text) => v.parse(line, JSON.parse(text)).pid);
  const [busy = 0] = await until(() => begun().length > 0 && begun(), 'the import begins');
  const hung = workers().find((pid) => pid !== busy) ?? 0;
  const since = performance.now();
  process.kill(hung, 'SIGSTOP');
  await until(
    () => !workers().includes(hung) && workers().length === 2,
    'it is replaced',
    LIMIT_MS,
  );
  t.comment(`replaced after ${Math.round(performance.now() - since)} ms`);
  t.ok(workers().includes(busy), 'the other one was left alone');
  const jobNow = async () => await dataOf(Job, await api(`/jobs/${id}`));
  t.equal((await jobNow()).state, 'running', 'its import goes on');
  await until(async () => (await jobNow()).state === 'completed', 'it is done', LIMIT_MS);
  t.match(await jobNow(), { attempts: 1 });
  const { rows: counted } = await db.query('SELECT count(*)::int AS n FROM things');
  t.strictSame(counted, [{ n: ROWS }]);
  t.ok(workers().includes(busy));
});
