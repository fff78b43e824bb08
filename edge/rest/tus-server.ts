/**
 * tus 1.0 (https://tus.io/protocols/resumable-upload) with creation, creation-with-upload,
 * creation-defer-length, expiration, checksum and termination. The library implements the protocol;
 * this file implements storage and permissions.
 */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { DataStore, type Lock, Server, Upload } from '@tus/server';
import type { ErrorCode } from '#core/base/errors/catalogue.ts';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError, unavailable } from '#core/base/errors/service-error.ts';
import type { UploadLock } from '#core/files/resumable-upload.ts';
import type { Checksum, ResumableUploads } from '#core/services/files/resumable-uploads.ts';
import type { RequestTarget } from '#core/services/request-context.ts';
import { type Body, ClientGoneError } from '#edge/http/request.ts';
import type { Response as Answer } from '#edge/http/response.ts';
import type { Call } from './call.ts';
import { filesOf } from './file.ts';
import { TUS_CHECKSUMS, TUS_EXTENSIONS } from './tus-capabilities.ts';

/** Milliseconds that a request may continue after another request claims its lock. */
const DRAIN_MS = 300;

/** Bytes of a piece that is passed to the library. */
const PIECE = 65_536;

/** Request headers of the protocol. */
const ASKED = [
  ...['tus-resumable', 'upload-length', 'upload-offset', 'upload-metadata', 'upload-defer-length'],
  ...['content-type', 'content-length', 'host'],
];
/** Response headers of the protocol. */
const TOLD = [
  ...['Tus-Resumable', 'Tus-Version', 'Tus-Max-Size', 'Upload-Offset', 'Upload-Length'],
  ...['Upload-Expires', 'Upload-Defer-Length', 'Upload-Metadata', 'Location'],
];

/** The checksum of a request. @throws ServiceError INVALID_PAYLOAD */
function checksumOf(header: string | undefined): Checksum | null {
  if (header === undefined) return null;
  const [name = '', digest = ''] = header.trim().split(/\s+/);
  const algorithm = TUS_CHECKSUMS.find((one) => one === name.toLowerCase());
  if (algorithm !== undefined) return { algorithm, digest: Buffer.from(digest, 'base64') };
  const why = reason('upload_checksum_algorithm_unknown', { algorithms: TUS_CHECKSUMS.join(', ') });
  throw new ServiceError('INVALID_PAYLOAD', { reason: why, field: 'Upload-Checksum' });
}

interface CallStoreOptions {
  readonly uploads: ResumableUploads;
  readonly target: RequestTarget;
  readonly checksum: Checksum | null;
  /** Aborted when the client disconnects. */
  readonly gone: AbortSignal;
}

/** The library's data store, for one request. */
class CallStore extends DataStore {
  override extensions = TUS_EXTENSIONS;
  readonly #uploads: ResumableUploads;
  readonly #target: RequestTarget;
  readonly #checksum: Checksum | null;
  readonly #gone: AbortSignal;
  /** The lock key of this request. */
  readonly #key = randomUUID();
  #isTakenOver = false;
  /**
   * The write of this request, which the library may not await; resolves to whether it succeeded.
   */
  #writing: Promise<boolean> = Promise.resolve(true);
  /**
   * The first failure that is not a refusal by the protocol. The library gives clients fewer
   * details.
   */
  failure: unknown = null;
  /** The file that the completed upload created. */
  file: string | null = null;

  constructor({ uploads, target, checksum, gone }: CallStoreOptions) {
    super();
    this.#uploads = uploads;
    this.#target = target;
    this.#checksum = checksum;
    this.#gone = gone;
  }

