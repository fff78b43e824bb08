/**
 * The catalog of one process. Follows published versions by message and by counter, and swaps to
 * each new version in one step; the old one stays in use until then. Also renews the lease of the
 * process: while it is valid, changes in other processes wait for this process.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { reason } from '#core/base/errors/reason.ts';
import { unavailable } from '#core/base/errors/service-error.ts';
import type { Log } from '#core/base/log/log.ts';
import type { Pool } from '#core/database/pool.ts';
import type { MessageBus } from '#core/messaging/bus.ts';
import type { Acknowledgement, RegisteredProcess } from '../system/process-registry.ts';
import type { AccessChanges } from './access-changes.ts';
import { buildCatalog } from './build-catalog.ts';
import type { Catalog } from './catalog.ts';
import type { CatalogPublisher } from './catalog-publisher.ts';
import type { CatalogSource, CatalogStatus } from './catalog-source.ts';
import { coalesceCalls } from './coalesce-calls.ts';
import {
  COUNTER_NAMES,
  type CounterName,
  type Counters,
  readCounters,
  type Versions,
} from './counters.ts';
import { Listeners } from './listeners.ts';
import { EMPTY_CATALOG, loadNewerCatalog } from './load-newer-catalog.ts';
import { repeat } from './repeated-task.ts';

export interface CatalogFollowerParts {
  /** A connection that is never busy with other work, if there is one. */
  readonly pool: Pool;
  readonly bus: MessageBus;
  readonly log: Log;
  /** The schema of the system tables. */
  readonly system: string;
  readonly publisher: CatalogPublisher;
  readonly member: RegisteredProcess;
  /** Milliseconds between two reads of the counters. */
  readonly pause: number;
}

/** A read starts one pause after the one before; twice the pause leaves time for it. */
const CONTACT_LOOKS = 2;
/** Maximum time that a request waits for this process to be up to date again, in milliseconds. */
const REGAIN_MS = 1_000;

export class CatalogFollower implements CatalogSource {
  readonly #parts: CatalogFollowerParts;
  readonly #changes: Listeners<Catalog>;
  readonly #moves: Readonly<Record<CounterName, Listeners<number>>>;
  readonly #access: Listeners<AccessChanges | null>;
  readonly #ends: (() => unknown)[] = [];
  #catalog = EMPTY_CATALOG;
  #counters: Counters | null = null;
  #loadError: string | null = null;
  /** How many changes of permissions were announced, and how many of these were read. */
  #called = 0;
  #answered = 0;
  /** The last reset that was applied. */
  #reset = 0;
  /** The next catalog is built without reusing this one. */
  #anew = false;
  #heardAt = performance.now();
  /** Other processes wait for this process until then; on its monotonic clock, never too late. */
  #leasedUntil = Number.NEGATIVE_INFINITY;

