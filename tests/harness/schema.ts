/** A database whose schema is altered as the worker alters it, and whose items are served. */
import { pino } from 'pino';
import { AccessSource } from '#core/access/access-source.ts';
import type { Caller } from '#core/access/grants.ts';
import { ServiceError, ServiceErrors } from '#core/base/errors/service-error.ts';
import type { Pool } from '#core/database/pool.ts';
import { PoolShares } from '#core/database/pool-shares.ts';
import { Reader } from '#core/database/reader.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import type { SchemaChange } from '#core/schema/schema-change.ts';
import { alterSchema } from '#core/schema/schema-transaction.ts';
import { ItemService } from '#core/services/items.ts';
import { servesItems } from '#core/services/request-context.ts';
import { systemRules } from '#core/services/system/rule.ts';
import { WriteGuard } from '#core/write/cache/write-guard.ts';
import { WriteTransactions } from '#core/write/changes/write-transactions.ts';
import { NO_VISITOR } from '#core/write/history/history.ts';
import { install, type Test } from '#tests/core/model/catalog/installation.ts';
import { NO_CHANGE_FEED } from './no-change-feed.ts';
import { STREAMS } from './stream.ts';

/** A caller without policies, except the public ones. */
const NOBODY: Caller = {
  ...{ user: null, role: null, roles: [], policies: [], admin: false, app: false },
  ...{ enforceTfa: false, lacksSecondFactor: false, byAddress: false, ip: null, session: null },
};
export const ADMIN: Caller = { ...NOBODY, admin: true };

export interface SchemaUnderTest {
  readonly pool: Pool;
  readonly source: CatalogSource;
  readonly items: ItemService;
  /** Runs SQL like any other client of the database. */
  sql(text: string): Promise<void>;
  /** Applies a change and returns the catalog that contains it. */
  change(change: SchemaChange): Promise<Catalog>;
  /** The error with which a change fails. */
  refusal(change: SchemaChange): Promise<ServiceError>;
}

/** The first of the coded errors; any other error is thrown. */
export function codedError(error: unknown): ServiceError {
  if (error instanceof ServiceErrors) return error.errors[0];
  if (error instanceof ServiceError) return error;
  throw error;
}

/** A caller with exactly these policies. */
export function callerOf(...policies: string[]): Caller {
  return { ...NOBODY, policies };
}

const BOUNDS = {
  limitDefault: 100,
  limitMax: undefined,
  maxDepth: 10,
  maxJsonDepth: 10,
  maxFields: 500,
};

export async function openSchema(t: Test, setup = ''): Promise<SchemaUnderTest> {
  const { pool, url, sql, open } = await install(t, setup);
  const log = pino({ level: 'silent' });
  const source = await open(false);
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
  t.teardown(() => reader.close());
  const items = new ItemService({
    ...{
      catalog: source,
      pool,
      shares,
      reader,
      schema: 'public',
      bounds: BOUNDS,
      maxBatch: undefined,
    },
    access: new AccessSource({ pool, schema: 'public', catalog: source, log }),
    serves: servesItems,
    responses: null,
    hash: (secret) => Promise.resolve(`hashed ${secret}`),
    ruleOf: systemRules({ locations: ['local'] }),
    transactions: new WriteTransactions({
      access: null,
      writes: new WriteGuard(null),
      feed: NO_CHANGE_FEED,
      failpoint: () => Promise.resolve(),
    }),
  });
  const change = async (change: SchemaChange) => {
    const client = await pool.connect();
    try {
      await alterSchema(change, {
        client,
        catalog: await source.refresh(),
        catalogSchemas: { schemas: ['public'], system: 'public' },
        ...{ lockTimeout: 3_000, concurrently: false, force: false },
        author: { user: null, visitor: NO_VISITOR },
        signal: new AbortController().signal,
        order: () => Promise.reject(new Error('indexes are made at once')),
        complete: () => Promise.resolve(),
      });
    } finally {
      client.release();
    }
    return source.refresh();
  };
  const refusal = async (wanted: SchemaChange) => {
    const done = await change(wanted).then(() => null, codedError);
    if (done === null) throw new Error(`not refused: ${JSON.stringify(wanted)}`);
    return done;
  };
  return { pool, source, items, sql, change, refusal };
}
