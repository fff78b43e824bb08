/** Takes changes of the schema on: judges who asks, hands them to the workers, and knows the end. */
import * as v from 'valibot';
import type { Caller } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import type { CatalogSource } from '#core/catalog/catalog-source.ts';
import { forbidden, unavailable } from '#core/errors/service-error.ts';
import type { Job } from '#core/jobs/job.ts';
import { isStorable } from '#core/schema/change-input.ts';
import type { SchemaChange } from '#core/schema/schema-change.ts';
import { schemaResult, schemaSubmission } from '#core/schema/schema-job.ts';
import { NAME_BYTES } from '#core/schema/valid-name.ts';
import type { JobService } from '../jobs.ts';

export interface SchemaServiceOptions {
  readonly catalog: CatalogSource;
  readonly jobs: JobService;
}

/** How a change is to be made. */
export interface SchemaChangeOptions {
  /** Indexes are built afterwards, while others write. */
  readonly concurrently: boolean;
  /** Values may be lost. */
  readonly force: boolean;
}

export class SchemaService {
  readonly #options: SchemaServiceOptions;

  constructor(options: SchemaServiceOptions) {
    this.#options = options;
  }

  /**
   * Submits a change of the schema; no two are ever made at once.
   * @returns the id of the job
   * @throws ServiceError FORBIDDEN, SERVICE_UNAVAILABLE
   */
  async submit(
    caller: Caller,
    change: SchemaChange,
    options: SchemaChangeOptions,
  ): Promise<string> {
    if (!caller.admin) throw forbidden('Only administrators change the schema.');
    const holder = quotaKeyOf(caller);
    const submission = { ...schemaSubmission(change, options, caller.user), holder };
    // Nothing has a name that PostgreSQL could not hold, so a path with one leads nowhere.
    const name = submission.collection ?? '';
    if (!isStorable(change) || Buffer.byteLength(name) > NAME_BYTES) throw forbidden();
    const { id } = await this.#options.jobs.submit(submission);
    return id;
  }

  /**
   * Resolves when this process knows what a completed change has made.
   * @throws ServiceError SERVICE_UNAVAILABLE when it cannot learn of it
   */
  async known({ result }: Job): Promise<void> {
    const { catalog } = this.#options;
    const { version } = v.parse(schemaResult, result);
    if (catalog.current().version >= version) return;
    const { version: found } = await catalog.refresh();
    if (found >= version) return;
    throw unavailable('catalog', 'The change was made, but this process does not know it yet.');
  }
}
