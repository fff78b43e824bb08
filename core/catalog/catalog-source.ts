/** Where a process finds the catalog that counts right now. */
import type { AccessChanges } from './access-changes.ts';
import type { Catalog } from './catalog.ts';
import type { CounterName, Versions } from './counters.ts';
import type { LeftOut } from './descriptor.ts';

/** The state of the catalog in this process, for those who look after it. */
export interface CatalogStatus {
  readonly version: number;
  readonly leftOut: readonly LeftOut[];
  /** What in the metadata was passed over. */
  readonly warnings: readonly string[];
  /** Why the last build failed, while an earlier catalog goes on serving; else null. */
  readonly error: string | null;
  /** The database was not heard of for so long that nobody waits for this process any more. */
  readonly stale: boolean;
}

export interface CatalogSource {
  /** The current catalog; the same object until a new version is swapped in. */
  current(): Catalog;
  /**
   * Looks now whether the database has changed, builds a new version if so, and resolves with the
   * catalog that then counts. A failing build is no error here: the last good catalog stays.
   * @throws when the database cannot be asked
   */
  refresh(): Promise<Catalog>;
  /** Hears of each new version until the returned function is called. */
  onChange(handler: (catalog: Catalog) => void): () => void;
  /**
   * Hears within about a second that a counter has moved, until the returned function is called.
   * `cache` moves when answers of before must not be shown any more, `reset` when everything that is
   * kept is to be forgotten.
   */
  onCounter(name: CounterName, handler: (version: number) => void): () => void;
  /**
   * Hears what changed of users, rights and sessions, null for anything, until the returned function
   * is called: at once when this process or a message tells of it, else within about a second. What
   * is remembered of it is to be forgotten before the handler returns.
   */
  onAccess(handler: (changes: AccessChanges | null) => void): () => void;
  /** Milliseconds since the counters were last read; a cache must not be trusted when it grows. */
  silence(): number;
  /**
   * The counters were read about as lately as they should be, and since it was last said that rights
   * changed; without that a change may have gone unnoticed. Cheap enough for every request.
   */
  inContact(): boolean;
  /**
   * Resolves when what is remembered of users, rights and sessions may be used: without contact after
   * a look at the counters; where that fails everything has been forgotten.
   */
  trust(): Promise<void>;
  /** Nothing that is remembered of them is used before the counters were read again. */
  distrust(): void;
  /**
   * Reads the counters now and has forgotten what changed of users, rights and sessions.
   * @returns the versions by which this process answers from here on, or later ones
   * @throws when the database cannot be asked
   */
  hear(): Promise<Versions>;
  /**
   * The same, and makes the published catalog its own.
   * @throws when the database cannot be asked
   */
  look(): Promise<void>;
  /**
   * Others wait for this process when they change the schema; where not, it may be behind without
   * knowing and must not answer. Cheap enough for every request.
   */
  ready(): boolean;
  /**
   * Tries, for a short time, to become ready again.
   * @throws ServiceError SERVICE_UNAVAILABLE when that fails
   */
  regain(): Promise<void>;
  status(): CatalogStatus;
  /** Stops following and leaves the registry of live processes. */
  close(): Promise<void>;
}