  override async create(upload: Upload): Promise<Upload> {
    const { id, size = null, metadata = {} } = upload;
    await this.#noting(() => this.#uploads.begin(this.#target, id, { length: size, metadata }));
    upload.creation_date = new Date().toISOString();
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const found = await this.#noting(() => this.#uploads.find(this.#target, id));
    this.file = found.file;
    // The library adds the lifetime of uploads to their creation time.
    const begun = new Date(found.expires.getTime() - this.#uploads.lifetime);
    return new Upload({
      ...{ id, offset: found.offset, metadata: { ...found.metadata } },
      ...(found.length === null ? {} : { size: found.length }),
      creation_date: begun.toISOString(),
    });
  }

  override async write(stream: Readable, id: string): Promise<number> {
    const taken = { lock: this.#key, isTakenOver: this.#isTakenOver };
    const piece = { ...taken, content: stream, checksum: this.#checksum };
    return await this.#noting(async () => {
      const adding = this.#uploads.add(this.#target, id, piece);
      this.#writing = adding.then(
        () => true,
        () => false,
      );
      const offset = await adding;
      this.file = (await this.#uploads.find(this.#target, id)).file;
      return offset;
    });
  }

  override async declareUploadLength(id: string, length: number): Promise<void> {
    await this.#noting(() => this.#uploads.setLength(this.#target.caller, id, length));
  }

  override async remove(id: string): Promise<void> {
    await this.#noting(() => this.#uploads.remove(this.#target.caller, id));
  }

  override getExpiration(): number {
    return this.#uploads.lifetime;
  }

  /** The lock of an upload, as the library's interface requires. */
  lockOf(id: string): Lock {
    let held: UploadLock | null = null;
    return {
      lock: async (signal, stop) => {
        // A client that disconnects while it waits leaves no data in memory.
        const either = AbortSignal.any([signal, this.#gone]);
        held = await this.#uploads.lock(id, this.#key, () => void stop(), either);
        // The process of the lock's owner ended, or the database was unavailable: the lock expires.
        if (held === null) throw unavailable('upload', reason('upload_still_written'));
        this.#isTakenOver = held.isTakenOver;
      },
      unlock: async () => {
        // The arrived bytes are durable, and a lock that cannot be released expires.
        await held?.release(await this.#writing).catch(() => undefined);
      },
    };
  }

  /** Records a failure; the library's own refusals are plain objects, not errors. */
  note(error: unknown): void {
    if (error instanceof Error) this.failure ??= error;
  }

  /** Records the original error, because the library replaces errors that end a body. */
  async #noting<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.note(error);
      throw error;
    }
  }
}

/**
 * The body of a request. It ends normally when the client disconnects, so that the arrived bytes
 * are stored.
 */
async function* arriving(body: Body): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const piece of body.lend()) {
      // The library's streams buffer pieces, and each stream one more than configured, so pieces
      // are copied.
      for (let from = 0; from < piece.length; from += PIECE) {
        yield Buffer.from(piece.subarray(from, from + PIECE));
      }
    }
  } catch (error) {
    if (!(error instanceof ClientGoneError)) throw error;
  }
}

/**
 * The request in the form that the library reads.
 * @param body null without one
 */
function webRequest({ request }: Call, body: AsyncGenerator<Uint8Array> | null): Request {
  const headers = new Headers();
  for (const name of ASKED) {
    const value = request.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  const { method, path } = request;
  const url = `http://localhost${path}`;
  if (body === null) return new Request(url, { method, headers });
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value } = await body.next();
        if (value === undefined) controller.close();
        else controller.enqueue(value);
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 262_144 }),
  );
  return new Request(url, { method, headers, body: stream, duplex: 'half' });
}

/** Whether the error is a checksum mismatch (the checksum extension). */
function isMismatch(error: unknown): boolean {
  return error instanceof ServiceError && error.details.field === 'Upload-Checksum';
}

/**
 * Answers a request of the protocol.
 * @param path of all uploads
 */
export async function answerTus(call: Call, path: string): Promise<Answer> {
  const { resumables } = call.services;
  const target = filesOf(call);
  const store = new CallStore({
    uploads: resumables,
    target,
    checksum: checksumOf(call.request.header('upload-checksum')),
    gone: call.request.signal,
  });
  const server = new Server({
    ...{ path, datastore: store, relativeLocation: true, lockDrainTimeout: DRAIN_MS },
    maxSize: resumables.maxBytes ?? 0,
    namingFunction: () => randomUUID(),
    locker: { newLock: (id) => store.lockOf(id) },
    onResponseError: async (_, error) => {
      store.note(error);
      return undefined;
    },
  });
  const { method, body } = call.request;
  const content = method === 'POST' || method === 'PATCH' ? arriving(body) : null;
  // Bytes that the library has not read when it responds are dropped.
  const response = await server.handleWeb(webRequest(call, content)).finally(() => {
    void content?.return();
  });
  // The edge translates the error as for all routes.
  const { failure } = store;
  if (failure !== null && response.status >= 400 && !isMismatch(failure)) throw failure;
  return await answerOf(response, store);
}

/** Refusals of the library, as the error codes of all other routes. */
const REFUSALS: ReadonlyMap<number, ErrorCode> = new Map([
  [400, 'INVALID_PAYLOAD'],
  [404, 'ROUTE_NOT_FOUND'],
  [409, 'CONFLICT'],
  [412, 'PRECONDITION_FAILED'],
  [413, 'CONTENT_TOO_LARGE'],
  [415, 'UNSUPPORTED_MEDIA_TYPE'],
]);

/** @throws ServiceError */
async function answerOf(response: Response, { file, failure }: CallStore): Promise<Answer> {
  const named = TOLD.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const headers = {
    ...Object.fromEntries(named),
    'Cache-Control': 'no-store',
    ...(file === null ? {} : { 'File-Id': file }),
  };
  // The protocol defines its own status for this, which no other error has.
  const status = isMismatch(failure) ? 460 : response.status;
  if (status < 400) return { status, headers };
  const told = (await response.text()).trim();
  const code = REFUSALS.get(status);
  if (code !== undefined)
    throw new ServiceError(code, { reason: reason('tus_refused', { detail: told }) }, { headers });
  const text = { 'Content-Type': 'text/plain; charset=utf-8' };
  return { status, headers: { ...headers, ...text }, body: told };
}
