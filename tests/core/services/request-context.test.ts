import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { ANONYMOUS } from '#core/access/grants.ts';
import { FULL_RIGHTS } from '#core/access/rights.ts';
import { PoolShares } from '#core/database/pool-shares.ts';
import { Reader } from '#core/database/reader.ts';
import { openBus } from '#core/messaging/open-message-bus.ts';
import { openCatalog } from '#core/model/catalog/open-catalog.ts';
import { clusterId } from '#core/model/system/cluster-id.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import { parsedQuery } from '#core/read/statement-cache.ts';
import type { ReadAnswer } from '#core/services/item-reader.ts';
import { ItemService } from '#core/services/items.ts';
import { ContextSource, servesItems } from '#core/services/request-context.ts';
import { systemRules } from '#core/services/system/rule.ts';
import { WriteGuard } from '#core/write/cache/write-guard.ts';
import { ChangeFeed } from '#core/write/changes/change-feed.ts';
import { WriteTransactions } from '#core/write/changes/write-transactions.ts';
import { STREAMS } from '#tests/harness/stream.ts';
import { install } from '../model/catalog/installation.ts';

const log = pino({ level: 'silent' });
const ADMIN = { ...ANONYMOUS, admin: true };
/** The catalog learns of nothing by itself. */
const NEVER_MS = 3_600_000;
const BOUNDS = {
  limitDefault: 100,
  limitMax: undefined,
  maxDepth: 10,
  maxJsonDepth: 10,
  maxFields: 500,
};

/** An edge whose catalog stays as it is until a request finds it behind. */
async function sleepy(t: Test, setup: string) {
  const { config, url, pool, sql } = await install(t, setup);
  const bus = await openBus(config, url, await clusterId(pool, 'public'), log);
  const shares = new PoolShares({ pool, url, log, wait: 60_000 });
  const reader = new Reader({
    ...STREAMS,
    url,
    name: 'test',
    log,
    shares,
    pipelined: 1,
    statementTimeout: 0,
  });
  await reader.open();
  const parts = { pool, kind: 'test', bus, log, keep: false };
  const catalog = await openCatalog(config, { ...parts, pause: NEVER_MS, lease: NEVER_MS });
  const feed = new ChangeFeed(bus, randomUUID(), log);
  const writes = new WriteGuard(null);
  const transactions = new WriteTransactions({
    access: null,
    writes,
    feed,
    failpoint: async () => undefined,
  });
  t.teardown(async () => {
    await feed.close();
    await catalog.close();
    await reader.close();
    await bus.close();
  });
  const access = { rightsOf: async () => FULL_RIGHTS };
  const items = new ItemService({
    ...{ catalog, reader, pool, shares, bounds: BOUNDS, access, transactions },
    hash: async (secret) => secret,
    maxBatch: undefined,
    schema: 'public',
    serves: servesItems,
    ruleOf: systemRules({ locations: ['local'] }),
    responses: null,
  });
  return { catalog, access, items, sql };
}

const ask = (parameters: Record<string, string>) => parsedQuery(parseQuery(parameters, BOUNDS));
const target = { caller: ADMIN, collection: 'a' };

async function textOf(answer: ReadAnswer): Promise<string> {
  if ('text' in answer) return String(answer.text);
  let text = '';
  for await (const piece of answer.items) text += piece;
  return text;
}

