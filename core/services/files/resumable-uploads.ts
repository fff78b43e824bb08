/**
 * Files that arrive in pieces, through any edge. Each piece is durable before its client receives
 * the response; the last piece creates the file, once.
 */
import { createHash } from 'node:crypto';
import type { IHasher } from 'hash-wasm';
import * as v from 'valibot';
import type { Caller } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { reason } from '#core/base/errors/reason.ts';
import {
  forbidden,
  invalidPayload,
  quotaExceeded,
  ServiceError,
} from '#core/base/errors/service-error.ts';
import type { FairSemaphore } from '#core/base/holders/fair-semaphore.ts';
import { HEAD_BYTES } from '#core/files/media-type.ts';
import type {
  Metadata,
  ResumableUpload,
  ResumableUploadTable,
  UploadLock,
} from '#core/files/resumable-upload.ts';
import type { PartBuffer, PartBuffers } from '#core/files/storage/part-buffers.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import type { QueryBounds } from '#core/query/query.ts';
import { parsedQuery } from '#core/read/statement-cache.ts';
import type { Item } from '#core/write/payload.ts';
import type { RequestTarget } from '../request-context.ts';
import type { SystemService } from '../system/system-items.ts';
import type { FileStore, StoredContent } from './file-store.ts';
import type { ImageMeasurement } from './image-measurement.ts';

/** Metadata members that are written to the file row. */
const COLUMNS = new Set([
  ...['title', 'description', 'folder', 'location', 'tags'],
  ...['filename_download', 'focal_point_x', 'focal_point_y'],
]);

/** The checksum that is verified before a piece counts. */
export interface Checksum {
  /** The name in `node:crypto`. */
  readonly algorithm: string;
  readonly digest: Buffer;
}

export interface ResumableUploadOptions {
  readonly table: ResumableUploadTable;
  readonly store: FileStore;
  readonly system: SystemService;
  readonly images: ImageMeasurement;
  /** {@link arrivingUploads} */
  readonly arriving: FairSemaphore;
  readonly buffers: PartBuffers;
  readonly bounds: QueryBounds;
  /** FILES_MAX_UPLOAD_SIZE */
  readonly maxBytes: number | undefined;
  /** TUS_MAX_PER_USER */
  readonly maxPerUser: number;
}

/** The file name from the client, under any of the usual metadata names. */
function filenameOf(metadata: Metadata): string {
  const { filename_download: own, filename, name } = metadata;
  const found = own ?? filename ?? name ?? '';
  if (found !== '') return found;
  throw invalidPayload(reason('upload_name_missing'), {
    field: 'filename_download',
  });
}

function typeOf({ type, filetype }: Metadata): string {
  return (type ?? filetype ?? '').toLowerCase();
}

/** @throws ServiceError INVALID_PAYLOAD for text that PostgreSQL cannot store */
function requireText(metadata: Metadata): void {
  const broken = Object.entries(metadata).find((entry) => entry.join().includes('\0'));
  if (broken === undefined) return;
  const [name = ''] = broken[0].split('\0');
  throw invalidPayload(reason('upload_metadata_contains_nul', { name }), { field: name });
}

/** The row of a file from the client's metadata. */
function itemOf(metadata: Metadata): Item {
  const own = Object.entries(metadata).filter(([name]) => COLUMNS.has(name));
  const item = Object.fromEntries(
    own.map(([name, value]) => [name, value === 'null' ? null : value]),
  );
  return { ...item, filename_download: filenameOf(metadata) };
}

export class ResumableUploads {
  readonly #options: ResumableUploadOptions;

  constructor(options: ResumableUploadOptions) {
    this.#options = options;
  }

  /** FILES_MAX_UPLOAD_SIZE; undefined: no limit. */
  get maxBytes(): number | undefined {
    return this.#options.maxBytes;
  }

  /** Milliseconds after which an upload without new pieces expires. */
  get lifetime(): number {
    return this.#options.table.lifetime;
  }

  /**
   * Begins an upload.
   * @param length null when the client sends it later
   * @throws ServiceError FORBIDDEN, INVALID_PAYLOAD, REQUESTS_EXCEEDED above the quota
   */
  async begin(
    target: RequestTarget,
    id: string,
    { length, metadata }: { readonly length: number | null; readonly metadata: Metadata },
  ): Promise<void> {
    const { table, store, system, maxPerUser } = this.#options;
    requireText(metadata);
    const item = itemOf(metadata);
    if (typeof metadata.id === 'string') await system.requireChangeable(target, metadata.id, item);
    else {
      await system.admit(target, 'create');
      await system.requireCreatable(target, item);
    }
    const { user } = target.caller;
    const holder = quotaKeyOf(target.caller);
    if ((await table.openOf(holder)) >= maxPerUser) {
      const why = reason('too_many_incomplete_uploads', { limit: maxPerUser });
      throw quotaExceeded('TUS_MAX_PER_USER', maxPerUser, why);
    }
    const storage = store.chosen(metadata.storage);
    const place = await store.reserve(filenameOf(metadata), storage, { user, bytes: length ?? 0 });
    try {
      await table.create({ id, user, metadata, ...place, length }, holder);
    } catch (error) {
      await store.giveUp([place]);
      throw error;
    }
    if (length === 0) await this.find(target, id);
  }

