// @newest @slow

/**
 * The property: whatever becomes of statements and connections, each request has one answer, the one
 * that belongs to it, and no write is sent twice.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { array, asyncProperty, check, constantFrom, integer, record } from 'fast-check';
import { pino } from 'pino';
import t from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import { createPool, transaction } from '#core/database/pool.ts';
import { PoolShares } from '#core/database/pool-shares.ts';
import { runTogether } from '#core/database/prepared.ts';
import { Reader } from '#core/database/reader.ts';
import { connectionFor, spareConnection } from '#core/database/write-connection.ts';
import { createDatabase, type Teardown } from '#tests/harness/database.ts';
import { STREAMS } from '#tests/harness/stream.ts';
import { until } from '#tests/harness/until.ts';

/** Where the schedules of this run begin; PROPERTY_SEED repeats what a report names. */
const SEED = Number(process.env.PROPERTY_SEED ?? 1);
const SCHEDULES = Number(process.env.PROPERTY_SCHEDULES ?? 12);
const STATEMENT_TIMEOUT_MS = 1_500;
const log = pino({ level: 'silent' });

/** What a request does: the second part says what happens to its statement. */
const KINDS = [
  ...['read quick', 'read quick', 'read quick', 'read stall', 'read fail', 'read die', 'read lock'],
  ...['stream quick', 'stream lock', 'stream die'],
  ...['short quick', 'short quick', 'short stall', 'short fail', 'short die', 'short lock'],
  ...['keyed quick', 'keyed quick', 'keyed quick', 'keyed fail', 'keyed die'],
  ...['long quick', 'long stall', 'long fail', 'long die', 'long lock', 'long held'],
] as const;
type Kind = (typeof KINDS)[number];

const request = record({
  kind: constantFrom(...KINDS),
  /** When it is sent, and how long it stalls (ms). */
  at: integer({ min: 0, max: 400 }),
  stall: integer({ min: 0, max: 700 }),
  /** When its client goes away (ms after it was sent); most stay. */
  away: constantFrom(null, null, null, null, 5, 100, 400),
});
const schedule = record({
  requests: array(request, { minLength: 20, maxLength: 60 }),
  /** For how long (ms) the table is locked, from the beginning. */
  locked: constantFrom(0, 200, 1_000, 4_000),
});

type Answer =
  | { readonly status: 'answered'; readonly text: string }
  | { readonly status: 'failed' };

/** What a request runs after what happens to it: `$1` is its number, `$2` how long it stalls. */
const HAPPENS: Readonly<Record<string, string>> = {
  quick: 'SELECT 1 WHERE $2::int >= 0',
  stall: 'SELECT 1 FROM pg_sleep($2::int / 1000.0)',
  fail: 'SELECT 1 / ($2::int * 0)',
  die: 'SELECT 1 FROM pg_terminate_backend(pg_backend_pid()) WHERE $2::int >= 0',
  lock: 'SELECT count(*) FROM locked WHERE $2::int >= 0',
  // Holds the row that changes by key are about.
  held: 'SELECT 1 FROM (SELECT FROM row FOR UPDATE) AS held, pg_sleep($2::int / 1000.0)',
};

async function open(t: Teardown) {
  const url = await createDatabase(t);
  const config = loadConfig({ DATABASE_POOL_WAIT: '5s' });
  const statementTimeout = STATEMENT_TIMEOUT_MS;
  const pool = createPool(config, url, log, { name: 'test', max: 4, statementTimeout });
  const own = createPool(config, url, log, { name: 'own', max: 2, statementTimeout: 0 });
  const shares = new PoolShares({ pool, url, log, wait: 5_000 });
  const reader = new Reader({
    ...{ ...STREAMS, url, name: 'test', log, shares, pipelined: 2, statementTimeout },
  });
  await reader.open();
  t.teardown(() => Promise.all([reader.close(), pool.end(), own.end()]));
  // What sequences count is not undone with a transaction.
  await own.query(`CREATE TABLE locked (id int); CREATE TABLE written (id bigint);
    CREATE TABLE row (id int PRIMARY KEY, last bigint); INSERT INTO row VALUES (1, 0);
    CREATE FUNCTION send(id bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN
      PERFORM nextval('sent_' || id); RETURN id; END $$`);
  return { pool, own, shares, reader };
}

type Rig = Awaited<ReturnType<typeof open>>;

