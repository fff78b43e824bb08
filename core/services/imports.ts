/** Accepts files to import: checks permissions, stores the upload, submits the job. */
import { createHash, randomUUID } from 'node:crypto';
import type { Caller } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import type { Log } from '#core/base/log/log.ts';
import type { LocatedObject } from '#core/files/location/object-location.ts';
import { type SizeLimit, type Storage, tooLarge } from '#core/files/storage/storage.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import type { CountedUpload, SpoolQuota } from '#core/jobs/quota.ts';
import { DoubtfulSubmission, type Submitted } from '#core/jobs/submit.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import { createCollections } from '#core/schema/change-input.ts';
import { importable } from '#core/transfer/target/import-target.ts';
import { matchKey } from '#core/transfer/target/match-key.ts';
import type { ImportCacheSuspension } from '#core/write/cache/import-cache-suspension.ts';
import type { Asset } from './files/assets.ts';
import { type ImportDestination, importDestination, notImportable } from './import-destination.ts';
import {
  type ImportRequest,
  importRequestParts,
  importSubmission,
  type KnownFile,
  type SubmittedFile,
} from './import-submission.ts';
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
export interface StreamedUpload extends ImportRequest {
  readonly content: AsyncIterable<Uint8Array>;
  /** The announced length of the request body, which includes the file. */
  readonly size?: number | undefined;
}

/** An object of a location. */
export interface LocatedUpload extends ImportRequest {
  readonly location: string;
  readonly object: LocatedObject;
  /** Whether the import fails when the object was imported before. */
  readonly once: boolean;
}

/** A file of `/files` that the caller may read. */
export interface StoredUpload extends ImportRequest {
  readonly asset: Pick<Asset, 'id' | 'bytes' | 'version'>;
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
function checkNew(
  collection: string,
  { create, key = 'id', match = [key] }: ImportParameters,
): void {
  if (create !== true) throw notImportable(collection);
  // The name is validated as in POST /collections.
  createCollections({ collection });
  if (match.join() === key) return;
  throw invalidQuery(reason('match_in_created_collection'));
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
   * The job of an earlier request with the same `Idempotency-Key`; null without one.
   * @throws ServiceError UNPROCESSABLE_ENTITY for the key of another request
   */
  async repeated(
    caller: Caller,
    { collection }: ImportDestination,
    request: Pick<ImportRequest, 'idempotencyKey' | 'request'>,
  ): Promise<string | null> {
    const { jobs } = this.#options;
    return await jobs.repeated(importRequestParts(caller, collection, request));
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
    this.#check(destination, upload.parameters);
    const id = randomUUID();
    return await this.#counted(caller, id, upload.size, async (counted) => {
      const { spool } = this.#options;
      const content = counted.counted(upload.content);
      const { bytes, sha256 } = await spool.write(id, content, this.#limit);
      return await this.#submitUpload(caller, destination, upload, {
        file: { id, bytes, sha256 },
        upload: counted.uncounted(bytes),
      });
    });
  }

  /**
   * Submits the import of a file of `/files`, which the worker reads from its storage. It counts for
   * the quotas like an upload.
   * @returns the id of the job
   * @throws ServiceError as {@link accept}
   */
  async acceptStored(
    caller: Caller,
    destination: ImportDestination,
    request: StoredUpload,
  ): Promise<string> {
    const { id: of, bytes, version: sha256 } = request.asset;
    return await this.#acceptInPlace(caller, destination, request, { of, bytes, sha256 });
  }

  /**
   * Submits the import of an object of a location, which the worker reads there. It counts for the
   * quotas like an upload.
   * @returns the id of the job
   * @throws ServiceError as {@link accept}
   */
  async acceptLocated(
    caller: Caller,
    destination: ImportDestination,
    request: LocatedUpload,
  ): Promise<string> {
    const { location, once } = request;
    const { key, etag, bytes } = request.object;
    const at = { location, key, etag, ...(once && { once }) };
    const version = createHash('sha256').update(JSON.stringify([location, key, etag]));
    const sha256 = `etag-${version.digest('hex')}`;
    return await this.#acceptInPlace(caller, destination, request, { at, bytes, sha256 });
  }

  /** Submits the import of a file that stays where it is. */
  async #acceptInPlace(
    caller: Caller,
    destination: ImportDestination,
    request: ImportRequest,
    file: KnownFile,
  ): Promise<string> {
    const { bytes } = file;
    this.#check(destination, request.parameters);
    const limit = this.#limit;
    if (limit !== undefined && bytes > limit.bytes) throw tooLarge(limit);
    return await this.#counted(caller, randomUUID(), bytes, async (counted) => {
      const upload = counted.uncounted(bytes);
      return (await this.#submit(caller, destination, request, { file, upload })).id;
    });
  }

  get #limit(): SizeLimit | undefined {
    const { maxBytes: bytes } = this.#options;
    return bytes === undefined ? undefined : { bytes, variable: 'IMPORT_MAX_SIZE' };
  }

  #check(destination: ImportDestination, parameters: ImportParameters): void {
    const catalog = this.#options.catalog.current();
    if (catalog.collections.has(destination.collection)) {
      checkMatch(catalog, destination, parameters);
    } else checkNew(destination.collection, parameters);
  }

  /** Counts a file until its job counts it. */
  async #counted(
    caller: Caller,
    id: string,
    size: number | undefined,
    work: (counted: CountedUpload) => Promise<string>,
  ): Promise<string> {
    const { quota, log } = this.#options;
    const counted = await quota.begin(id, quotaKeyOf(caller), size);
    try {
      return await work(counted);
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

  /** Submits the import of an upload, and removes the upload when no job needs it. */
  async #submitUpload(
    caller: Caller,
    destination: ImportDestination,
    request: ImportRequest,
    submitted: Omit<SubmittedFile, 'storage'> & { readonly file: { readonly id: string } },
  ): Promise<string> {
    const { spool, log } = this.#options;
    const discard = () =>
      spool
        .remove(submitted.file.id)
        .catch((error) => log.warn({ err: error }, 'could not remove an upload'));
    try {
      const { id, joined } = await this.#submit(caller, destination, request, submitted);
      if (joined) await discard();
      return id;
    } catch (error) {
      // A job that may still have been recorded needs it; else the daily cleanup removes it.
      if (!(error instanceof DoubtfulSubmission)) await discard();
      throw error;
    }
  }

  async #submit(
    caller: Caller,
    { collection }: ImportDestination,
    request: ImportRequest,
    submitted: Omit<SubmittedFile, 'storage'>,
  ): Promise<Submitted> {
    const { jobs, spool, holds } = this.#options;
    const storage = await spool.identity();
    const submission = importSubmission(caller, collection, request, { ...submitted, storage });
    return await holds.during(collection, () => jobs.submit(submission));
  }
}