  /** @throws ServiceError FORBIDDEN when the caller has no such upload */
  async admit(caller: Caller, id: string): Promise<void> {
    await this.#own(caller, id);
  }

  /**
   * An upload of the caller; a complete one becomes its file first.
   * @throws ServiceError FORBIDDEN when the caller has no such upload
   */
  async find(target: RequestTarget, id: string): Promise<ResumableUpload> {
    const upload = await this.#own(target.caller, id);
    if (upload.file !== null || upload.offset !== upload.length) return upload;
    return { ...upload, file: await this.#finish(target, upload) };
  }

  /**
   * Sets the length of an upload.
   * @throws ServiceError FORBIDDEN; REQUESTS_EXCEEDED when it exceeds the quota
   */
  async setLength(caller: Caller, id: string, length: number): Promise<void> {
    const { store, table } = this.#options;
    await store.expect(await this.#own(caller, id), caller.user, length);
    await table.setLength(id, length);
  }

  /** Waits until no other request appends to an upload; null when that takes too long. */
  async lock(
    id: string,
    lock: string,
    stop: () => void,
    signal: AbortSignal,
  ): Promise<UploadLock | null> {
    return v.is(v.pipe(v.string(), v.uuid()), id)
      ? await this.#options.table.lock(id, lock, stop, signal)
      : { isTakenOver: false, release: async () => undefined };
  }

  /**
   * Appends a piece, and creates the file after the last one. The received part of an aborted piece
   * counts, unless the piece has a checksum.
   * @param lock of {@link lock}, like `isTakenOver`
   * @returns the offset afterwards
   * @throws ServiceError FORBIDDEN, CONFLICT when another process has taken over; the errors of
   * storing and creating files; the errors of the content
   */
  async add(
    target: RequestTarget,
    id: string,
    {
      lock,
      isTakenOver,
      content,
      checksum,
    }: {
      readonly lock: string;
      readonly isTakenOver: boolean;
      readonly content: AsyncIterable<Uint8Array>;
      readonly checksum: Checksum | null;
    },
  ): Promise<number> {
    const { arriving } = this.#options;
    const upload = await this.#own(target.caller, id);
    return await arriving.run(quotaKeyOf(target.caller), async () => {
      const arrival = new PieceArrival(this.#options, upload, lock);
      if (isTakenOver) await arrival.takeOver();
      const offset = await arrival.take(content, checksum);
      if (offset === upload.length) await this.#finish(target, await this.#own(target.caller, id));
      return offset;
    });
  }

  /** Ends an upload and removes its bytes. @throws ServiceError FORBIDDEN */
  async remove(caller: Caller, id: string): Promise<void> {
    const { table, store } = this.#options;
    const { storage, name } = await this.#own(caller, id);
    await table.remove(id);
    await store.giveUp([{ storage, name }]);
  }

  async #own({ user }: Caller, id: string): Promise<ResumableUpload> {
    const isKey = v.is(v.pipe(v.string(), v.uuid()), id);
    const upload = isKey ? await this.#options.table.find(id) : null;
    if (upload === null || upload.user !== user) throw forbidden();
    return upload;
  }

  /** Creates the file of an upload. @returns its key */
  async #finish(target: RequestTarget, upload: ResumableUpload): Promise<string> {
    const { store, table } = this.#options;
    const { id, storage, name } = upload;
    if (upload.file !== null) return upload.file;
    try {
      const known = await store.fileOf({ storage, name });
      const file = known ?? (await this.#create(target, upload));
      await store.failpoint('upload.created');
      await table.finish(id, file);
      return file;
    } catch (error) {
      // An upload that can never become a file is removed; an outage is temporary.
      const isOutage = !(error instanceof ServiceError) || error.status >= 500;
      if (!isOutage) {
        await table.remove(id);
        await store.giveUp([{ storage, name }]);
      }
      throw error;
    }
  }

  async #create(target: RequestTarget, upload: ResumableUpload): Promise<string> {
    const { store, system, images, bounds } = this.#options;
    const { storage, name, pieces, offset: bytes, hash, metadata } = upload;
    await store.failpoint('upload.complete');
    await store.finish({ storage, name }, pieces, bytes);
    await store.failpoint('upload.joined');
    const hasher = await hasherOf(hash);
    const head = await store.head({ storage, name }, Math.min(bytes, HEAD_BYTES));
    const type = await store.typeOf(head, typeOf(metadata));
    const content: StoredContent = { storage, name, type, bytes, sha256: hasher.digest('hex') };
    const { given: members, settle } = await images.of([content], target.requestId);
    const given = { ...target, given: members };
    const question = parsedQuery(parseQuery({ fields: ['id'] }, bounds));
    const item = itemOf(metadata);
    const key = metadata.id;
    if (typeof key === 'string') {
      await system.updateOne(given, key, { body: item }, question);
      settle();
      return key;
    }
    await system.create(given, item, question);
    settle();
    const file = await store.fileOf({ storage, name });
    if (file === null) throw forbidden();
    return file;
  }
}

async function hasherOf(state: Uint8Array | null): Promise<IHasher> {
  // The state of node's own hashes cannot be stored.
  const { createSHA256 } = await import('hash-wasm');
  const hasher = await createSHA256();
  return state === null ? hasher.init() : hasher.load(state);
}

/** A piece that is arriving. */
class PieceArrival {
  readonly #options: ResumableUploadOptions;
  readonly #upload: ResumableUpload;
  readonly #lock: string;
  #offset: number;
  #pieces: string | null;

