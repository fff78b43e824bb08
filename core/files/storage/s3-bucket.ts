/**
 * Requests to one bucket, each with a time limit, and the translation of their failures. A
 * temporary failure becomes a {@link StorageUnreachable}; a missing file has the code ENOENT.
 */
import { createHash } from 'node:crypto';
import { GetObjectCommand, S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { reason } from '#core/base/errors/reason.ts';
import { unavailable } from '#core/base/errors/service-error.ts';
import { type ShownFile, StorageUnreachable } from './storage.ts';

/** The bucket of the files, and its credentials. */
export interface S3Location {
  readonly bucket: string;
  /** Prefix of all file names, with a trailing slash; may be empty. */
  readonly prefix: string;
  readonly region: string;
  /** The URL of the server; undefined for that of AWS. */
  readonly endpoint: string | undefined;
  /** The path of the URL contains the bucket, not the host name. */
  readonly forcePathStyle: boolean;
  /** Undefined for those that the SDK finds itself, such as the role of the host. */
  readonly credentials: { readonly key: string; readonly secret: string } | undefined;
  /** Clients download files directly from the bucket. */
  readonly redirect?: boolean;
}

/** Time limits in milliseconds. */
export interface S3Times {
  readonly connect: number;
  /** Without a byte in either direction. */
  readonly idle: number;
  /** One request with its retries, without the body of a download. */
  readonly request: number;
}

const S3_TIMES: S3Times = { connect: 4_000, idle: 30_000, request: 120_000 };
/** Seconds for which a URL is valid. */
const URL_S = 60;
/** Attempts of one request; the pauses between them are fractions of a second. */
const ATTEMPTS = 3;
/** Maximum connections of one process to the server. */
const SOCKETS = 64;

const FULL: ReadonlySet<string> = new Set([
  'InsufficientStorage',
  'QuotaExceeded',
  'XMinioStorageFull',
]);
const REFUSED: ReadonlySet<number> = new Set([401, 403]);

function newClient(location: S3Location, times: S3Times): S3Client {
  const { region, endpoint, forcePathStyle, credentials } = location;
  const agent = { keepAlive: true, maxSockets: SOCKETS };
  return new S3Client({
    region,
    forcePathStyle,
    maxAttempts: ATTEMPTS,
    // Servers other than AWS do not support the checksums that the SDK adds by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      ...{ connectionTimeout: times.connect, socketTimeout: times.idle },
      ...{ httpAgent: agent, httpsAgent: agent },
    },
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined
      ? {}
      : { credentials: { accessKeyId: credentials.key, secretAccessKey: credentials.secret } }),
  });
}

/** Whether a failure reports a missing file. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Translates the failure of a request. */
function failureOf(error: unknown): Error {
  if (!(error instanceof S3ServiceException))
    return new StorageUnreachable('It does not answer.', error);
  const { name, $metadata } = error;
  const status = $metadata.httpStatusCode ?? 0;
  if (name === 'NoSuchBucket') return new StorageUnreachable('Its bucket does not exist.', error);
  if (status === 404) {
    const text = 'The file is not in the storage.';
    return Object.assign(new Error(text, { cause: error }), { code: 'ENOENT' });
  }
  if (status === 507 || FULL.has(name)) {
    return unavailable('storage', reason('storage_full'), { cause: error });
  }
  const fault = REFUSED.has(status)
    ? `It refuses the credentials of Sluice (${name}).`
    : `It answers with an error (${name}).`;
  return new StorageUnreachable(fault, error);
}

/** The files of one bucket below one prefix. */
export class S3Bucket {
  readonly #location: S3Location;
  readonly #times: S3Times;
  readonly #client: S3Client;

  constructor(location: S3Location, times: S3Times = S3_TIMES) {
    this.#location = location;
    this.#times = times;
    this.#client = newClient(location, times);
  }

  /**
   * A text that is the same for all processes that use these files, regardless of their
   * credentials.
   */
  get identity(): string {
    const { endpoint = 'https://s3.amazonaws.com', bucket, prefix } = this.#location;
    const where = JSON.stringify([new URL(endpoint).origin, bucket, prefix]);
    return `s3-${createHash('sha256').update(where).digest('hex').slice(0, 32)}`;
  }

  /** The parameters of a request for one file. */
  object(id: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#location.bucket, Key: `${this.#location.prefix}${id}` };
  }

  /** The parameters of the request that lists all files. */
  get all(): { readonly Bucket: string; readonly Prefix: string } {
    return { Bucket: this.#location.bucket, Prefix: this.#location.prefix };
  }

  /** The file name of an object. */
  idOf(key: string): string {
    return key.slice(this.#location.prefix.length);
  }

  /**
   * Runs one request within its time limit.
   * @throws an error with the code ENOENT for a missing file; {@link StorageUnreachable};
   *   SERVICE_UNAVAILABLE when there is no space
   */
  async request<T>(
    send: (client: S3Client, options: { readonly abortSignal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    try {
      return await send(this.#client, { abortSignal: AbortSignal.timeout(this.#times.request) });
    } catch (error) {
      throw failureOf(error);
    }
  }

  /** A URL at which clients download a file; null when they do not use the bucket directly. */
  async url(id: string, { type, disposition, cacheControl }: ShownFile): Promise<string | null> {
    if (this.#location.redirect !== true) return null;
    const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
    const command = new GetObjectCommand({
      ...this.object(id),
      ...{ ResponseContentType: type, ResponseContentDisposition: disposition },
      ResponseCacheControl: cacheControl,
    });
    return await this.request((client) => getSignedUrl(client, command, { expiresIn: URL_S }));
  }

  /** Closes idle connections. */
  close(): void {
    this.#client.destroy();
  }
}
