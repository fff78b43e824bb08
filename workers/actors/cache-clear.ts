/**
 * Makes every process clear its caches of data, permissions and schema, and introspect the database
 * again. Ends when each live process has confirmed, or after a time limit.
 */

import {
  CACHE_CLEAR_JOB,
  type CacheClearResult,
  cacheClearMessage,
} from '#core/jobs/message/cache-clear.ts';
import { resetCatalogEverywhere } from '#core/model/catalog/reset-catalog-everywhere.ts';
import { Members } from '#core/model/system/process-registry.ts';
import type { Actor } from '#workers/runtime/actor.ts';

const DEADLINE_MS = 600_000;
/** Maximum wait for the other processes. Each of them checks about once a second. */
const CONFIRMED_WITHIN_MS = 30_000;

export const cacheClearActor: Actor<typeof cacheClearMessage> = {
  name: CACHE_CLEAR_JOB,
  queue: 'maintenance',
  message: cacheClearMessage,
  version: 1,
  effect: 'idempotent',
  deadline: () => DEADLINE_MS,
  mailbox: () => null,

  async receive(_, { services, signal, log }): Promise<CacheClearResult> {
    const { config, pool, bus, schema } = services;
    const catalogSchemas = { schemas: [...new Set(config.DATABASE_SCHEMA)], system: schema };
    const reset = await resetCatalogEverywhere({ pool, bus, log, catalogSchemas });
    const members = new Members(pool, schema);
    const unconfirmed = await members.confirmed(reset, { signal, within: CONFIRMED_WITHIN_MS });
    return { unconfirmed };
  },
};
