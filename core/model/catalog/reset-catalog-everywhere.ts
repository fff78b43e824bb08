/** Makes all processes clear their caches and load the whole catalog again. */

import type { Log } from '#core/base/log/log.ts';
import { type Pool, transaction } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import type { MessageBus } from '#core/messaging/bus.ts';
import { systemTable } from '../system/system-table.ts';
import type { CatalogSchemas } from './catalog.ts';
import { readPublishedState } from './catalog-store.ts';
import { ConcurrentPublication } from './find-unpublished-changes.ts';
import { publishDifference } from './publish-in-transaction.ts';

/** Attempts while other processes publish. */
const MOST_ATTEMPTS = 5;

export interface CatalogResetParts {
  readonly pool: Pool;
  readonly bus: Pick<MessageBus, 'publish'>;
  readonly log: Log;
  readonly catalogSchemas: CatalogSchemas;
}

/**
 * Describes the whole database again, publishes differences and counts a reset, in one transaction.
 * The registry of live processes shows which processes have applied it.
 * @returns the number of the reset
 * @throws when the catalog cannot be built; nothing has changed then
 */
export async function resetCatalogEverywhere({
  pool,
  bus,
  log,
  catalogSchemas,
}: CatalogResetParts): Promise<number> {
  const reset = await countReset(pool, catalogSchemas);
  // Processes that get the message read the counters.
  await bus.publish('access.changed', { version: 0 }).catch((error: unknown) => {
    log.debug(
      { err: error },
      'the reset could not be announced; it is noticed with the next read of the counters',
    );
  });
  return reset;
}

async function countReset(pool: Pool, catalogSchemas: CatalogSchemas): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const published = await readPublishedState(pool, catalogSchemas);
    try {
      return await transaction(pool, async (client) => {
        // The catalog of a later release is not changed.
        if (!published.later) await publishDifference(client, catalogSchemas, published, true);
        const { rows } = await client.query<{ version: string }>(
          render(sql`UPDATE ${systemTable(catalogSchemas.system, 'state')} SET version = version + 1
            WHERE name = 'reset' RETURNING version`),
        );
        return Number(rows[0]?.version);
      });
    } catch (error) {
      if (!(error instanceof ConcurrentPublication) || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}
