/** Two edges on one Redis never return overwritten data; an edge that reports late is detected. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import t from 'tap';
import { ANONYMOUS } from '#core/access/grants.ts';
import { createPool } from '#core/database/pool.ts';
import { EMPTY_CATALOG } from '#core/model/catalog/load-newer-catalog.ts';
import { MemoryTableVersions } from '#core/write/cache/memory-table-versions.ts';
import { RedisTableVersions } from '#core/write/cache/redis-table-versions.ts';
import { ResponseCache } from '#core/write/cache/response-cache.ts';
import { EVERY_TABLE, type TableVersions } from '#core/write/cache/table-versions.ts';
import { WriteGuard } from '#core/write/cache/write-guard.ts';
import { WriteTransactions } from '#core/write/changes/write-transactions.ts';
import { createDatabase } from '#tests/harness/database.ts';
import { NO_CHANGE_FEED } from '#tests/harness/no-change-feed.ts';
import { until } from '#tests/harness/until.ts';
import { observe, type Site } from './fixture/history.ts';

const ROWS = 3;
/** One run in three detects a late report; a test without any detection would be useless. */
const MOST_RUNS = 30;
const log = pino({ level: 'silent' });
const url = await createDatabase(t);
const pool = createPool({ DATABASE_POOL_MAX: 10, DATABASE_POOL_WAIT: 60_000 }, url, log, {
  name: 'test',
  statementTimeout: 0,
});
t.teardown(() => pool.end());
await pool.query('CREATE TABLE n (row int PRIMARY KEY, value int)');

/** Reads at the same edge after which a write is reported that should have been reported before. */
const LATE = 3;

/** Reports a write only after its answer, which is an error. */
class LateVersions implements TableVersions {
  readonly #versions: TableVersions;
  readonly #late: { readonly settle: () => void; reads: number }[] = [];

  constructor(versions: TableVersions) {
    this.#versions = versions;
  }

  get ready(): boolean {
    return this.#versions.ready;
  }

  stamp(tables: readonly string[]) {
    for (const late of this.#late) late.reads += 1;
    while ((this.#late[0]?.reads ?? 0) > LATE) this.#late.shift()?.settle();
    return this.#versions.stamp(tables);
  }

  async mark() {
    return true;
  }

  async settle(writer: string, tables: readonly string[]) {
    const settle = () => void this.#versions.settle(writer, tables);
    this.#late.push({ settle, reads: 0 });
    return true;
  }

  close(): void {
    this.#versions.close();
  }
}

/** An edge without its sockets. */
function siteOn(versions: TableVersions): Site {
  const tables = [EVERY_TABLE, 'n'];
  const cache = new ResponseCache({
    versions,
    affected: { keepable: () => tables },
    catalog: { onCounter: () => () => undefined, inContact: () => true },
    ...{ maxSize: 1_000_000, maxValueSize: 1_000_000, ttl: 60_000 },
  });
  const writes = new WriteGuard({
    versions,
    affected: { writtenWith: () => ['n'] },
    suspension: null,
  });
  const transactions = new WriteTransactions({
    access: null,
    writes,
    feed: NO_CHANGE_FEED,
    failpoint: () => Promise.resolve(),
  });
  const statement = { text: 'SELECT json_agg(value ORDER BY row)::text AS t FROM n', values: [] };
  const ask = async () => (await pool.query<{ t: string }>(statement)).rows[0]?.t ?? null;
  return {
    async write(row, value) {
      await transactions.transaction(pool, async (client, note) => {
        await client.query('UPDATE n SET value = $2 WHERE row = $1', [row, value]);
        note({ collection: 'n', action: 'update', keys: [String(row)], user: null });
      });
    },
    async read() {
      const read = {
        catalog: EMPTY_CATALOG,
        caller: ANONYMOUS,
        statement,
        form: '',
        reads: new Set(['n']),
      };
      const found = await cache.text(read, ask, undefined);
      return { values: JSON.parse(String(found?.text)), hit: found?.hit === true };
    },
  };
}

async function run(versions: readonly TableVersions[]) {
  await pool.query('TRUNCATE n');
  await pool.query('INSERT INTO n SELECT row, 0 FROM generate_series(0, $1) AS row', [ROWS - 1]);
  return observe(versions.map(siteOn), { rows: ROWS, writes: 30 });
}

t.test('one edge with its own versions is exact', async (t) => {
  const { hits, stale } = await run([new MemoryTableVersions()]);
  t.strictSame(stale, []);
  t.ok(hits > 0, 'and answers from its cache');
});

const redisUrl = process.env.TEST_REDIS_URL;
if (redisUrl !== undefined) {
  const prefix = randomUUID();
  const open = async () => {
    const versions = new RedisTableVersions(redisUrl, prefix, log);
    t.teardown(() => versions.close());
    await until(() => versions.ready, 'Redis');
    return versions;
  };
  const pair = [await open(), await open()];

  t.test('two edges on one Redis are exact', async (t) => {
    const { hits, stale } = await run(pair);
    t.strictSame(stale, []);
    t.ok(hits > 0, 'and answer from their caches');
  });

  t.test('edges that report a write after its answer are detected', async (t) => {
    // Whether a read occurs in between is random.
    for (let runs = 0; runs < MOST_RUNS; runs += 1) {
      const { stale } = await run(pair.map((versions) => new LateVersions(versions)));
      if (stale.length > 0) {
        t.pass('a stale answer was returned');
        return;
      }
    }
    t.fail('no stale answer was returned');
  });
}
