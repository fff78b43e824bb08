/**
 * Keeps the answers about a collection from being kept while an import into it is open. Only where
 * the versions stand in the memory of the one edge: the workers, who commit imports, cannot raise
 * them there.
 */
import { coalesce } from '#core/catalog/coalesce-calls.ts';
import { repeat } from '#core/catalog/repeated-task.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { isOpen } from '#core/jobs/job.ts';
import { IMPORT_JOB } from '#core/jobs/message/import.ts';
import type { Log } from '#core/log/log.ts';
import { systemTable } from '#core/system/table.ts';
import type { OpenWrite, WriteGuard } from './write-guard.ts';

export interface HoldParts {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly writes: WriteGuard;
  readonly log: Log;
}

/** How long (ms) an import that has ended, or was begun by others, may go unnoticed. */
const PAUSE_MS = 1_000;

export class ImportHolds {
  readonly #parts: HoldParts | null;
  readonly #open = new Map<string, Promise<OpenWrite>>();
  /** Imports that are being recorded; how many ever were, so that a look knows what it missed. */
  readonly #recording = new Map<string, number>();
  #recorded = 0;
  #end: () => Promise<void> = () => Promise.resolve();

  /** @param parts null where the workers tell of imports themselves */
  constructor(parts: HoldParts | null) {
    this.#parts = parts;
  }

  /** Resolves when the imports that are open already are known. */
  async start(): Promise<void> {
    if (this.#parts === null) return;
    const { log } = this.#parts;
    await this.#look();
    const complaint = 'open imports cannot be read';
    this.#end = repeat(this.#look, { pause: PAUSE_MS, log, complaint });
  }

  /** Records an import by `record`; nothing of the collection is kept from before that on. */
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

  readonly #look = coalesce(async (): Promise<void> => {
    if (this.#parts === null) return;
    const { pool, schema } = this.#parts;
    const before = this.#recorded;
    const recording = new Set(this.#recording.keys());
    const { rows } = await pool.query<{ collection: string }>(
      render(sql`SELECT DISTINCT collection FROM ${systemTable(schema, 'jobs')}
        WHERE kind = ${IMPORT_JOB} AND collection IS NOT NULL AND ${isOpen}`),
    );
    const open = new Set(rows.map(({ collection }) => collection));
    for (const collection of open) await this.#hold(collection);
    // What was recorded since the look began is not in its answer.
    if (this.#recorded !== before) return;
    for (const [collection, write] of this.#open) {
      if (open.has(collection) || recording.has(collection)) continue;
      this.#open.delete(collection);
      await (await write).committed();
    }
  });
}
