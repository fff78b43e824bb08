/** The port of the storage, which each driver implements. */
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

/** Bytes of a file, from the first one to the last one, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The most that a file may have. */
export interface SizeLimit {
  readonly bytes: number;
  /** The variable that says so. */
  readonly variable:
    | 'IMPORT_MAX_SIZE'
    | 'EXPORT_MAX_SIZE'
    | 'FILES_MAX_UPLOAD_SIZE'
    | 'STORAGE_PART_SIZE';
}

/** How a storage shows a file to clients: their headers. */
export interface ShownFile {
  readonly type: string;
  readonly disposition: string;
  readonly cacheControl: string;
}

/** A file that the storage has, or that arrives. */
export interface ListedFile {
  readonly id: string;
  /** The time of the last byte; in a bucket that at which an unfinished file was begun. */
  readonly modified: Date;
}

/** What a driver has to know of a file that arrives in pieces; only it reads that. */
export type PieceState = string;

/** Bytes of a file, and where they begin. */
export interface Piece {
  readonly offset: number;
  readonly content: Uint8Array;
}

/**
 * Where uploads and exported files are. A name is a generated UUID, which may have an extension; no
 * client chooses it.
 */
export interface Storage {
  /**
   * Tells one storage from another: two hosts that get the same text read each other's files.
   * @throws {ServiceError} SERVICE_UNAVAILABLE when it cannot be used
   */
  identity(): Promise<string>;
  /** @throws {ServiceError} SERVICE_UNAVAILABLE when it cannot be used now */
  check(): Promise<void>;
  /** Free bytes; null when it does not say. */
  free(): Promise<number | null>;
  /**
   * Stores the content as fast as the storage accepts it. It is durable when this resolves, and
   * nothing is left when this rejects.
   * @param limit undefined for none
   * @throws {ServiceError} CONTENT_TOO_LARGE, SERVICE_UNAVAILABLE when there is no room, or
   *   the storage does not answer
   */
  write(
    id: string,
    content: AsyncIterable<Uint8Array>,
    limit: SizeLimit | undefined,
  ): Promise<Stored>;
  /**
   * Adds a piece to a file that arrives in pieces, maybe through several processes; what was added
   * behind `offset` before is overwritten. It is durable when this resolves.
   * @param state what the piece before it returned; null for the first one
   * @returns what the driver has to know for the next one
   * @throws {ServiceError} SERVICE_UNAVAILABLE
   */
  append(id: string, state: PieceState | null, piece: Piece): Promise<PieceState>;
  /**
   * The state from which a process goes on after another one that may still be writing. Once it is recorded,
   * late writes after the older state change nothing.
   */
  takenOver(state: PieceState | null): PieceState | null;
  /**
   * Makes a file of its pieces; does nothing when that is done.
   * @param bytes the number of all of them
   * @throws {ServiceError} SERVICE_UNAVAILABLE
   */
  finish(id: string, state: PieceState | null, bytes: number): Promise<void>;
  /** The content or a part of it as a stream; fails with ENOENT when it does not exist. */
  read(id: string, range?: ByteRange): Readable;
  /**
   * The content or a part of it in pieces that are valid until the next one is asked for: in memory that
   * is used again, because the first write to new memory takes several times as long as to read a file.
   * Fails with ENOENT, with the first piece, when it does not exist.
   */
  lend(id: string, range?: ByteRange): AsyncIterable<Uint8Array>;
  /**
   * A URL at which clients get the file from the storage itself for a minute; null where they do not.
   * @throws {ServiceError} SERVICE_UNAVAILABLE
   */
  url(id: string, shown: ShownFile): Promise<string | null>;
  /** Where a library of this host finds the file, without copying it; null where it cannot. */
  localPath(id: string): string | null;
  /**
   * The size of an upload in bytes.
   * @throws {ServiceError} SERVICE_UNAVAILABLE when it does not exist
   */
  size(id: string): Promise<number>;
  /** Removes an upload if it exists. */
  remove(id: string): Promise<void>;
  /** Removes what processes left unfinished that have ended. @returns how many */
  sweep(): Promise<number>;
  /** All uploads, including unfinished ones. */
  list(): Promise<ListedFile[]>;
}

const NAME = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\.[a-z0-9]{1,16})?$/;

/** Whether a file of the storage may have this name: a UUID, or one with an extension. */
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

/** The error for a file that a job refers to and that is not in the storage. */
export function fileMissing(cause: unknown): ServiceError {
  return unavailable('storage', reason('file_not_in_storage'), { cause });
}

/** The storage cannot be used now, which says nothing about the file. */
export class StorageUnreachable extends ServiceError {
  /** @param fault a sentence about the storage */
  constructor(fault: string, cause?: unknown) {
    const headers = { 'Retry-After': '1' };
    const details = { service: 'storage', reason: reason('storage_unusable', { fault }) };
    super('SERVICE_UNAVAILABLE', details, { cause, headers });
  }
}
