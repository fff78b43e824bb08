/** Accepts schema changes: checks the caller, submits the job, waits for its result. */
import * as v from 'valibot';
import type { Caller } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import type { Visitor } from '#core/accounts/identity/session.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden, unavailable } from '#core/base/errors/service-error.ts';
import type { Job } from '#core/jobs/job.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import { isStorable } from '#core/schema/change-input.ts';
import type { SchemaChange } from '#core/schema/schema-change.ts';
import { schemaResult, schemaSubmission } from '#core/schema/schema-job.ts';
import { NAME_BYTES_MAX } from '#core/schema/validate-name.ts';
import type { JobService } from '../jobs.ts';

export interface SchemaServiceOptions {
  readonly catalog: CatalogSource;
  readonly jobs: JobService;
}

/** Options of a change. */
export interface SchemaChangeOptions {
  /** Build indexes afterwards, without blocking writes. */
  readonly concurrently: boolean;
  /** Values may be lost. */
  readonly force: boolean;
  /** The `Idempotency-Key` of the request. */
  readonly idempotencyKey?: string | null;
  /** The id of the request. */
  readonly requestId?: string;
  /** The origin of the request. */
  readonly visitor: Visitor;
  /** Throws when the change must not be made; a repeated request has already met it. */
  readonly condition?: () => Promise<void>;
}

export class SchemaService {
  readonly #options: SchemaServiceOptions;

  constructor(options: SchemaServiceOptions) {
    this.#options = options;
  }

  /**
   * Submits a schema change; only one runs at a time.
   * @returns the id of the job
   * @throws ServiceError FORBIDDEN, SERVICE_UNAVAILABLE, and the errors of its condition
   */
  async submit(
    caller: Caller,
    change: SchemaChange,
    options: SchemaChangeOptions,
  ): Promise<string> {
    if (!caller.admin) throw forbidden(reason('only_administrators_change_schema'));
    const holder = quotaKeyOf(caller);
    const { idempotencyKey = null, requestId = null } = options;
    const own = schemaSubmission(change, options, {
      user: caller.user,
      visitor: options.visitor,
    });
    const submission = { ...own, holder, idempotencyKey, requestId };
    // PostgreSQL cannot store such a name, so no object has it.
    const name = submission.collection ?? '';
    if (!isStorable(change) || Buffer.byteLength(name) > NAME_BYTES_MAX) throw forbidden();
    const { jobs } = this.#options;
    try {
      await options.condition?.();
    } catch (error) {
      // The failing condition may be the effect of the same request: its job is recorded before it
      // begins.
      const repeated = await jobs.repeated(submission);
      if (repeated === null) throw error;
      return repeated;
    }
    const { id } = await jobs.submit(submission);
    return id;
  }

  /**
   * Resolves when this process has the catalog of a completed change.
   * @throws ServiceError SERVICE_UNAVAILABLE when it cannot load it
   */
  async known({ result }: Job): Promise<void> {
    const { catalog } = this.#options;
    const { version } = v.parse(schemaResult, result);
    if (catalog.current().version >= version) return;
    const { version: found } = await catalog.refresh();
    if (found >= version) return;
    throw unavailable('catalog', reason('schema_change_not_applied_here'));
  }
}
