/** The job of an import: what identifies equal imports, and what lists show of its file. */
import { createHash } from 'node:crypto';
import type { Caller } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { IMPORT_JOB, type ImportFormat, type ImportMessage } from '#core/jobs/message/import.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import type { UncountedUpload } from '#core/jobs/quota.ts';
import type { RequestParts, Submission } from '#core/jobs/submit.ts';

/** What a request states about the file that it imports. */
export interface ImportRequest {
  /** The name of the file. */
  readonly name: string;
  readonly format: ImportFormat;
  /** Whether it is compressed. */
  readonly gzip: boolean;
  readonly parameters: ImportParameters;
  /** The name of the profile that it uses. */
  readonly profile?: string | undefined;
  /** The `Idempotency-Key` of the request. */
  readonly idempotencyKey?: string | null;
  /** The id of the request. */
  readonly requestId?: string;
  /** The value that identifies equal requests with the key; by default the content. */
  readonly request?: unknown;
}

/** The parameters that control parsing the file. */
const DIALECT: ReadonlySet<string> = new Set<keyof ImportParameters>([
  ...(['separator', 'quote', 'escape', 'comment', 'charset', 'decimal', 'thousands'] as const),
  ...(['nullValues', 'ragged', 'quotes'] as const),
]);

/** The parameters that control parsing the file; null when there are none. */
function dialectOf(parameters: ImportParameters): Readonly<Record<string, unknown>> | null {
  const given = Object.entries(parameters).filter(([name]) => DIALECT.has(name));
  return given.length === 0 ? null : Object.fromEntries(given);
}

/**
 * Equal for the same content with the same parameters. Uploads and files of `/files` differ, because
 * a file of `/files` can be deleted before the job runs.
 */
function fingerprintOf(
  { format, parameters }: ImportRequest,
  { sha256, of, at }: KnownFile,
): string {
  const entries = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  const source = of === undefined ? [] : [of];
  if (at?.once === true) source.push('once');
  if (entries.length === 0 && source.length === 0) return `${format}:${sha256}`;
  const digest = createHash('sha256').update(JSON.stringify(entries)).digest('hex');
  return [format, sha256, digest, ...source].join(':');
}

/** The file of a job, with a digest of its content. */
export type KnownFile = Pick<ImportMessage['file'], 'id' | 'of' | 'at' | 'bytes'> & {
  /** Differs whenever the bytes differ; a SHA-256 where it is known. */
  readonly sha256: string;
};

/** What identifies a repeated request, before its file is read. */
export function importRequestParts(
  caller: Caller,
  collection: string,
  { idempotencyKey = null, request }: Pick<ImportRequest, 'idempotencyKey' | 'request'>,
): RequestParts {
  const holder = quotaKeyOf(caller);
  return { kind: IMPORT_JOB, collection, holder, idempotencyKey, request, fingerprint: null };
}

/** The facts of a submission that depend on where its file is. */
export interface SubmittedFile {
  readonly file: KnownFile;
  /** The identity of the storage that the job needs. */
  readonly storage: string;
  /** The bytes to count with the job. */
  readonly upload: UncountedUpload | null;
}

const SHA256 = /^[0-9a-f]{64}$/;

/** The job that imports a stored file. */
export function importSubmission(
  caller: Caller,
  collection: string,
  request: ImportRequest,
  { file, storage, upload }: SubmittedFile,
): Submission {
  const { format, gzip, parameters, profile } = request;
  const { sha256, ...known } = file;
  const digest = SHA256.test(sha256) ? { sha256 } : {};
  const message: ImportMessage = {
    version: 7,
    collection,
    sender: { ip: caller.ip },
    parameters,
    ...(profile !== undefined && { profile }),
    file: { ...known, format, gzip, ...digest },
  };
  return {
    ...importRequestParts(caller, collection, request),
    queue: 'transfer',
    message,
    mailbox: `${IMPORT_JOB}:${collection}`,
    storage,
    user: caller.user,
    fingerprint: fingerprintOf(request, file),
    upload,
    file: { name: request.name, bytes: file.bytes, format, dialect: dialectOf(parameters) },
    requestId: request.requestId ?? null,
  };
}
