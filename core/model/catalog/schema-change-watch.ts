/**
 * Watches the database for schema changes. One process, elected by a lease, compares the schema
 * with the published catalog about once a second, and when PostgreSQL reports DDL. It also logs
 * tables that cannot be served, so that only one process of the cluster does.
 */
import type { Log } from '#core/base/log/log.ts';
import type { MessageBus } from '#core/messaging/bus.ts';
import type { Lease } from '../system/lease.ts';
import type { Catalog } from './catalog.ts';
import type { CatalogSource } from './catalog-source.ts';
import { repeat } from './repeated-task.ts';

/**
 * Time (ms) between a report of DDL and the comparison: a migration has many statements, and a
 * change through the API publishes by itself meanwhile.
 */
const SETTLE_MS = 300;

/** Logs new tables that are left out, and new ignored metadata. */
function report(log: Log, catalog: Catalog, reported: Set<string>): void {
  const { leftOut, warnings } = catalog;
  const lines = [
    ...leftOut.map(({ schema, name, reason }) => `${[schema, name].join('.')}: ${reason}`),
    ...warnings,
  ];
  for (const line of lines) if (!reported.has(line)) log.warn(`not served: ${line}`);
  reported.clear();
  for (const line of lines) reported.add(line);
}

export interface SchemaChangeWatch {
  readonly lease: Lease;
  readonly bus: MessageBus;
  readonly log: Log;
  /** Milliseconds between two comparisons. */
  readonly pause: number;
}

/** Makes a source watch for schema changes while its process holds the lease of the watcher. */
export function withSchemaChangeWatch(
  source: CatalogSource,
  watching: SchemaChangeWatch,
): CatalogSource {
  const { lease, bus, log, pause } = watching;
  const reported = new Set<string>();
  let elected = false;
  const watch = async () => {
    elected = await lease.hold();
    if (!elected) return;
    const catalog = await source.refresh();
    report(log, catalog, reported);
  };
  const complaint = 'the database cannot be watched for changes';
  // Elected at once, without waiting for the first pause.
  const first = watch().catch((error: unknown) => log.debug({ err: error }, complaint));
  const end = repeat(watch, { pause, log, complaint });
  let altered: NodeJS.Timeout | null = null;
  const deafen = bus.subscribe('schema.altered', () => {
    if (!elected || altered !== null) return;
    altered = setTimeout(() => {
      altered = null;
      // The next regular comparison repeats one that fails.
      source.refresh().catch((error: unknown) => log.debug({ err: error }, complaint));
    }, SETTLE_MS);
  });
  return {
    current: () => source.current(),
    refresh: () => source.refresh(),
    onChange: (handler) => source.onChange(handler),
    onAccess: (handler) => source.onAccess(handler),
    onCounter: (name, handler) => source.onCounter(name, handler),
    silence: () => source.silence(),
    inContact: () => source.inContact(),
    trust: () => source.trust(),
    distrust: () => source.distrust(),
    hear: () => source.hear(),
    look: () => source.look(),
    ready: () => source.ready(),
    regain: () => source.regain(),
    status: () => source.status(),
    async close() {
      deafen();
      if (altered !== null) clearTimeout(altered);
      await first;
      await end();
      if (elected) {
        await lease.release().catch((error: unknown) => {
          log.debug({ err: error }, 'the lease could not be given back; it expires by itself');
        });
      }
      await source.close();
    },
  };
}
