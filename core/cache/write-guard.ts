/**
 * What a write tells the response caches: before it commits that its tables are being written, and
 * before it is answered that they have been. A process that dies in between leaves a mark that
 * keeps readers away until it runs out, by when the versions have moved.
 */
import { randomUUID } from 'node:crypto';
import type { AffectedTablesSource } from './affected-tables-source.ts';
import type { Suspension } from './cache-suspension.ts';
import { MARK_MS, type TableVersions } from './table-versions.ts';

export interface WriteGuardParts {
  readonly versions: TableVersions;
  readonly affected: Pick<AffectedTablesSource, 'writtenWith'>;
  /** Null where the versions stand in the memory of this process. */
  readonly suspension: Pick<Suspension, 'cover'> | null;
}

/** A write that is about to be committed. */
export interface OpenWrite {
  /**
   * After COMMIT, whatever became of it: resolves when no reader who begins
   * now is shown anything older.
   * @throws ServiceError SERVICE_UNAVAILABLE when that cannot be made sure
   */
  committed(): Promise<void>;
}

/** A write that no cache has to hear of. */
const UNHEARD: OpenWrite = { committed: () => Promise.resolve() };

export class WriteGuard {
  readonly #parts: WriteGuardParts | null;

  /** @param parts null where nothing is cached */
  constructor(parts: WriteGuardParts | null) {
    this.#parts = parts;
  }

  /** Opens a write to collections; call it when all is written, before COMMIT is sent. */
  async open(collections: Iterable<string>): Promise<OpenWrite> {
    const parts = this.#parts;
    if (parts === null) return UNHEARD;
    const { versions, affected, suspension } = parts;
    const tables = affected.writtenWith(collections);
    if (tables.length === 0) return UNHEARD;
    const writer = randomUUID();
    // A COMMIT may take its time, as when constraints are deferred to it.
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
