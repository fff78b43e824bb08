/**
 * The catalog of one process: follows what is published, by message and by counter, and swaps to
 * each new version in one step, while the old one serves until then. It also keeps the process's
 * lease: while that holds, whoever changes something waits for this process to know of it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from '#core/database/pool.ts';
import { unavailable } from '#core/errors/service-error.ts';
import type { Log } from '#core/log/log.ts';
import type { MessageBus } from '#core/messages/bus.ts';
import type { Acknowledgement, Member } from '#core/system/member.ts';
import type { AccessChanges } from './access-changes.ts';
import type { Catalog } from './catalog.ts';
import type { CatalogSource, CatalogStatus } from './catalog-source.ts';
import { coalesce } from './coalesce-calls.ts';
import {
  COUNTER_NAMES,
  type CounterName,
  type Counters,
  readCounters,
  type Versions,
} from './counters.ts';
import { Listeners } from './listeners.ts';
import { EMPTY_CATALOG, pull } from './loaded-catalog.ts';
import { buildCatalog } from './make-catalog.ts';
import type { Builder } from './publisher.ts';
import { repeat } from './repeated-task.ts';

export interface FollowerParts {
  /** A connection that nobody else keeps busy, where there is one. */
  readonly pool: Pool;
  readonly bus: MessageBus;
  readonly log: Log;
  /** The schema of the system tables. */
  readonly system: string;
  readonly builder: Builder;
  readonly member: Member;
  /** Milliseconds between two looks at the counters. */
  readonly pause: number;
}

/** A look begins a pause after the one before has ended; twice that leaves time for the look. */
const CONTACT_LOOKS = 2;
/** Longest wait of a request for this process to become current again, in milliseconds. */
const REGAIN_MS = 1_000;

export class Follower implements CatalogSource {
  readonly #parts: FollowerParts;
  readonly #changes: Listeners<Catalog>;
  readonly #moves: Readonly<Record<CounterName, Listeners<number>>>;
  readonly #access: Listeners<AccessChanges | null>;
  readonly #ends: (() => unknown)[] = [];
  #catalog = EMPTY_CATALOG;
  #counters: Counters | null = null;
  #loadError: string | null = null;
  /** How often it was said that rights changed, and how many of these were looked at. */
  #called = 0;
  #answered = 0;
  /** The last reset that was carried out. */
  #reset = 0;
  /** The next catalog is to be made without anything of this one. */
  #anew = false;
  #heardAt = performance.now();
  /** Until then others wait for this process; on its monotonic clock, and never too late. */
  #leasedUntil = Number.NEGATIVE_INFINITY;

  constructor(parts: FollowerParts) {
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
      // With a new version rights may have gone, so it is taken over together with the counters.
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

  /** Swaps to what is published; a catalog that cannot be built leaves the one before. */
  readonly #load = coalesce(async (): Promise<void> => {
    const { pool, system, log } = this.#parts;
    const from = this.#anew ? EMPTY_CATALOG : this.#catalog;
    const descriptor = await pull(from, pool, system);
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
   * Reads the counters, has everything forgotten that changed, and acknowledges that: from then on
   * this process answers by these versions of rights, users and sessions.
   */
  readonly hear = coalesce(async (): Promise<Versions> => {
    const called = this.#called;
    // What moves while the answer is on its way may not be in it.
    let asked = performance.now();
    let lapsed = asked > this.#leasedUntil;
    let counters = await this.#ask();
    if (!counters.renewed) {
      lapsed = true;
      await this.#parts.member.join(this.#acknowledgement());
      asked = performance.now();
      counters = await this.#ask();
      if (!counters.renewed) throw new Error('the entry of this process has vanished');
    }
    const before = this.#counters;
    this.#counters = counters;
    this.#heardAt = asked;
    this.#answered = called;
    // Whoever changed something waits for a process whose lease never ran out.
    if (!lapsed) this.#leasedUntil = asked + this.#parts.member.lease;
    // At once: from here on this process counts as knowing.
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

  /** The same, and loads a version of the catalog that no message told of. */
  readonly look = coalesce(async (): Promise<void> => {
    const first = this.#counters === null;
    await this.hear();
    const heardAt = this.#heardAt;
    if (this.#counters !== null) await this.#catchUp(this.#counters, first);
    this.#leasedUntil = Math.max(this.#leasedUntil, heardAt + this.#parts.member.lease);
  });

  async #catchUp({ versions }: Counters, first: boolean): Promise<void> {
    const reset = versions.reset !== this.#reset;
    // The first catalog was made of nothing that could be forgotten.
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
      log.debug({ err: error }, 'a version is acknowledged with the next look');
    });
  }

  readonly refresh = coalesce(async (): Promise<Catalog> => {
    await this.#parts.builder.bringUpToDate();
    await this.look();
    return this.#catalog;
  });

  /** Whether these versions were heard of already, as those of this process's own writes are. */
  #knows(access: number, sessions: number | undefined): boolean {
    const heard = this.#counters?.versions;
    if (heard === undefined || sessions === undefined) return false;
    return access <= heard.access && sessions <= heard.sessions;
  }

  /** What is remembered of rights counts no more until a look has succeeded. */
  #heed(work: () => Promise<unknown>): void {
    this.distrust();
    // The next regular look makes up for what fails here.
    work().catch((error: unknown) => this.#parts.log.debug({ err: error }, 'a look failed'));
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
      // What is forgotten is read anew, and not kept for the next who asks.
      this.#access.tell(null);
    }
  }

  ready(): boolean {
    return performance.now() < this.#leasedUntil;
  }

  async regain(): Promise<void> {
    const late = new AbortController();
    const { signal } = late;
    // A failing look is told of by the regular ones.
    const look = this.look().catch(() => undefined);
    await Promise.race([look, delay(REGAIN_MS, undefined, { signal }).catch(() => undefined)]);
    late.abort();
    if (!this.ready()) throw unavailable('database', 'This process lost contact with it.');
  }

  status(): CatalogStatus {
    const { version, leftOut, warnings } = this.#catalog;
    const error = this.#loadError ?? this.#counters?.error ?? null;
    return { version, leftOut, warnings, error, stale: !this.ready() };
  }

  async close(): Promise<void> {
    const { member, log } = this.#parts;
    await Promise.all(this.#ends.splice(0).map((end) => end()));
    await member.leave().catch((error: unknown) => {
      log.debug({ err: error }, 'the registry could not be left; the lease runs out by itself');
    });
  }
}
