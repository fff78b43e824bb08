/** Accepts files to import: checks permissions, stores the upload, submits the job. */
import { createHash, randomUUID } from 'node:crypto';
import type { Caller } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import type { Log } from '#core/base/log/log.ts';
import type { Storage } from '#core/files/storage/storage.ts';
import { IMPORT_JOB, type ImportFormat, type ImportMessage } from '#core/jobs/message/import.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import type { CountedUpload, SpoolQuota } from '#core/jobs/quota.ts';
import { DoubtfulSubmission, type Submission } from '#core/jobs/submit.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import { createCollections } from '#core/schema/change-input.ts';
import { importable } from '#core/transfer/target/import-target.ts';
import { matchKey } from '#core/transfer/target/match-key.ts';
import type { ImportCacheSuspension } from '#core/write/cache/import-cache-suspension.ts';
import { type ImportDestination, importDestination, notImportable } from './import-destination.ts';
import type { JobService } from './jobs.ts';
import type { RightsSource } from './request-context.ts';

export interface ImportServiceOptions {
  readonly catalog: CatalogSource;
  readonly access: RightsSource;
  readonly jobs: JobService;
  readonly spool: Storage;
  /** Called before an import is recorded. */
  readonly holds: ImportCacheSuspension;
  /** Largest file in bytes; undefined: no limit. */
  readonly maxBytes: number | undefined;
  readonly quota: SpoolQuota;
  readonly log: Log;
}

/** A file that is still arriving. */
export interface StreamedUpload {
  /** As the client named it. */
  readonly name: string;
  readonly format: ImportFormat;
  /** Whether it is compressed. */
  readonly gzip: boolean;
  readonly parameters: ImportParameters;
  readonly content: AsyncIterable<Uint8Array>;
  /** The announced length of the request body, which includes the file. */
  readonly size?: number | undefined;
  /** The `Idempotency-Key` of the request. */
  readonly idempotencyKey?: string | null;
  /** The id of the request. */
  readonly requestId?: string;
}

interface CountedFile extends StreamedUpload {
  readonly file: string;
  readonly counted: CountedUpload;
}

/** Rejects match fields that are not a unique key, before the file is stored. */
function checkMatch(
  catalog: Catalog,
  { collection, fields }: ImportDestination,
  { match }: ImportParameters,
): void {
  const only = fields === null ? undefined : new Set(fields);
  if (match !== undefined) matchKey(importable(catalog, collection, only), match);
}

/** Rejects a collection that does not exist, unless it can be created. */
function checkNew(collection: string, { create, match = ['id'] }: ImportParameters): void {
  if (create !== true) throw notImportable(collection);
  // The name is validated as in POST /collections.
  createCollections({ collection });
  if (match.join() === 'id') return;
  throw invalidQuery(reason('match_in_created_collection'));
}

/** The parameters that control parsing the file. */
const DIALECT: ReadonlySet<string> = new Set<keyof ImportParameters>([
  ...(['separator', 'quote', 'escape', 'comment', 'charset', 'decimal'] as const),
]);

/** The parameters that control parsing the file; null when there are none. */
function dialectOf(parameters: ImportParameters): Readonly<Record<string, unknown>> | null {
  const given = Object.entries(parameters).filter(([name]) => DIALECT.has(name));
  return given.length === 0 ? null : Object.fromEntries(given);
}

/** Equal for the same content with the same parameters. */
function fingerprintOf({ format, parameters }: StreamedUpload, sha256: string): string {
  const entries = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return `${format}:${sha256}`;
  const digest = createHash('sha256').update(JSON.stringify(entries)).digest('hex');
  return `${format}:${sha256}:${digest}`;
}

export class ImportService {
  readonly #options: ImportServiceOptions;

  constructor(options: ImportServiceOptions) {
    this.#options = options;
  }

  /**
   * Checks, before any byte is read, whether the caller may import into a collection.
   * Administrators may also import into a new collection, if the options create it.
   * @throws ServiceError FORBIDDEN when not, also for collections whose items have no key
   */
  async authorize(caller: Caller, name: string): Promise<ImportDestination> {
    const { access, catalog } = this.#options;
    const rights = await access.rightsOf(caller);
    const current = catalog.current();
    const isNew = rights.admin && !current.collections.has(name);
    return isNew ? { collection: name, fields: null } : importDestination(rights, current, name);
  }

  /**
   * Stores the file and submits its import. When an identical import by the same user is open, or
   * was sent with the same key, joins that one.
   * @returns the id of the job
   * @throws ServiceError FORBIDDEN, INVALID_PAYLOAD, INVALID_QUERY, CONTENT_TOO_LARGE, REQUESTS_EXCEEDED, SERVICE_UNAVAILABLE;
   *   errors of the upload
   */
  async accept(
    caller: Caller,
    destination: ImportDestination,
    upload: StreamedUpload,
  ): Promise<string> {
    const { quota, log, catalog } = this.#options;
    const { collection } = destination;
    const isNew = !catalog.current().collections.has(collection);
    if (isNew) checkNew(collection, upload.parameters);
    else checkMatch(catalog.current(), destination, upload.parameters);
    const file = randomUUID();
    const counted = await quota.begin(file, quotaKeyOf(caller), upload.size);
    try {
      return await this.#submit(caller, destination, { ...upload, file, counted });
    } finally {
      await counted
        .end()
        .catch((error) =>
          log.warn(
            { err: error },
            'an upload could not be released from its quota; it counts until it expires',
          ),
        );
    }
  }

  async #submit(
    caller: Caller,
    { collection }: ImportDestination,
    upload: CountedFile,
  ): Promise<string> {
    const { jobs, spool, holds, maxBytes, log } = this.#options;
    const { file, format, gzip, parameters } = upload;
    const content = upload.counted.counted(upload.content);
    const limit =
      maxBytes === undefined
        ? undefined
        : ({ bytes: maxBytes, variable: 'IMPORT_MAX_SIZE' } as const);
    const { bytes, sha256 } = await spool.write(file, content, limit);
    const message: ImportMessage = {
      version: 7,
      collection,
      sender: { ip: caller.ip },
      parameters,
      file: { id: file, format, gzip, bytes, sha256 },
    };
    const discard = () =>
      spool.remove(file).catch((error) => log.warn({ err: error }, 'could not remove an upload'));
    try {
      const submission: Submission = {
        kind: IMPORT_JOB,
        queue: 'transfer',
        message,
        mailbox: `${IMPORT_JOB}:${collection}`,
        collection,
        storage: await spool.identity(),
        user: caller.user,
        fingerprint: fingerprintOf(upload, sha256),
        holder: quotaKeyOf(caller),
        upload: upload.counted.uncounted(bytes),
        file: { name: upload.name, bytes, format, dialect: dialectOf(parameters) },
        idempotencyKey: upload.idempotencyKey ?? null,
        requestId: upload.requestId ?? null,
      };
      const { id, joined } = await holds.during(collection, () => jobs.submit(submission));
      if (joined) await discard();
      return id;
    } catch (error) {
      // A job that may still have been recorded needs it; else the daily cleanup removes it.
      if (!(error instanceof DoubtfulSubmission)) await discard();
      throw error;
    }
  }
}
