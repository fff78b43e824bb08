/** Exports to files: accepts them as jobs, and finds the files of completed jobs. */
import * as v from 'valibot';
import type { Caller } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { reason } from '#core/base/errors/reason.ts';
import { refusal } from '#core/base/errors/refusal.ts';
import { forbidden, ServiceError } from '#core/base/errors/service-error.ts';
import type { ByteRange, Storage } from '#core/files/storage/storage.ts';
import { verifyContent, verifySize } from '#core/files/storage/verify-content.ts';
import {
  EXPORT_JOB,
  type ExportMessage,
  type ExportResult,
  exportFileId,
  exportMailbox,
  exportResult,
} from '#core/jobs/message/export.ts';
import type { Submission } from '#core/jobs/submit.ts';
import { type Parameters, parseQuery } from '#core/query/parse/parameter.ts';
import type { Query, QueryBounds } from '#core/query/query.ts';
import { type FileStatement, fileStatement } from '#core/transfer/export/export-file.ts';
import { allColumns } from '#core/transfer/file/file-column.ts';
import type { JobService } from './jobs.ts';
import {
  type ContextOptions,
  ContextSource,
  type ItemContext,
  servesItems,
} from './request-context.ts';

/** The contents and the format of an export. */
export interface ExportRequest
  extends Pick<
    ExportMessage,
    'collection' | 'query' | 'format' | 'safe' | 'title' | 'nullText' | 'sepLine'
  > {
  /** Reject unknown parameters of the query. */
  readonly strict?: boolean;
  /** The `Idempotency-Key` of the request. */
  readonly idempotencyKey?: string | null;
  /** The id of the request. */
  readonly requestId?: string;
}

/** Whether the caller may read a field in some item. */
function isReadable({ grants, collection }: ItemContext, name: string): boolean {
  const cases = grants.of(collection) ?? [];
  return cases.some(({ fields }) => fields === null || fields.has(name));
}

/**
 * The query of a file. Without `limit` it selects all items; without `fields` it selects the fields
 * that an import accepts, so that the file can be imported again.
 */
function queryOf(context: ItemContext, parameters: Parameters, strict: boolean): Query {
  const bounds: QueryBounds = { ...context.bounds, limitMax: undefined };
  const { fields, aggregate, groupBy } = parameters;
  const given = { ...parameters, limit: parameters.limit ?? -1 };
  const query = parseQuery(given, bounds, { strict, typed: parameters });
  const collection = context.catalog.collections.get(context.collection);
  if ((fields ?? aggregate ?? groupBy) !== undefined || collection === undefined) return query;
  const names = allColumns(collection)
    .filter(({ name, masked }) => !masked && isReadable(context, name))
    .map(({ name }) => [name]);
  return names.length === 0 ? query : { ...query, fields: names };
}

/**
 * The statement of a file, for the caller and the catalog of the context.
 * @throws ServiceError FORBIDDEN, INVALID_QUERY
 */
export function exportStatement(
  context: ItemContext,
  {
    query,
    format,
    safe,
    nullText,
    sepLine,
    strict = false,
  }: Pick<ExportRequest, 'query' | 'format' | 'safe' | 'strict' | 'nullText' | 'sepLine'>,
): FileStatement {
  const collection = context.catalog.collections.get(context.collection);
  const isServed = collection !== undefined && servesItems(collection);
  if (!isServed || context.grants.of(context.collection) === null) {
    throw refusal({ collection: context.collection });
  }
  return fileStatement(context, queryOf(context, query, strict), {
    format,
    safe,
    nullText,
    sepLine,
  });
}

export interface ExportServiceOptions extends ContextOptions {
  readonly jobs: JobService;
  readonly spool: Storage;
}

/** The file of a completed export. */
export interface ExportedFile extends ExportResult {
  readonly collection: string | null;
  readonly finished: Date;
  /** Its content, or a part of it. */
  read(range?: ByteRange): AsyncIterable<Buffer>;
}

export class ExportService {
  readonly #contexts: ContextSource;
  readonly #jobs: JobService;
  readonly #spool: Storage;

  constructor(options: ExportServiceOptions) {
    this.#contexts = new ContextSource(options);
    this.#jobs = options.jobs;
    this.#spool = options.spool;
  }

  /**
   * Submits an export that the caller may run now; the job checks permissions again.
   * @returns the id of the job
   * @throws ServiceError FORBIDDEN, INVALID_QUERY; REQUESTS_EXCEEDED, SERVICE_UNAVAILABLE
   */
  async accept(caller: Caller, order: ExportRequest): Promise<string> {
    const { user, ip } = caller;
    if (user === null) throw forbidden(reason('only_users_export_files'));
    const { idempotencyKey = null, requestId = null, strict = false, ...wanted } = order;
    const { collection } = wanted;
    const context = await this.#contexts.of({ caller, collection });
    exportStatement(context, { ...wanted, strict });
    const message: ExportMessage = { version: 2, ...wanted, user, ip };
    const submission: Submission = {
      ...{ kind: EXPORT_JOB, queue: 'transfer', message, mailbox: exportMailbox(user) },
      ...{ collection, user, holder: quotaKeyOf(caller) },
      // A worker with the same storage must write the file, so that it can be downloaded here.
      storage: await this.#spool.identity(),
      // An identical running export does not contain later writes.
      fingerprint: null,
      ...{ idempotencyKey, requestId, request: wanted },
    };
    return (await this.#jobs.submit(submission)).id;
  }

  /**
   * The file of an export job.
   * @throws ServiceError FORBIDDEN for a job that the caller may not see or that makes no file;
   * CONFLICT with `state` when it has not completed; SERVICE_UNAVAILABLE when this process cannot
   * access the file
   */
  async file(id: string, caller: Caller): Promise<ExportedFile> {
    const job = await this.#jobs.get(id, caller);
    if (job.kind !== EXPORT_JOB) throw forbidden(reason('job_makes_no_file'));
    const { state, attempts } = job;
    if (state !== 'completed' || !v.is(exportResult, job.result)) {
      throw new ServiceError('CONFLICT', { state, reason: reason('job_has_no_file') });
    }
    if (!job.file_kept) {
      throw new ServiceError('CONFLICT', { state, reason: reason('job_file_removed') });
    }
    await this.#jobs.requireStorage(id);
    const file = exportFileId({ id: job.id, attempt: attempts });
    const { bytes, sha256 } = job.result;
    verifySize(await this.#spool.size(file), { bytes });
    return {
      ...job.result,
      collection: job.collection,
      finished: new Date(job.finished_on ?? job.created_on),
      read: (range) => {
        const known =
          range === undefined ? { bytes, sha256 } : { bytes: range.end - range.start + 1 };
        return verifyContent(this.#spool.read(file, range), known);
      },
    };
  }
}
