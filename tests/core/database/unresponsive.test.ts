// @newest

/** Backends that heed neither QUERY_TIMEOUT nor a cancellation. */
import { pino } from 'pino';
import t from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import { createPool } from '#core/database/pool.ts';
import { PoolShares } from '#core/database/pool-shares.ts';
import { Reader } from '#core/database/reader.ts';
import { createDatabase, type Teardown } from '#tests/harness/database.ts';
import { STREAMS } from '#tests/harness/stream.ts';
import { until } from '#tests/harness/until.ts';

const log = pino({ level: 'silent' });

async function open(t: Teardown, pipelined: number) {
  const url = await createDatabase(t);
  const config = loadConfig({ DATABASE_POOL_WAIT: '1m' });
  const statementTimeout = 4_000;
  const pool = createPool(config, url, log, { name: 'test', max: 2, statementTimeout });
  const watch = createPool(config, url, log, { name: 'watch', max: 1, statementTimeout: 0 });
  const shares = new PoolShares({ pool, url, log, wait: 60_000 });
  const reader = new Reader({
    ...{ ...STREAMS, url, name: 'test', log, shares, pipelined, statementTimeout },
  });
  await reader.open();
  t.teardown(() => Promise.all([reader.close(), pool.end(), watch.end()]));
  await watch.query(`CREATE TABLE released ();
    CREATE FUNCTION stubborn(many int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
      FOR time IN 1 .. many LOOP
        BEGIN
          PERFORM pg_sleep(0.5);
          EXIT WHEN EXISTS (SELECT FROM released);
        EXCEPTION WHEN query_canceled THEN
        END;
      END LOOP;
      RETURN 'done';
    END $$`);
  /**
   * Waits until a statement runs that ignores cancellations, and returns a function that ends it.
   */
  const running = async () => {
    await until(async () => {
      const { rows } = await watch.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database()
         AND pid <> pg_backend_pid() AND state = 'active' AND query LIKE '%stubborn%'`,
      );
      return rows.length > 0;
    }, 'the statement runs');
    return () => watch.query('INSERT INTO released DEFAULT VALUES');
  };
  return { reader, shares, pool, running };
}

const STUBBORN = 'SELECT stubborn($1::int)';
const MANY = '1000000';

// They wait more than they work, each with a database of its own.
t.jobs = 3;
for (const pipelined of [0, 1]) {
  t.test(`QUERY_TIMEOUT is answered in any case, with ${pipelined} pipelined`, async (t) => {
    const { reader, running } = await open(t, pipelined);
    const text = { text: STUBBORN, values: ['0'] };
    for (let time = 0; time < 3; time += 1) await reader.text(text);
    const rejected = t.rejects(reader.text({ ...text, values: [MANY] }), {
      code: 'SERVICE_UNAVAILABLE',
      message: /QUERY_TIMEOUT/,
    });
    const resume = await running();
    const behind = Array.from({ length: 5 }, () => reader.text(text));
    await rejected;
    t.equal(await reader.text({ text: "SELECT 'other'", values: [] }), 'other', 'others continue');
    t.strictSame(await Promise.all(behind), Array(5).fill('done'), 'and so do the waiting ones');
    await until(() => reader.unresponsive === 1, 'it is counted');
    await resume();
    await until(() => reader.unresponsive === 0, 'until it is gone');
    t.equal(await reader.text(text), 'done');
  });
}

t.test('a backend that ignores the timeout occupies its connection', async (t) => {
  const { reader, pool, shares, running } = await open(t, 0);
  const controller = new AbortController();
  const rejected = t.rejects(reader.text({ text: STUBBORN, values: [MANY] }, controller.signal));
  const resume = await running();
  controller.abort();
  await until(() => shares.unresponsive === 1, 'it is cancelled');
  t.equal(pool.totalCount - pool.idleCount, 1, 'and still counts as in use');
  await resume();
  await rejected;
  await until(() => pool.totalCount - pool.idleCount === 0, 'it is free again');
  t.equal(shares.unresponsive, 0);
});
