/**
 * Reports writes to the response caches: before COMMIT that tables are being written, and before
 * the answer that the write has ended. When the process dies in between, its mark prevents cache
 * reads until it expires; by then the versions have changed.
 */
import { randomUUID } from 'node:crypto';
import type { AffectedTablesSource } from './affected-tables-source.ts';
import type { CacheSuspension } from './cache-suspension.ts';
import { MARK_MS, type TableVersions } from './table-versions.ts';

export interface WriteGuardParts {
  readonly versions: TableVersions;
  readonly affected: Pick<AffectedTablesSource, 'writtenWith'>;
  /** Null when the versions are in the memory of this process. */
  readonly suspension: Pick<CacheSuspension, 'cover'> | null;
}

/** A write that is about to be committed. */
export interface OpenWrite {
  /**
   * After COMMIT, whatever its result: resolves when no new reader gets an older answer.
   * @throws ServiceError SERVICE_UNAVAILABLE when that cannot be guaranteed
   */
  committed(): Promise<void>;
}

/** A write that affects no cached answer. */
const UNHEARD: OpenWrite = { committed: () => Promise.resolve() };

export class WriteGuard {
  readonly #parts: WriteGuardParts | null;

  /** @param parts null when nothing is cached */
  constructor(parts: WriteGuardParts | null) {
    this.#parts = parts;
  }

  /**
   * Marks collections as changing, so that no response read from now on is cached. Call it after
   * the last statement, before COMMIT.
   */
  async open(collections: Iterable<string>): Promise<OpenWrite> {
    const parts = this.#parts;
    if (parts === null) return UNHEARD;
    const { versions, affected, suspension } = parts;
    const tables = affected.writtenWith(collections);
    if (tables.length === 0) return UNHEARD;
    const writer = randomUUID();
    // A COMMIT can take long, for example with deferred constraints.
    const renewal = setInterval(() => void versions.mark(writer, tables), MARK_MS / 4);
    await versions.mark(writer, tables);
    return {
      async committed() {
        clearInterval(renewal);
        if (!(await versions.settle(writer, tables))) await suspension?.cover();
      },
    };
  }
}