  constructor(options: ResumableUploadOptions, upload: ResumableUpload, lock: string) {
    this.#options = options;
    this.#upload = upload;
    this.#lock = lock;
    this.#offset = upload.offset;
    this.#pieces = upload.pieces;
  }

  /** Continues after another process that may still be writing. */
  async takeOver(): Promise<void> {
    const state = this.#options.store.takenOver(this.#upload, this.#pieces);
    if (state === this.#pieces) return;
    this.#pieces = state;
    await this.#record(await hasherOf(this.#upload.hash));
  }

  async take(content: AsyncIterable<Uint8Array>, checksum: Checksum | null): Promise<number> {
    const { buffers } = this.#options;
    const hasher = await hasherOf(this.#upload.hash);
    const check = checksum === null ? null : createHash(checksum.algorithm);
    let buffer: PartBuffer | null = null;
    let filled = 0;
    const flush = async () => {
      if (buffer === null || filled === 0) return;
      const bytes = buffer.bytes.subarray(0, filled);
      filled = 0;
      await this.#store(bytes);
      // A piece with a checksum counts only as a whole.
      if (check === null) await this.#record(hasher);
    };
    try {
      for await (const piece of content) {
        for (let from = 0; from < piece.length; ) {
          buffer ??= await buffers.acquire();
          const some = piece.subarray(from, from + buffers.size - filled);
          buffer.bytes.set(some, filled);
          hasher.update(some);
          check?.update(some);
          filled += some.length;
          from += some.length;
          if (filled < buffers.size && !buffer.isDue()) continue;
          await flush();
          buffer.release();
          buffer = null;
        }
      }
      await flush();
      if (checksum !== null && check?.digest().equals(checksum.digest) !== true) {
        throw new ServiceError('INVALID_PAYLOAD', {
          reason: reason('upload_checksum_differs'),
          field: 'Upload-Checksum',
        });
      }
      if (check !== null) await this.#record(hasher);
      return this.#offset;
    } catch (error) {
      // The client disconnected: the received bytes count.
      if (check === null) await flush().catch(() => undefined);
      throw error;
    } finally {
      release(buffer);
    }
  }

  async #store(content: Uint8Array): Promise<void> {
    const { store } = this.#options;
    const piece = { offset: this.#offset, content };
    const { length, user } = this.#upload;
    // Uploads of known length were counted when they began.
    if (length === null) await store.expect(this.#upload, user, this.#offset + content.length);
    this.#pieces = await store.append(this.#upload, this.#pieces, piece);
    await store.failpoint('upload.stored');
    this.#offset += content.length;
  }

  async #record(hasher: IHasher): Promise<void> {
    const { table } = this.#options;
    const progress = { offset: this.#offset, pieces: this.#pieces, hash: hasher.save() };
    if (await table.advance(this.#upload.id, this.#lock, progress)) return;
    throw new ServiceError('CONFLICT', { reason: reason('upload_in_progress_elsewhere') });
  }
}

/** Releases the buffer of a piece. */
function release(buffer: PartBuffer | null): void {
  buffer?.release();
}
