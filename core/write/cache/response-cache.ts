/**
 * Caches complete answers of reads until a table behind them changes. A cached answer is never
 * older than a write that was answered before the read began: the versions of the tables are read
 * for each request, and taken before a statement runs whose answer is cached.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Caller } from '#core/access/grants.ts';
import { metrics } from '#core/base/metrics/metrics.ts';
import type { HealthChecks } from '#core/base/process/health-check.ts';
import type { Statement } from '#core/database/sql.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import type { AffectedTablesSource } from './affected-tables-source.ts';
import { SUSPENSION_MS } from './cache-suspension.ts';
import { SingleFlight } from './single-flight.ts';
import type { TableVersions } from './table-versions.ts';

/** A read whose answer can be cached. */
export interface CacheableRead {
  readonly catalog: Catalog;
  readonly caller: Caller;
  readonly statement: Statement;
  /** The output format of its result. */
  readonly form: string;
  /** The collections that the answer depends on; null when it depends on something else too. */
  readonly reads: ReadonlySet<string> | null;
}

/** The text of an answer, or its bytes in UTF-8. */
export interface CachedText {
  readonly text: string | Buffer;
  /** It came from the cache. */
  readonly hit: boolean;
}

export interface ResponseCacheParts {
  readonly versions: TableVersions;
  readonly affected: Pick<AffectedTablesSource, 'keepable'>;
  readonly catalog: Pick<CatalogSource, 'onCounter' | 'inContact'>;
  /** Limits: bytes of all answers together, bytes of one, and the lifetime in milliseconds. */
  readonly maxSize: number;
  readonly maxValueSize: number;
  readonly ttl: number;
}

interface Entry {
  /** The versions under which it was read. */
  readonly stamp: string;
  readonly body: Buffer;
  /** A counter of reads. Of two with the same name the later one wins. */
  readonly turn: number;
}

/** The memory that an entry takes beside its bytes, for its name, stamp and slots. */
const OVERHEAD = 512;

const hits = metrics.counter('sluice_cache_reads_total', { result: 'hit' });
const misses = metrics.counter('sluice_cache_reads_total', { result: 'miss' });
const bypasses = metrics.counter('sluice_cache_reads_total', { result: 'bypass' });

/** A short text that identifies an answer beyond its tables; null when that is not possible. */
function nameOf({ catalog, caller, statement, form }: CacheableRead): string | null {
  // The values are texts, numbers, booleans, nulls and lists of them; JSON distinguishes them.
  if (!statement.values.every(isPlain)) return null;
  const { admin, app, policies } = caller;
  const rights = admin ? 'admin' : [app, policies];
  const facts = [catalog.version, rights, form, statement.text, statement.values];
  return hash('sha256', JSON.stringify(facts), 'base64');
}

function isPlain(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  return Array.isArray(value) && value.every(isPlain);
}

export class ResponseCache {
  readonly #parts: ResponseCacheParts;
  readonly #entries: LRUCache<string, Entry>;
  readonly #flights = new SingleFlight<string | Buffer | null>();
  readonly #ends: (() => void)[];
  /** Until then nothing is cached, because a writer cannot report versions. */
  #suspendedUntil = Number.NEGATIVE_INFINITY;
  #turn = 0;
  /**
   * Counts how often the cache was cleared. A read that began before a clear is not cached after
   * it.
   */
  #era = 0;

  constructor(parts: ResponseCacheParts) {
    this.#parts = parts;
    this.#entries = new LRUCache({
      maxSize: parts.maxSize,
      maxEntrySize: Math.min(parts.maxSize, parts.maxValueSize + OVERHEAD),
      sizeCalculation: ({ body }) => body.length + OVERHEAD,
      ttl: parts.ttl,
    });
    this.#ends = [
      parts.catalog.onCounter('cache', () => this.#suspend()),
      parts.catalog.onCounter('reset', () => this.#forget()),
      metrics.reading('sluice_cache_bytes', () => [[{}, this.#entries.calculatedSize]]),
    ];
  }

  /**
   * Returns the cached answer of a read, or runs it.
   * @param ask runs the statement; an answer of null is not cached
   */
  async text(
    read: CacheableRead,
    ask: (signal: AbortSignal | undefined) => Promise<string | Buffer | null>,
    signal: AbortSignal | undefined,
  ): Promise<CachedText | null> {
    const tables = read.reads && this.#parts.affected.keepable(read.catalog, read.reads);
    const name = tables && this.#trusted ? nameOf(read) : null;
    const versions = name && tables && (await this.#parts.versions.stamp(tables));
    if (!name || !versions || !this.#trusted) {
      bypasses.value += 1;
      return miss(await ask(signal));
    }
    const stamp = `${this.#era} ${versions}`;
    const known = this.#entries.get(name);
    if (known?.stamp === stamp) {
      hits.value += 1;
      return { text: known.body, hit: true };
    }
    misses.value += 1;
    this.#turn += 1;
    const turn = this.#turn;
    const work = async (gone: AbortSignal) => {
      const text = await ask(gone);
      if (text !== null) this.#keep(name, { stamp, turn }, text);
      return text;
    };
    return miss(await this.#flights.join(`${name} ${stamp}`, work, signal));
  }

  /** The size of the cache and whether it is usable. */
  checks(): HealthChecks {
    const { versions, maxSize } = this.#parts;
    const output = !versions.ready
      ? 'Redis does not answer; every read goes to the database.'
      : performance.now() < this.#suspendedUntil
        ? 'A process that writes cannot reach Redis; every read goes to the database.'
        : null;
    return {
      cache: [
        {
          status: output === null ? 'ok' : 'warn',
          componentType: 'component',
          observedUnit: 'bytes',
          observedValue: this.#entries.calculatedSize,
          threshold: maxSize,
          ...(output === null ? {} : { output }),
        },
      ],
    };
  }

  close(): void {
    for (const end of this.#ends) end();
    this.#entries.clear();
  }

  /** The counters were read recently, and no writer has suspended the cache. */
  get #trusted(): boolean {
    return this.#parts.catalog.inContact() && performance.now() >= this.#suspendedUntil;
  }

  #keep(name: string, from: Pick<Entry, 'stamp' | 'turn'>, text: string | Buffer): void {
    if (text.length > this.#parts.maxValueSize) return;
    if (!this.#trusted || !from.stamp.startsWith(`${this.#era} `)) return;
    const known = this.#entries.peek(name);
    if (known !== undefined && known.turn > from.turn) return;
    this.#entries.set(name, { ...from, body: Buffer.from(text) });
  }

  #suspend(): void {
    this.#suspendedUntil = performance.now() + SUSPENSION_MS.hold;
    this.#forget();
  }

  #forget(): void {
    this.#era += 1;
    this.#entries.clear();
  }
}

function miss(text: string | Buffer | null): CachedText | null {
  return text === null ? null : { text, hit: false };
}
