/**
 * Waits, between the commit and the answer of a change of users, permissions, sessions or settings,
 * until each edge has applied it. It does not wait for an edge without a lease, which answers
 * nothing before it is up to date again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { reason } from '#core/base/errors/reason.ts';
import { unavailable } from '#core/base/errors/service-error.ts';
import type { Log } from '#core/base/log/log.ts';
import type { Pool } from '#core/database/pool.ts';
import type { MessageBus } from '#core/messaging/bus.ts';
import { Members } from '../system/process-registry.ts';
import type { CatalogSource } from './catalog-source.ts';
import { coalesceCalls } from './coalesce-calls.ts';

export interface WaitForEdgesParts {
  /** Connections for reading the counters without waiting for other work. */
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly catalog: Pick<CatalogSource, 'distrust' | 'hear'>;
  readonly bus: Pick<MessageBus, 'publish'>;
  readonly log: Log;
}

/** Resolves when each later request uses the data committed before the call. */
export type WaitForEdges = () => Promise<void>;

/**
 * Longer than any lease; a process that renews its lease but has not applied the change by then
 * never will.
 */
const KNOWN_WITHIN_MS = 10_000;
const TRY_AGAIN_MS = 250;

/** Callers during a round share the next one. */
export function waitForEdges(parts: WaitForEdgesParts): WaitForEdges {
  const { catalog, pool, schema, bus, log } = parts;
  const members = new Members(pool, schema);

  async function round(): Promise<void> {
    const { access, sessions } = await catalog.hear();
    // Without the message they read the counters within about a second.
    bus.publish('access.changed', { version: access, sessions }).catch((error: unknown) => {
      log.debug({ err: error }, 'could not announce a change of rights');
    });
    const lost = await members.acknowledged({ access, sessions }, { within: KNOWN_WITHIN_MS });
    if (lost.length > 0)
      log.warn({ lost }, 'edges did not apply a change before their lease expired');
  }

  return coalesceCalls(async () => {
    catalog.distrust();
    const until = performance.now() + KNOWN_WITHIN_MS;
    for (;;) {
      try {
        return await round();
      } catch (error) {
        if (performance.now() < until) await delay(TRY_AGAIN_MS);
        else {
          throw unavailable('database', reason('change_unconfirmed'), { cause: error });
        }
      }
    }
  });
}
