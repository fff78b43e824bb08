/** Submits jobs that undo imports. */
import type { Caller } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import type { Job } from '#core/jobs/job.ts';
import { undoImportSubmission } from '#core/jobs/message/undo-import.ts';
import type { Submitted } from '#core/jobs/submit.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { ImportCacheSuspension } from '#core/write/cache/import-cache-suspension.ts';
import type { JobService } from './jobs.ts';

export interface UndoServiceOptions {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly jobs: JobService;
  /** Called before an undo is recorded. */
  readonly holds: ImportCacheSuspension;
}

/** A request to undo an import. */
export interface UndoRequest {
  readonly dryRun: boolean;
  /** The `Idempotency-Key` of the request. */
  readonly idempotencyKey: string | null;
  /** The id of the request. */
  readonly requestId: string;
}

export class UndoService {
  readonly #options: UndoServiceOptions;

  constructor(options: UndoServiceOptions) {
    this.#options = options;
  }

  /**
   * Submits the undo of an import, for its owner or an administrator. An undo that is open is joined.
   * @throws ServiceError FORBIDDEN when the caller may not see the job; CONFLICT with `state` when
   * nothing is kept for it, or it is undone already
   */
  async submit(id: string, caller: Caller, request: UndoRequest): Promise<Submitted> {
    const { jobs, holds } = this.#options;
    const { dryRun, idempotencyKey, requestId } = request;
    const job = await jobs.get(id, caller);
    const message = {
      ...({ version: 1, import: job.id, dryRun } as const),
      ...{ collection: await this.#collectionOf(job), ip: caller.ip },
    };
    const by = { user: caller.user, holder: quotaKeyOf(caller) };
    const submission = { ...undoImportSubmission(message, by), idempotencyKey, requestId };
    return await holds.during(message.collection, () => jobs.submit(submission));
  }

  /** The collection of an import that can be undone. */
  async #collectionOf({ id, state }: Job): Promise<string> {
    const { pool, schema } = this.#options;
    const { rows } = await pool.query<{ collection: string; undone: boolean }>(
      render(sql`SELECT collection, undone_by IS NOT NULL AS undone
        FROM ${systemTable(schema, 'import_undos')} WHERE import = ${id}`),
    );
    const conflict = (why: Reason) => new ServiceError('CONFLICT', { state, reason: why });
    const [found] = rows;
    if (found === undefined) throw conflict(reason('undo_not_kept'));
    if (found.undone) throw conflict(reason('undo_done_already'));
    return found.collection;
  }
}
