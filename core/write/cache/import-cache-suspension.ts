/**
 * Keeps answers about a collection out of the cache while an import into it is open. Used only when
 * the versions are in the memory of the single edge: workers commit imports and cannot change
 * versions there.
 */

import type { Log } from '#core/base/log/log.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { isOpen } from '#core/jobs/job.ts';
import { IMPORT_JOB } from '#core/jobs/message/import.ts';
import { UNDO_IMPORT_JOB } from '#core/jobs/message/undo-import.ts';
import { coalesceCalls } from '#core/model/catalog/coalesce-calls.ts';
import { repeat } from '#core/model/catalog/repeated-task.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { OpenWrite, WriteGuard } from './write-guard.ts';

export interface ImportCacheSuspensionParts {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly writes: WriteGuard;
  readonly log: Log;
}

/** How long (ms) the end of an import, or an import of another process, can go unnoticed. */
const PAUSE_MS = 1_000;

export class ImportCacheSuspension {
  readonly #parts: ImportCacheSuspensionParts | null;
  readonly #open = new Map<string, Promise<OpenWrite>>();
  /**
   * Imports that are being recorded. The count of all of them shows a scan whether it missed one.
   */
  readonly #recording = new Map<string, number>();
  #recorded = 0;
  #end: () => Promise<void> = () => Promise.resolve();

  /** @param parts null when workers report imports themselves */
  constructor(parts: ImportCacheSuspensionParts | null) {
    this.#parts = parts;
  }

  /** Resolves when the open imports are known. */
  async start(): Promise<void> {
    if (this.#parts === null) return;
    const { log } = this.#parts;
    await this.#look();
    const complaint = 'open imports cannot be read';
    this.#end = repeat(this.#look, { pause: PAUSE_MS, log, complaint });
  }

  /**
   * Records an import with `record`. Answers about the collection are not cached from before that.
   */
  async during<T>(collection: string, record: () => Promise<T>): Promise<T> {
    if (this.#parts === null) return record();
    this.#recording.set(collection, (this.#recording.get(collection) ?? 0) + 1);
    this.#recorded += 1;
    try {
      await this.#hold(collection);
      return await record();
    } finally {
      const left = (this.#recording.get(collection) ?? 1) - 1;
      if (left === 0) this.#recording.delete(collection);
      else this.#recording.set(collection, left);
    }
  }

  close(): Promise<void> {
    return this.#end();
  }

  async #hold(collection: string): Promise<void> {
    const open = this.#open.get(collection) ?? this.#parts?.writes.open([collection]);
    if (open === undefined) return;
    this.#open.set(collection, open);
    await open;
  }

  readonly #look = coalesceCalls(async (): Promise<void> => {
    if (this.#parts === null) return;
    const { pool, schema } = this.#parts;
    const before = this.#recorded;
    const recording = new Set(this.#recording.keys());
    const { rows } = await pool.query<{ collection: string }>(
      render(sql`SELECT DISTINCT collection FROM ${systemTable(schema, 'jobs')}
        WHERE kind IN (${IMPORT_JOB}, ${UNDO_IMPORT_JOB}) AND collection IS NOT NULL AND ${isOpen}`),
    );
    const open = new Set(rows.map(({ collection }) => collection));
    for (const collection of open) await this.#hold(collection);
    // The result does not contain imports recorded after the scan began.
    if (this.#recorded !== before) return;
    for (const [collection, write] of this.#open) {
      if (open.has(collection) || recording.has(collection)) continue;
      this.#open.delete(collection);
      await (await write).committed();
    }
  });
}
