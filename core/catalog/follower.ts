/**
 * The catalog of one process: follows what is published, by message and by counter, and swaps to
 * each new version in one step, while the old one serves until then.
 */
import type { Pool } from '#core/database/pool.ts';
import type { Log } from '#core/log/log.ts';
import type { MessageBus } from '#core/messages/bus.ts';
import { buildCatalog } from './build.ts';
import type { Builder } from './builder.ts';
import type { Catalog } from './catalog.ts';
import { coalesce } from './coalesce.ts';
import { type CounterName, type Counters, readCounters } from './counters.ts';
import { Listeners } from './listeners.ts';
import { repeat } from './repeat.ts';
import { EMPTY_CATALOG, pull } from './replica.ts';
import type { CatalogSource, CatalogStatus } from './source.ts';

export interface FollowerParts {
  readonly pool: Pool;
  readonly bus: MessageBus;
  readonly log: Log;
  /** The schema of the system tables. */
  readonly system: string;
  readonly builder: Builder;
  /** Milliseconds between two looks at the counters. */
  readonly pause: number;
}

const COUNTER_NAMES = ['catalog', 'metadata', 'access', 'sessions', 'cache'] as const;
/** As many looks have failed or gone missing before the catalog counts as stale. */
const MISSED_LOOKS = 5;
/** A look begins a pause after the one before has ended; twice that leaves time for the look. */
const CONTACT_LOOKS = 2;

export class Follower implements CatalogSource {
  readonly #parts: FollowerParts;
  readonly #changes: Listeners<Catalog>;
  readonly #moves: Readonly<Record<CounterName, Listeners<number>>>;
  readonly #ends: (() => unknown)[] = [];
  #catalog = EMPTY_CATALOG;
  #counters: Counters | null = null;
  #loadError: string | null = null;
  #heardAt = performance.now();

  constructor(parts: FollowerParts) {
    const { log } = parts;
    this.#parts = parts;
    this.#changes = new Listeners(log);
    this.#moves = {
      catalog: new Listeners(log),
      metadata: new Listeners(log),
      access: new Listeners(log),
      sessions: new Listeners(log),
      cache: new Listeners(log),
    };
  }

  /** Loads the first catalog and begins to follow. */
  async start(): Promise<void> {
    const { builder, bus, log, pause } = this.#parts;
    const failure = await builder.bringUpToDate();
    await this.#load();
    if (this.#catalog === EMPTY_CATALOG) {
      throw failure ?? new Error(`The catalog could not be loaded: ${this.#loadError}`);
    }
    await this.look();
    this.#ends.push(
      bus.subscribe('catalog.changed', () => this.#try(this.#load)),
      bus.subscribe('access.changed', () => this.#try(this.look)),
      repeat(this.look, { pause, log, complaint: 'the counters cannot be read' }),
    );
  }

  current(): Catalog {
    return this.#catalog;
  }

  /** Swaps to what is published; a catalog that cannot be built leaves the one before. */
  readonly #load = coalesce(async (): Promise<void> => {
    const { pool, system, log } = this.#parts;
    const descriptor = await pull(this.#catalog, pool, system);
    if (descriptor === null) return;
    try {
      this.#catalog = await buildCatalog(descriptor, this.#catalog);
      this.#loadError = null;
    } catch (error) {
      this.#loadError = error instanceof Error ? error.message : String(error);
      log.error({ err: error }, 'a published catalog could not be loaded; the last good one stays');
      return;
    }
    this.#changes.tell(this.#catalog);
  });

  /** Reads the counters, tells who waits for them, and loads a version that no message told of. */
  readonly look = coalesce(async (): Promise<void> => {
    const { pool, system } = this.#parts;
    const before = this.#counters;
    // What moves while the answer is on its way may not be in it.
    const asked = performance.now();
    const counters = await readCounters(pool, system);
    this.#counters = counters;
    this.#heardAt = asked;
    // At once: from here on this process counts as knowing.
    for (const name of before === null ? [] : COUNTER_NAMES) {
      const version = counters.versions[name];
      if (version !== before?.versions[name]) this.#moves[name].tell(version);
    }
    if (counters.versions.catalog !== this.#catalog.version) await this.#load();
  });

  readonly refresh = coalesce(async (): Promise<Catalog> => {
    await this.#parts.builder.bringUpToDate();
    await this.#load();
    return this.#catalog;
  });

  #try(work: () => Promise<void>): void {
    // The next regular look makes up for what fails here.
    work().catch((error: unknown) => this.#parts.log.debug({ err: error }, 'a look failed'));
  }

  onChange(handler: (catalog: Catalog) => void): () => void {
    return this.#changes.add(handler);
  }

  onCounter(name: CounterName, handler: (version: number) => void): () => void {
    return this.#moves[name].add(handler);
  }

  silence(): number {
    return performance.now() - this.#heardAt;
  }

  inContact(): boolean {
    return this.silence() <= CONTACT_LOOKS * this.#parts.pause;
  }

  status(): CatalogStatus {
    const { version, leftOut, warnings } = this.#catalog;
    const stale = this.silence() > MISSED_LOOKS * this.#parts.pause;
    const error = this.#loadError ?? this.#counters?.error ?? null;
    return { version, leftOut, warnings, error, stale };
  }

  async close(): Promise<void> {
    await Promise.all(this.#ends.splice(0).map((end) => end()));
  }
}