  constructor(parts: CatalogFollowerParts) {
    const { log } = parts;
    this.#parts = parts;
    this.#changes = new Listeners(log);
    this.#access = new Listeners(log);
    this.#moves = {
      catalog: new Listeners(log),
      metadata: new Listeners(log),
      access: new Listeners(log),
      sessions: new Listeners(log),
      cache: new Listeners(log),
      reset: new Listeners(log),
    };
  }

  /** Loads the first catalog and starts to follow. */
  async start(): Promise<void> {
    const { publisher: builder, bus, log, pause } = this.#parts;
    const failure = await builder.bringUpToDate();
    await this.#load();
    if (this.#catalog === EMPTY_CATALOG) {
      throw failure ?? new Error(`The catalog could not be loaded: ${this.#loadError}`);
    }
    await this.look();
    this.#ends.push(
      // A new version can revoke permissions, so it is applied together with the counters.
      bus.subscribe('catalog.changed', () => this.#heed(this.look)),
      bus.subscribe('access.changed', ({ version, sessions }) => {
        if (!this.#knows(version, sessions)) {
          this.#heed(sessions === undefined ? this.look : this.hear);
        }
      }),
      repeat(this.look, { pause, log, complaint: 'the counters cannot be read' }),
    );
  }

  current(): Catalog {
    return this.#catalog;
  }

  /** Swaps to the published version; when it cannot be built, the old one stays. */
  readonly #load = coalesceCalls(async (): Promise<void> => {
    const { pool, system, log } = this.#parts;
    const from = this.#anew ? EMPTY_CATALOG : this.#catalog;
    const descriptor = await loadNewerCatalog(from, pool, system);
    if (descriptor === null) return;
    try {
      this.#catalog = await buildCatalog(descriptor, from);
      this.#loadError = null;
      if (from === EMPTY_CATALOG) this.#anew = false;
    } catch (error) {
      this.#loadError = error instanceof Error ? error.message : String(error);
      log.error({ err: error }, 'a published catalog could not be loaded; the last good one stays');
      await this.#acknowledge();
      return;
    }
    this.#changes.tell(this.#catalog);
    await this.#acknowledge();
  });

  /**
   * Reads the counters, discards changed cache entries, and acknowledges that. From then on this
   * process uses these versions of permissions, users and sessions.
   */
  readonly hear = coalesceCalls(async (): Promise<Versions> => {
    const called = this.#called;
    // A change during the read may not be in its result.
    let sentAt = performance.now();
    let lapsed = sentAt > this.#leasedUntil;
    let counters = await this.#ask();
    if (!counters.renewed) {
      lapsed = true;
      await this.#parts.member.join(this.#acknowledgement());
      sentAt = performance.now();
      counters = await this.#ask();
      if (!counters.renewed) throw new Error('the entry of this process has vanished');
    }
    const before = this.#counters;
    this.#counters = counters;
    this.#heardAt = sentAt;
    this.#answered = called;
    // Changes in other processes wait for a process whose lease never expired.
    if (!lapsed) this.#leasedUntil = sentAt + this.#parts.member.lease;
    // Acknowledged at once: from here on other processes rely on it.
    const { versions, changes } = counters;
    const moved = COUNTER_NAMES.filter((name) => versions[name] !== before?.versions[name]);
    const rights = moved.includes('access') || moved.includes('sessions');
    if (before !== null) {
      for (const name of moved) this.#moves[name].tell(versions[name]);
      if (moved.includes('reset')) this.#access.tell(null);
      else if (rights) this.#access.tell(changes);
    }
    if (rights) await this.#acknowledge();
    return versions;
  });

  /** The same, and also loads a new version of the catalog without a message. */
  readonly look = coalesceCalls(async (): Promise<void> => {
    const first = this.#counters === null;
    await this.hear();
    const heardAt = this.#heardAt;
    if (this.#counters !== null) await this.#catchUp(this.#counters, first);
    this.#leasedUntil = Math.max(this.#leasedUntil, heardAt + this.#parts.member.lease);
  });

  async #catchUp({ versions }: Counters, first: boolean): Promise<void> {
    const reset = versions.reset !== this.#reset;
    // Nothing can be cached before the first catalog.
    if (reset && !first) this.#anew = true;
    if (this.#anew || versions.catalog !== this.#catalog.version) await this.#load();
    if (!reset) return;
    this.#reset = versions.reset;
    await this.#acknowledge();
  }

  #ask(): Promise<Counters> {
    const { pool, system, member } = this.#parts;
    const before = this.#counters?.versions ?? null;
    const renewal = { member, acknowledgement: this.#acknowledgement() };
    return readCounters(pool, system, renewal, { before, timeout: member.lease / 2 });
  }

  #acknowledgement(): Acknowledgement {
    const { access = 0, sessions = 0 } = this.#counters?.versions ?? {};
    const { version: catalog } = this.#catalog;
    return { catalog, access, sessions, reset: this.#reset, trouble: this.#loadError };
  }

  async #acknowledge(): Promise<void> {
    const { member, log } = this.#parts;
    await member.acknowledge(this.#acknowledgement()).catch((error: unknown) => {
      log.debug(
        { err: error },
        'a version could not be acknowledged; it is repeated with the next read of the counters',
      );
    });
  }

  readonly refresh = coalesceCalls(async (): Promise<Catalog> => {
    await this.#parts.publisher.bringUpToDate();
    await this.look();
    return this.#catalog;
  });

  /** Whether these versions are already applied, for example from this process's own writes. */
  #knows(access: number, sessions: number | undefined): boolean {
    const heard = this.#counters?.versions;
    if (heard === undefined || sessions === undefined) return false;
    return access <= heard.access && sessions <= heard.sessions;
  }

  /** Cached permissions are not used until the counters were read again. */
  #heed(work: () => Promise<unknown>): void {
    this.distrust();
    // The next regular read repeats a failed one.
    work().catch((error: unknown) =>
      this.#parts.log.debug({ err: error }, 'could not read the counters'),
    );
  }

  onChange(handler: (catalog: Catalog) => void): () => void {
    return this.#changes.add(handler);
  }

  onAccess(handler: (changes: AccessChanges | null) => void): () => void {
    return this.#access.add(handler);
  }

  onCounter(name: CounterName, handler: (version: number) => void): () => void {
    return this.#moves[name].add(handler);
  }

  silence(): number {
    return performance.now() - this.#heardAt;
  }

  inContact(): boolean {
    return this.#answered === this.#called && this.silence() <= CONTACT_LOOKS * this.#parts.pause;
  }

  distrust(): void {
    this.#called += 1;
  }

  async trust(): Promise<void> {
    if (this.inContact()) return;
    try {
      await this.hear();
    } catch {
      // Discarded data is read again, and not cached for the next caller.
      this.#access.tell(null);
    }
  }

  ready(): boolean {
    return performance.now() < this.#leasedUntil;
  }

  async regain(): Promise<void> {
    const late = new AbortController();
    const { signal } = late;
    // A failure is reported by the regular reads.
    const look = this.look().catch(() => undefined);
    await Promise.race([look, delay(REGAIN_MS, undefined, { signal }).catch(() => undefined)]);
    late.abort();
    if (!this.ready()) throw unavailable('database', reason('contact_lost'));
  }

  status(): CatalogStatus {
    const { version, leftOut, warnings } = this.#catalog;
    const error = this.#loadError ?? this.#counters?.error ?? null;
    const { settled } = this.#parts.publisher;
    return { version, leftOut, warnings, error, settled, stale: !this.ready() };
  }

  async close(): Promise<void> {
    const { member, log } = this.#parts;
    await Promise.all(this.#ends.splice(0).map((end) => end()));
    await member.leave().catch((error: unknown) => {
      log.debug(
        { err: error },
        'the process could not leave the registry; its lease expires by itself',
      );
    });
  }
}