async function perform(
  { reader, shares }: Rig,
  id: number,
  kind: Kind,
  { stall, signal }: { readonly stall: number; readonly signal: AbortSignal },
): Promise<string> {
  const [how = '', what = ''] = kind.split(' ');
  const happens = HAPPENS[what] ?? '';
  const values = [id, stall];
  if (how === 'read') {
    const text = `SELECT 'answer ' || $1::bigint FROM (${happens}) AS happens`;
    return (await reader.text({ text, values }, signal)) ?? '';
  }
  if (how === 'stream') {
    const text = `SELECT 'answer ' || $1::bigint FROM (${happens}) AS happens`;
    const batches: string[][] = [];
    for await (const batch of reader.stream({ text, values }, 'anybody', signal)) {
      batches.push(batch);
    }
    return batches.flat().join();
  }
  const write = {
    text: 'INSERT INTO written SELECT send($1::bigint) RETURNING id',
    values: [id],
  };
  const after = { text: `SELECT $1::bigint FROM (${happens}) AS happens`, values };
  if (how === 'short') {
    const waitsForLocks = what === 'lock';
    const run = connectionFor(
      { shares, reader },
      { table: 'written', rows: 1, holder: null, waitsForLocks },
    );
    const [rows] = await run((client) => runTogether(client, [write, after]));
    return `answer ${rows?.[0]?.[0]}`;
  }
  if (how === 'keyed') {
    const change = (where: string) => ({
      text: `WITH w AS (UPDATE row SET last = $1::bigint WHERE id = ${where} RETURNING last)
        INSERT INTO written SELECT send(last) FROM w RETURNING id`,
      values: [id],
    });
    const skip = '(SELECT id FROM row WHERE id = 1 FOR NO KEY UPDATE SKIP LOCKED)';
    const spare = spareConnection({ shares, reader }, { table: 'written', rows: 1 }, false);
    const [tried] = (await spare?.((client) => runTogether(client, [change(skip), after]))) ?? [];
    if (tried?.[0] !== undefined) return `answer ${tried[0][0]}`;
    const short = { table: 'written', rows: 1, holder: null, waitsForLocks: true };
    const run = connectionFor({ shares, reader }, short);
    const [rows] = await run((client) => runTogether(client, [change('1'), after]));
    return `answer ${rows?.[0]?.[0]}`;
  }
  return await transaction(shares.writesTo('written'), async (client) => {
    const { rows } = await client.query<{ id: string }>(write);
    await client.query(after);
    return `answer ${rows[0]?.id}`;
  });
}

t.test('each request has one answer, and no write is sent twice', async (t) => {
  const rig = await open(t);
  const { own, pool, reader, shares } = rig;
  let first = 1;
  const property = asyncProperty(schedule, async ({ requests, locked }) => {
    const ids = requests.map((_, index) => first + index);
    first += requests.length;
    await own.query(ids.map((id) => `CREATE SEQUENCE sent_${id}`).join('; '));
    const holder = await own.connect();
    await holder.query('BEGIN; LOCK locked');
    const unlocked = delay(locked).then(() => holder.query('COMMIT'));
    const answers = await Promise.all(
      requests.map(async ({ kind, at, stall, away }, index): Promise<Answer> => {
        await delay(at);
        const controller = new AbortController();
        if (away !== null) void delay(away).then(() => controller.abort());
        const { signal } = controller;
        return await perform(rig, ids[index] ?? 0, kind, { stall, signal }).then(
          (text) => ({ status: 'answered', text }),
          () => ({ status: 'failed' }),
        );
      }),
    );
    await unlocked;
    holder.release();
    const sent = await own.query<{ id: number; sent: number }>(
      `SELECT substr(sequencename, 6)::int AS id, coalesce(last_value, 0)::int AS sent
       FROM pg_sequences`,
    );
    const timesSent = new Map(sent.rows.map(({ id, sent }) => [id, sent]));
    const { rows } = await own.query<{ id: string }>('SELECT id FROM written');
    const written = rows.map(({ id }) => Number(id));
    for (const [index, answer] of answers.entries()) {
      const id = ids[index] ?? 0;
      const kind = requests[index]?.kind ?? '';
      const at = `request ${index} (${kind}): ${JSON.stringify(answer)}`;
      if (answer.status === 'answered' && answer.text !== `answer ${id}`) throw new Error(at);
      if (kind.endsWith('quick') && requests[index]?.away === null && answer.status === 'failed') {
        failedQuick += 1;
      }
      const times = written.filter((other) => other === id).length;
      const isWrite = /^(?:short|keyed|long)/.test(kind);
      if ((timesSent.get(id) ?? 0) > 1 || times > 1) throw new Error(`${at} was sent twice`);
      if (isWrite && answer.status === 'answered' && times !== 1) throw new Error(`${at} is lost`);
      if (isWrite && answer.status === 'failed' && times !== 0) throw new Error(`${at} is there`);
    }
    await until(() => reader.unresponsive === 0, 'nothing runs on');
    await until(() => pool.totalCount === pool.idleCount, 'every connection is free');
    if (!shares.hasRoom(3)) throw new Error('a share is not given back');
    await own.query(`${ids.map((id) => `DROP SEQUENCE sent_${id}`).join('; ')}; TRUNCATE written`);
  });
  let failedQuick = 0;
  t.comment(`PROPERTY_SEED=${SEED} PROPERTY_SCHEDULES=${SCHEDULES}`);
  const result = await check(property, { seed: SEED, numRuns: SCHEDULES, endOnFailure: true });
  t.notOk(result.failed, `${result.errorInstance} ${JSON.stringify(result.counterexample)}`);
  t.comment(`${failedQuick} quick ones failed with the connection of another`);
});
