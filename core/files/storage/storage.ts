/** The storage interface, which each driver implements. */
import assert from 'node:assert';
import type { Readable } from 'node:stream';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError, unavailable } from '#core/base/errors/service-error.ts';

/** A stored upload. */
export interface Stored {
  readonly bytes: number;
  /** SHA-256 of the content in hexadecimal. */
  readonly sha256: string;
}

/** A range of bytes of a file; both bounds are inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The maximum size of a file. */
export interface SizeLimit {
  readonly bytes: number;
  /** The variable that sets it. */
  readonly variable:
    | 'IMPORT_MAX_SIZE'
    | 'EXPORT_MAX_SIZE'
    | 'FILES_MAX_UPLOAD_SIZE'
    | 'STORAGE_PART_SIZE';
}

/** The response headers with which a storage serves a file to clients. */
export interface ShownFile {
  readonly type: string;
  readonly disposition: string;
  readonly cacheControl: string;
}

/** A stored or arriving file. */
export interface ListedFile {
  readonly id: string;
  /**
   * The time of the last byte; for an unfinished file in a bucket, the time at which it was begun.
   */
  readonly modified: Date;
}

/** The driver's state of a file that arrives in pieces; opaque to other code. */
export type PieceState = string;

/** Bytes of a file, and their offset. */
export interface Piece {
  readonly offset: number;
  readonly content: Uint8Array;
}

/**
 * The storage of uploads and exported files. A name is a generated UUID, optionally with an
 * extension; clients never choose it.
 */
export interface Storage {
  /**
   * Identifies the storage: two hosts with the same text share their files.
   * @throws {ServiceError} SERVICE_UNAVAILABLE when it is unavailable
   */
  identity(): Promise<string>;
  /** @throws {ServiceError} SERVICE_UNAVAILABLE when it is unavailable now */
  check(): Promise<void>;
  /** Free bytes; null when the storage does not report them. */
  free(): Promise<number | null>;
  /**
   * Stores the content as fast as the storage accepts it. It is durable when this resolves, and no
   * data remains when this rejects.
   * @param limit undefined: no limit
   * @throws {ServiceError} CONTENT_TOO_LARGE, SERVICE_UNAVAILABLE when there is no space, or the
   *   storage does not respond
   */
  write(
    id: string,
    content: AsyncIterable<Uint8Array>,
    limit: SizeLimit | undefined,
  ): Promise<Stored>;
  /**
   * Adds a piece to a file that arrives in pieces, possibly through several processes. Bytes that
   * were previously added after `offset` are overwritten. It is durable when this resolves.
   * @param state the result of the previous piece; null for the first one
   * @returns the driver's state for the next piece
   * @throws {ServiceError} SERVICE_UNAVAILABLE
   */
  append(id: string, state: PieceState | null, piece: Piece): Promise<PieceState>;
  /**
   * The state from which a process continues after another one that may still be writing. Once it
   * is recorded, late writes of the older state have no effect.
   */
  takenOver(state: PieceState | null): PieceState | null;
  /**
   * Completes a file from its pieces; does nothing when that is done.
   * @param bytes the total size
   * @throws {ServiceError} SERVICE_UNAVAILABLE
   */
  finish(id: string, state: PieceState | null, bytes: number): Promise<void>;
  /** The content or a range of it as a stream; fails with ENOENT for a missing file. */
  read(id: string, range?: ByteRange): Readable;
  /**
   * The content or a range of it in pieces that are valid until the next one is requested. The
   * memory is reused, because the first write to new memory takes several times as long as reading
   * a file. The first piece fails with ENOENT for a missing file.
   */
  lend(id: string, range?: ByteRange): AsyncIterable<Uint8Array>;
  /**
   * A URL at which clients download the file from the storage itself for a minute; null when they
   * do not use it.
   * @throws {ServiceError} SERVICE_UNAVAILABLE
   */
  url(id: string, shown: ShownFile): Promise<string | null>;
  /** The path of the file for a library on this host, without a copy; null without a local file. */
  localPath(id: string): string | null;
  /**
   * The size of an upload in bytes.
   * @throws {ServiceError} SERVICE_UNAVAILABLE when it does not exist
   */
  size(id: string): Promise<number>;
  /** Removes an upload if it exists. */
  remove(id: string): Promise<void>;
  /**
   * Removes the unfinished files of processes that have ended.
   * @returns the number of removed files
   */
  sweep(): Promise<number>;
  /** All uploads, including unfinished ones. */
  list(): Promise<ListedFile[]>;
}

const NAME = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\.[a-z0-9]{1,16})?$/;

/** Whether a file of the storage may have this name: a UUID, optionally with an extension. */
export function isFileName(name: string): boolean {
  return NAME.test(name);
}

/** Throws for a name that was not generated. */
export function assertFileName(name: string): void {
  assert(isFileName(name), 'the name of a file in the storage begins with a UUID');
}

export function tooLarge({ bytes: limit, variable }: SizeLimit): ServiceError {
  const why = reason('file_too_large', { limit, variable });
  return new ServiceError('CONTENT_TOO_LARGE', { limit, variable, reason: why });
}

/** The error for a file that a job refers to but that is missing in the storage. */
export function fileMissingError(cause: unknown): ServiceError {
  return unavailable('storage', reason('file_not_in_storage'), { cause });
}

/** An object has other content than its reader expects. */
export class ReplacedObject extends Error {}

/** The storage is unavailable, which is not the fault of the file. */
export class StorageUnreachable extends ServiceError {
  /** @param fault a sentence about the storage */
  constructor(fault: string, cause?: unknown) {
    const headers = { 'Retry-After': '1' };
    const details = { service: 'storage', reason: reason('storage_unusable', { fault }) };
    super('SERVICE_UNAVAILABLE', details, { cause, headers });
  }
}
