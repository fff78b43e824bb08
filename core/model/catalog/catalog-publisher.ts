/** Builds and publishes a new version of the catalog when the database has changed. */
import pg from 'pg';
import type { Log } from '#core/base/log/log.ts';
import { type Pool, transaction } from '#core/database/pool.ts';
import { SQLSTATE } from '#core/database/sqlstate.ts';
import type { MessageBus } from '#core/messaging/bus.ts';
import type { CatalogSchemas } from './catalog.ts';
import {
  FORMAT,
  type PublishedState,
  publishFailure,
  readPublishedState,
  recordUpToDate,
} from './catalog-store.ts';
import { ConcurrentPublication } from './find-unpublished-changes.ts';
import { announce, publishDifference } from './publish-in-transaction.ts';

/** Maximum pause before a failed build is repeated on an unchanged database. */
const RETRY_MAX_MS = 30_000;
const RETRY_MIN_MS = 1_000;
/** How long other transactions may lock tables before the build counts as failed. */
const BLOCKED_MS = 15_000;
/** Attempts while other processes publish, or while tables change. */
const MOST_ATTEMPTS = 5;

interface Failure {
  readonly gauge: string;
  readonly pause: number;
  readonly until: number;
}

export interface CatalogPublisherParts {
  readonly pool: Pool;
  readonly bus: MessageBus;
  readonly log: Log;
  readonly catalogSchemas: CatalogSchemas;
}

/** Nothing has changed since the last complete publication, or only a later release may publish. */
function isSettled({ gauge, settled, failed, later, format }: PublishedState): boolean {
  return later || (settled === gauge && !failed && format === FORMAT);
}

function isBlocked(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === SQLSTATE.lockNotAvailable;
}

export class CatalogPublisher {
  readonly #parts: CatalogPublisherParts;
  #failure: Failure | null = null;
  /** Since when other transactions lock tables to be described. */
  #blockedAt: number | null = null;
  #settled = false;
  /** The ones that were already logged. */
  #orphans: readonly string[] = [];

  constructor(parts: CatalogPublisherParts) {
    this.#parts = parts;
  }

  /** The last comparison found or left nothing to publish. */
  get settled(): boolean {
    return this.#settled;
  }

  /**
   * Publishes a new version if the database differs from the published one. A failed build is
   * logged and recorded; the published version stays.
   * @returns the error of a failed build, otherwise null
   * @throws when the database is not available
   */
  async bringUpToDate(): Promise<unknown> {
    const { pool, catalogSchemas } = this.#parts;
    for (let attempt = 1; ; attempt += 1) {
      const published = await readPublishedState(pool, catalogSchemas);
      this.#settled = isSettled(published);
      if (this.#settled) {
        this.#blockedAt = null;
        return null;
      }
      const known = this.#failure?.gauge === published.gauge ? this.#failure : null;
      if (known !== null && performance.now() < known.until) return null;
      try {
        const { version, isWhole } = await this.#build(published);
        this.#failure = null;
        this.#blockedAt = null;
        if (isWhole) {
          await recordUpToDate(pool, catalogSchemas.system, { gauge: published.gauge, version });
          this.#settled = true;
          return null;
        }
        // The next comparison describes tables that still change.
        if (attempt === MOST_ATTEMPTS) return null;
      } catch (error) {
        if (error instanceof ConcurrentPublication && attempt < MOST_ATTEMPTS) continue;
        if (error instanceof ConcurrentPublication || this.#mayWait(error)) return null;
        // A failure because of a table that was dropped meanwhile does not concern the current
        // state.
        const { gauge } = await readPublishedState(pool, catalogSchemas);
        if (gauge !== published.gauge && attempt < MOST_ATTEMPTS) continue;
        return await this.#fail(error, published.gauge, known?.pause ?? RETRY_MIN_MS / 2);
      }
    }
  }

  /**
   * Whether a lock or another publication caused the failure, so that the next attempt may succeed.
   */
  #mayWait(error: unknown): boolean {
    if (!isBlocked(error)) return false;
    this.#blockedAt ??= performance.now();
    return performance.now() - this.#blockedAt < BLOCKED_MS;
  }

  async #fail(error: unknown, gauge: string, before: number): Promise<unknown> {
    const { pool, catalogSchemas, log } = this.#parts;
    const pause = Math.min(before * 2, RETRY_MAX_MS);
    this.#failure = { gauge, pause, until: performance.now() + pause };
    log.error({ err: error }, 'the catalog could not be built; the last good one stays');
    const message = error instanceof Error ? error.message : String(error);
    await publishFailure(pool, catalogSchemas.system, message);
    return error;
  }

  /** @returns the current version, and whether nothing has changed meanwhile */
  async #build(
    published: PublishedState,
  ): Promise<{ readonly version: number; readonly isWhole: boolean }> {
    const { pool, log, bus, catalogSchemas } = this.#parts;
    const started = performance.now();
    const whole = published.format !== FORMAT;
    const { version, orphans, moving } = await transaction(pool, (client) =>
      publishDifference(client, catalogSchemas, published, whole),
    );
    this.#complain(orphans);
    const isWhole = moving.size === 0;
    if (version === published.version) return { version, isWhole };
    log.info({ version, ms: Math.round(performance.now() - started) }, 'catalog published');
    await announce(bus, log, version);
    return { version, isWhole };
  }

  #complain(orphans: readonly string[]): void {
    const { log } = this.#parts;
    const fresh = orphans.filter((name) => !this.#orphans.includes(name));
    for (const name of fresh) log.warn(`relations of ${name} are ignored: it is not served`);
    this.#orphans = orphans;
  }
}