t.test('requests with an outdated catalog run once more', async (t) => {
  const { items, sql } = await sleepy(
    t,
    `CREATE TABLE a (id integer PRIMARY KEY, title text, n integer);
     INSERT INTO a VALUES (1, 'x', 7), (2, 'y', 8)`,
  );
  const page = async () => textOf(await items.list(target, ask({ sort: 'id' })));
  const stream = async () => textOf(await items.list(target, ask({ sort: 'id', limit: '-1' })));
  // Often enough to be prepared.
  for (let time = 0; time < 3; time += 1) t.match(await page(), /"title":"x"/);
  t.match(await stream(), /"title":"x"/);

  await sql('ALTER TABLE a RENAME title TO name');
  t.match(await page(), /"name":"x"/, 'a page');
  await sql('ALTER TABLE a RENAME name TO label');
  t.match(await stream(), /"label":"x"/, 'a stream, before its first byte');
  await sql('ALTER TABLE a RENAME label TO title');
  t.match((await items.one(target, '1', ask({}))).text, /"title":"x"/, 'a single item');
  await sql('ALTER TABLE a RENAME title TO name');
  t.match((await items.some(target, [1, 2], parseQuery({}, BOUNDS))).text, /"name":"y"/, 'some');

  await sql('ALTER TABLE a ALTER id TYPE text');
  t.match((await items.one(target, '1', ask({}))).text, /"id":"1"/, 'a key of another type');
  const created = await items.create(target, { id: '3', n: 9 }, ask({}));
  t.match(created?.data, /"id":"3"/);
  await sql('ALTER TABLE a ALTER n TYPE text');
  t.match((await items.create(target, { id: '4', n: '5' }, ask({})))?.data, /"n":"5"/, 'a create');
  await sql('ALTER TABLE a ALTER n TYPE integer USING n::integer');
  const updated = await items.updateOne(
    target,
    '4',
    { body: { n: 6 } },
    parsedQuery(parseQuery({}, BOUNDS)),
  );
  t.match(updated?.data, /"n":6/, 'an update');
  t.match(await page(), /"id":"4"/);

  await sql('DROP TABLE a');
  await t.rejects(page(), { code: 'FORBIDDEN' }, 'and a dropped object is forbidden');
});

t.test('again for each change that occurs meanwhile, within a limit', async (t) => {
  const { catalog, access, sql } = await sleepy(t, 'CREATE TABLE a (id integer PRIMARY KEY)');
  const contexts = new ContextSource({ catalog, access, bounds: BOUNDS });
  const overtakenBy = (changes: number, code: string, message: string) => {
    let count = 0;
    return contexts.with(target, async () => {
      if (count === changes) return count;
      count += 1;
      await sql(`CREATE TABLE more_${code}_${changes}_${count} (id integer PRIMARY KEY)`);
      const error = new pg.DatabaseError(message, 0, 'error');
      error.code = code;
      throw error;
    });
  };
  t.equal(await overtakenBy(4, '42703', 'column "x" does not exist'), 4);
  t.equal(await overtakenBy(3, 'XX000', 'could not open relation with OID 17123'), 3);
  t.equal(await overtakenBy(2, 'XX000', 'cache lookup failed for relation 17123'), 2);
  await t.rejects(overtakenBy(5, '42P01', 'no'), { code: 'SERVICE_UNAVAILABLE' });
});

t.test('once more, and only if a fresh catalog can help', async (t) => {
  const { catalog, access } = await sleepy(t, 'CREATE TABLE a (id integer PRIMARY KEY)');
  const contexts = new ContextSource({ catalog, access, bounds: BOUNDS });
  const attempts = async (code: string, refusal: { readonly code?: string } = {}) => {
    let count = 0;
    const failing = contexts.with(target, () => {
      count += 1;
      const error = new pg.DatabaseError('no', 0, 'error');
      error.code = code;
      error.position = '1';
      throw error;
    });
    const error = await failing.then(
      () => null,
      (reason: unknown) => reason,
    );
    t.match(error, refusal, code);
    return count;
  };
  for (const code of ['26000', '3F000']) {
    t.equal(await attempts(code, { code }), 2, code);
  }
  for (const code of ['0A000', '42704', '42P10', '42P01', '42703']) {
    t.equal(await attempts(code, { code: 'INVALID_QUERY' }), 2, code);
  }
  // A type mismatch is the fault of the query, unless the catalog has changed.
  const { version } = catalog.current();
  for (const code of ['42883', '42804', '42846', '42P18', '42725', '42P22']) {
    t.equal(await attempts(code, { code: 'INVALID_QUERY' }), 1, code);
  }
  // Whatever else of class 42 a read meets is no failure of the service either, but for its grants.
  for (const code of ['42601', '42702', '42P02', '42P19', '42P20', '42939']) {
    t.equal(await attempts(code, { code: 'INVALID_QUERY' }), 1, code);
  }
  t.equal(await attempts('42501', { code: '42501' }), 1);
  t.equal(catalog.current().version, version);
  for (const code of ['23505', '57014', '40001', 'XX000']) t.equal(await attempts(code), 1, code);
});
