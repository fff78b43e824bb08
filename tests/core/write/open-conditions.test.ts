/**
 * Validations on values that only PostgreSQL can evaluate: it evaluates them before any row is
 * written.
 */
import { pino } from 'pino';
import t from 'tap';
import { ANONYMOUS } from '#core/access/grants.ts';
import { type PermissionRow, rightsFrom } from '#core/access/rights.ts';
import { ServiceError, ServiceErrors } from '#core/base/errors/service-error.ts';
import { PoolShares } from '#core/database/pool-shares.ts';
import { Reader } from '#core/database/reader.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import { ItemService } from '#core/services/items.ts';
import { servesItems } from '#core/services/request-context.ts';
import { systemRules } from '#core/services/system/rule.ts';
import { WriteGuard } from '#core/write/cache/write-guard.ts';
import { WriteTransactions } from '#core/write/changes/write-transactions.ts';
import { NO_CHANGE_FEED } from '#tests/harness/no-change-feed.ts';
import { STREAMS } from '#tests/harness/stream.ts';
import { install } from '../model/catalog/installation.ts';
import { BOUNDS } from '../read/plan/fixture/shop.ts';

const RULE = {
  _and: [
    { net: { _ncontains: '/24', _contains: '10.0.0.' } },
    { _or: [{ labels: { _contains: 'a' } }, { name: { _eq: 'free' } }] },
    { doc: { _json: { size: { _lt: 10 } } } },
    { name: { _nicontains: 'É' } },
  ],
};

function permissions(collection: string, validation: unknown): PermissionRow[] {
  return (['create', 'read', 'update'] as const).map((action) => ({
    ...{ collection, action, presets: {}, rule: null, fields: null },
    validation: action === 'read' || validation === null ? null : parseFilter(validation, 'rule'),
  }));
}

const rights = rightsFrom([...permissions('hosts', RULE), ...permissions('racks', null)]);

async function open() {
  const {
    url,
    pool,
    open: openCatalogs,
  } = await install(
    t,
    `CREATE TABLE racks (id int PRIMARY KEY);
     CREATE TABLE hosts (id int PRIMARY KEY, net inet, labels text[], name text, doc jsonb,
       rack int REFERENCES racks);
     INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
       VALUES ('hosts', 'rack', 'racks', 'hosts')`,
  );
  const log = pino({ level: 'silent' });
  const shares = new PoolShares({ pool, url, log, wait: 60_000 });
  const reader = new Reader({
    ...STREAMS,
    ...{ url, name: 'test', log, shares, pipelined: 0, statementTimeout: 0 },
  });
  const items = new ItemService({
    ...{ catalog: await openCatalogs(false), reader, pool, shares, bounds: BOUNDS },
    transactions: new WriteTransactions({
      access: null,
      writes: new WriteGuard(null),
      feed: NO_CHANGE_FEED,
      failpoint: async () => undefined,
    }),
    access: { rightsOf: async () => rights },
    hash: async (secret) => secret,
    maxBatch: undefined,
    schema: 'public',
    serves: servesItems,
    ruleOf: systemRules({ locations: ['local'] }),
    responses: null,
  });
  return { pool, items };
}

const world = await open();
const visitor = { ip: '192.0.2.1', userAgent: 'tap', origin: null };
const ALL = { text: '', query: () => parseQuery({}, BOUNDS) };

/** The reasons of a rejected write: fields and kinds; null when it succeeds. */
async function refusal(write: Promise<unknown>): Promise<unknown> {
  try {
    await write;
    return null;
  } catch (error) {
    const errors = error instanceof ServiceErrors ? error.errors : [error];
    return errors.map((one) => {
      if (!(one instanceof ServiceError)) throw one;
      return `${one.code} ${String(one.details.field)} ${String(one.details.type)}`;
    });
  }
}

function targetOf(collection: string) {
  return { collection, caller: { ...ANONYMOUS, user: null }, visitor };
}
const target = targetOf('hosts');
const create = (body: unknown) => refusal(world.items.create(target, body, ALL));
const GOOD = { net: '10.0.0.7', labels: ['b', 'a'], name: 'web', doc: { size: 3 } };
const failed = (...told: string[]) => told.map((one) => `FAILED_VALIDATION ${one}`);

t.test('items are created or rejected', async (t) => {
  t.equal(await create({ id: 1, ...GOOD }), null);
  t.equal(await create({ id: 2, ...GOOD, labels: [], name: 'free' }), null);
  t.equal(await create({ id: 3 }), null, 'a missing value passes');
  t.equal(await create({ id: 4, ...GOOD, net: '10.0.0.7/32', name: 'Web' }), null);
  t.strictSame(await create({ id: 5, ...GOOD, net: '10.0.1.0' }), failed('net contains'));
  t.strictSame(await create({ id: 5, ...GOOD, labels: ['ab'] }), [
    ...failed('labels contains', 'name eq'),
  ]);
  t.strictSame(await create({ id: 5, ...GOOD, doc: { size: 10 } }), failed('doc document'));
  // The database's locale determines which letters are equal.
  const { rows } = await world.pool.query<{ same: boolean }>("SELECT 'É' ILIKE 'é' AS same");
  t.strictSame(
    await create({ id: 7, ...GOOD, name: 'café' }),
    rows[0]?.same ? failed('name nicontains') : null,
  );
  t.equal(await create({ id: 6, ...GOOD, name: null }), null, 'null is not compared');
  // PostgreSQL fails the statement, so the other conditions are unknown too.
  const none = await create({ id: 5, ...GOOD, net: 'no address' });
  t.match(none, failed('net ncontains', 'net contains'));
});

t.test('many items, and nested ones, are validated together', async (t) => {
  const many = Array.from({ length: 20 }, (_, index) => ({ ...GOOD, id: 10 + index }));
  t.equal(await create(many), null);
  const one = { ...GOOD, id: 98, net: '9.0.0.1' };
  t.strictSame(await create([{ ...GOOD, id: 99 }, one]), failed('net contains'));
  const rack = (hosts: unknown) =>
    refusal(world.items.create(targetOf('racks'), { id: 1, hosts }, ALL));
  t.strictSame(await rack([{ ...GOOD, id: 97 }, one]), failed('hosts contains'));
  t.equal(await rack([{ ...GOOD, id: 97 }]), null);
  const { rows } = await world.pool.query('SELECT id FROM hosts WHERE id > 90');
  t.strictSame(rows, [{ id: 97 }]);
});

t.test('updates are validated by their changed members', async (t) => {
  const update = (key: string, body: unknown) =>
    refusal(world.items.updateOne(target, key, { body }, ALL));
  t.equal(await update('1', { net: '10.0.0.8' }), null);
  t.equal(await update('1', { labels: ['a'] }), null);
  t.strictSame(await update('1', { net: '11.0.0.8' }), failed('net contains'));
  t.strictSame(
    await update('1', { labels: ['x'], name: 'web' }),
    failed('labels contains', 'name eq'),
  );
  const { rows } = await world.pool.query('SELECT net::text, labels::text FROM hosts WHERE id = 1');
  t.strictSame(rows, [{ net: '10.0.0.8/32', labels: '{a}' }]);
});
