/** The interface to the current catalog of a process. */
import type { AccessChanges } from './access-changes.ts';
import type { Catalog } from './catalog.ts';
import type { CounterName, Versions } from './counters.ts';
import type { UnservedTable } from './descriptor.ts';

/** The state of the catalog in this process, for health. */
export interface CatalogStatus {
  readonly version: number;
  readonly leftOut: readonly UnservedTable[];
  /** Metadata that was ignored. */
  readonly warnings: readonly string[];
  /** Why the last build failed while an earlier catalog is still served; null otherwise. */
  readonly error: string | null;
  /** The last comparison with the database left nothing to publish. */
  readonly settled: boolean;
  /** The database has not answered for so long that other processes no longer wait for this one. */
  readonly stale: boolean;
}

export interface CatalogSource {
  /** The current catalog; the same object until a new version is swapped in. */
  current(): Catalog;
  /**
   * Checks now whether the database has changed, builds a new version if so, and returns the
   * current catalog. A failed build is not an error here: the last good catalog stays.
   * @throws when the database is not available
   */
  refresh(): Promise<Catalog>;
  /** Calls the listener for each new version until the returned function is called. */
  onChange(handler: (catalog: Catalog) => void): () => void;
  /**
   * Calls the listener within about a second after a counter has changed, until the returned
   * function is called. `cache` changes when cached answers must not be served any more, `reset`
   * when all caches must be cleared.
   */
  onCounter(name: CounterName, handler: (version: number) => void): () => void;
  /**
   * Calls the listener with changes of users, permissions and sessions (null for any change) until
   * the returned function is called: at once when this process or a message reports it, otherwise
   * within about a second. The listener must discard its cache entries before it returns.
   */
  onAccess(handler: (changes: AccessChanges | null) => void): () => void;
  /** Milliseconds since the counters were last read; a cache must not be trusted when it grows. */
  silence(): number;
  /**
   * The counters were read recently, and after the last announced change of permissions. Otherwise
   * a change may have been missed. Cheap enough for each request.
   */
  inContact(): boolean;
  /**
   * Resolves when cached users, permissions and sessions can be used. When the counters cannot be
   * read, the caches have been cleared.
   */
  trust(): Promise<void>;
  /** Stops the use of these caches until the counters were read again. */
  distrust(): void;
  /**
   * Reads the counters now and discards changed users, permissions and sessions.
   * @returns the versions that this process uses from here on, or later ones
   * @throws when the database is not available
   */
  hear(): Promise<Versions>;
  /**
   * The same, and also loads the published catalog.
   * @throws when the database is not available
   */
  look(): Promise<void>;
  /**
   * Schema changes wait for this process. When false, it may be out of date and must not answer.
   * Cheap enough for each request.
   */
  ready(): boolean;
  /**
   * Tries for a short time to become ready again.
   * @throws ServiceError SERVICE_UNAVAILABLE when that fails
   */
  regain(): Promise<void>;
  status(): CatalogStatus;
  /** Stops following and leaves the registry of live processes. */
  close(): Promise<void>;
}
