/**
 * Stores uploads between the process that receives them and the one that works on them, and exported
 * files until they are downloaded. A name is always a generated UUID, never chosen by a client.
 */
import assert from 'node:assert';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ServiceError, unavailable } from '#core/errors/service-error.ts';
import { hasEnded, processIdentity } from '#core/process/process-id.ts';

/** A stored upload. */
export interface Spooled {
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
  readonly variable: 'IMPORT_MAX_SIZE' | 'EXPORT_MAX_SIZE';
}

/** Storage for uploads and exported files that all processes of the installation can use. */
export interface Spool {
  /**
   * Stores the content as fast as the disk accepts it. It is on the disk when this resolves, and
   * nothing is left when this rejects.
   * @param limit undefined for none
   * @throws {ServiceError} CONTENT_TOO_LARGE, SERVICE_UNAVAILABLE when the disk is full
   */
  write(
    id: string,
    content: AsyncIterable<Uint8Array>,
    limit: SizeLimit | undefined,
  ): Promise<Spooled>;
  /** The content or a part of it as a stream; fails with ENOENT when it does not exist. */
  read(id: string, range?: ByteRange): Readable;
  /**
   * The size of an upload in bytes.
   * @throws {ServiceError} SERVICE_UNAVAILABLE when it does not exist
   */
  size(id: string): Promise<number>;
  /** Removes an upload if it exists. */
  remove(id: string): Promise<void>;
  /** Removes unfinished files of processes that have ended. @returns how many */
  sweep(): Promise<number>;
  /** All uploads, including unfinished ones, with the time of the last byte. */
  list(): Promise<{ id: string; modified: Date }[]>;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** `<id>.<writing process>.part` */
const UNFINISHED = '.part';
const ID_LENGTH = 36;
/** System errors that mean that the folder cannot be used. */
const UNWRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EIO']);
/** Bytes per write or read of the disk. */
const BLOCK = 256 * 1024;

function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null;
}

function storageFailure(error: unknown): unknown {
  const code = errorCode(error) ?? '';
  if (UNWRITABLE.has(code)) {
    const reason = `The folder of uploads in DATA_DIR cannot be written to (${code}).`;
    return unavailable('storage', reason, { cause: error });
  }
  const full = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code);
  const reason = 'There is no room for the file on the disk.';
  return full ? unavailable('storage', reason, { cause: error }) : error;
}

function tooLarge({ bytes: limit, variable }: SizeLimit): ServiceError {
  const reason = `A file may have at most ${limit} bytes (${variable}).`;
  return new ServiceError('CONTENT_TOO_LARGE', { limit, variable, reason });
}

/**
 * Joins pieces into larger writes. A block is overwritten when the one after the next is asked for:
 * new memory for each costs more time to collect than to fill.
 */
async function* inBlocks(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let block: Buffer = Buffer.allocUnsafeSlow(BLOCK);
  let other: Buffer | null = null;
  let filled = 0;
  for await (const piece of content) {
    for (let from = 0; from < piece.length; ) {
      const part = piece.subarray(from, from + BLOCK - filled);
      block.set(part, filled);
      filled += part.length;
      from += part.length;
      if (filled < BLOCK) continue;
      yield block;
      [block, other] = [other ?? Buffer.allocUnsafeSlow(BLOCK), block];
      filled = 0;
    }
  }
  if (filled > 0) yield block.subarray(0, filled);
}

async function take(
  path: string,
  content: AsyncIterable<Uint8Array>,
  limit: SizeLimit | undefined,
): Promise<Spooled> {
  const hash = createHash('sha256');
  let bytes = 0;
  let writing: Promise<void> = Promise.resolve();
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const block of inBlocks(content)) {
      bytes += block.length;
      if (limit !== undefined && bytes > limit.bytes) throw tooLarge(limit);
      await writing;
      // Unlike a single write, this one continues until the last byte. The next block arrives
      // meanwhile.
      writing = file.appendFile(block);
      writing.catch(() => undefined);
      hash.update(block);
    }
    await writing;
    await file.sync();
  } finally {
    await writing.catch(() => undefined);
    await file.close();
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Makes a rename durable by syncing the folder. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A spool in a folder, which is created with the first write. */
export function localSpool(folder: string): Spool {
  const pathOf = (id: string) => {
    assert(UUID.test(id), 'the name of an upload is a UUID');
    return join(folder, id);
  };
  const names = async () =>
    await readdir(folder).catch((error) => {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    });
  return {
    async write(id, content, limit) {
      const path = pathOf(id);
      const unfinished = `${path}.${processIdentity()}${UNFINISHED}`;
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const spooled = await take(unfinished, content, limit);
        await rename(unfinished, path);
        await syncFolder(folder);
        return spooled;
      } catch (error) {
        // What prevents writing can also prevent removing.
        await rm(unfinished, { force: true }).catch(() => undefined);
        throw storageFailure(error);
      }
    },
    read: (id, range) => createReadStream(pathOf(id), { highWaterMark: BLOCK, ...range }),
    async size(id) {
      try {
        return (await stat(pathOf(id))).size;
      } catch (error) {
        if (errorCode(error) !== 'ENOENT') throw error;
        const reason = 'The file is not there; all processes must share DATA_DIR.';
        throw unavailable('storage', reason, { cause: error });
      }
    },
    async remove(id) {
      try {
        // One that is there was finished; what else its name begins with is swept.
        return await unlink(pathOf(id));
      } catch (error) {
        if (errorCode(error) !== 'ENOENT') throw error;
      }
      for (const name of await names()) {
        if (name.startsWith(`${id}.`)) await rm(join(folder, name), { force: true });
      }
    },
    async sweep() {
      let removed = 0;
      for (const name of await names()) {
        if (!name.endsWith(UNFINISHED)) continue;
        if (!hasEnded(name.slice(ID_LENGTH + 1, -UNFINISHED.length))) continue;
        await rm(join(folder, name), { force: true });
        removed += 1;
      }
      return removed;
    },
    async list() {
      const found: { id: string; modified: Date }[] = [];
      for (const name of await names()) {
        const id = name.endsWith(UNFINISHED) ? name.slice(0, ID_LENGTH) : name;
        if (!UUID.test(id)) continue;
        // An upload can be finished or removed during the listing.
        const status = await stat(join(folder, name)).catch(() => null);
        if (status !== null) found.push({ id, modified: status.mtime });
      }
      return found;
    },
  };
}
