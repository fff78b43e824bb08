/** Builds and publishes a new version of the catalog when the database has changed. */
import { type Pool, transaction } from '#core/database/pool.ts';
import type { Log } from '#core/log/log.ts';
import type { MessageBus } from '#core/messages/bus.ts';
import { compose } from './compose.ts';
import { introspect } from './introspect.ts';
import { announce } from './publish.ts';
import { lockForBuilding, type Place, publish, publishFailure, readStanding } from './store.ts';

/**
 * Read committed, so that what is read under the lock is what others left; an empty search_path,
 * so that types and expressions come out qualified, whatever the role's own path is.
 */
const SETTINGS = [
  'SET TRANSACTION ISOLATION LEVEL READ COMMITTED',
  'SET LOCAL search_path = pg_catalog',
  "SET LOCAL lock_timeout = '2s'",
].join('; ');

/** Longest pause before a failed build is tried again on a database that has not changed since. */
const RETRY_MAX_MS = 30_000;
const RETRY_MIN_MS = 1_000;

interface Failure {
  readonly fingerprint: string;
  readonly pause: number;
  readonly until: number;
}

export interface BuilderParts {
  readonly pool: Pool;
  readonly bus: MessageBus;
  readonly log: Log;
  readonly place: Place;
}

export class Builder {
  readonly #parts: BuilderParts;
  #failure: Failure | null = null;

  constructor(parts: BuilderParts) {
    this.#parts = parts;
  }

  /**
   * Publishes a new version if the database differs from what is published. A build that fails is
   * logged and recorded; what was published before it stays.
   * @returns the error of a failed build, else null
   * @throws when the database cannot be asked at all
   */
  async bringUpToDate(): Promise<unknown> {
    const { pool, place, log } = this.#parts;
    const standing = await readStanding(pool, place);
    if (!standing.due) {
      this.#failure = null;
      return null;
    }
    const known = this.#failure?.fingerprint === standing.fingerprint ? this.#failure : null;
    if (known !== null && performance.now() < known.until) return null;
    try {
      await this.#build();
      this.#failure = null;
      return null;
    } catch (error) {
      const pause = Math.min((known?.pause ?? RETRY_MIN_MS / 2) * 2, RETRY_MAX_MS);
      const until = performance.now() + pause;
      this.#failure = { fingerprint: standing.fingerprint, pause, until };
      log.error({ err: error }, 'the catalog could not be built; the last good one stays');
      const message = error instanceof Error ? error.message : String(error);
      await publishFailure(pool, place.system, message);
      return error;
    }
  }

  async #build(): Promise<void> {
    const { pool, place, log, bus } = this.#parts;
    const started = performance.now();
    const outcome = await transaction(pool, async (client) => {
      await client.query(SETTINGS);
      await lockForBuilding(client, place.system);
      const standing = await readStanding(client, place);
      if (!standing.due) return null;
      const found = await introspect(client, place.schemas, place.system);
      const composition = compose(found, place.schemas, place.system);
      const version = await publish(client, place.system, standing, composition);
      return { version, before: standing.version, orphans: composition.orphans };
    });
    if (outcome === null) return;
    const { version, before, orphans } = outcome;
    for (const name of orphans) log.warn(`relations of ${name} are passed over: it is not served`);
    if (version === before) return;
    log.info({ version, ms: Math.round(performance.now() - started) }, 'catalog published');
    await announce(bus, log, version);
  }
}
