/** The storage in a folder of this host, or of a file system that several hosts mount. */
import { randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import {
  access,
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  unlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { reason } from '#core/base/errors/reason.ts';
import { unavailable } from '#core/base/errors/service-error.ts';
import { hasEnded, processIdentity } from '#core/base/process/process-id.ts';
import { BlockWriter } from './block-writer.ts';
import { freeSpace } from './free-space.ts';
import {
  assertFileName,
  type ByteRange,
  fileMissingError,
  isFileName,
  type ListedFile,
  type SizeLimit,
  type Storage,
  type Stored,
  tooLarge,
} from './storage.ts';

/** The file with the identity of the folder. */
const IDENTITY = 'storage-id';
const UNFINISHED = '.part';
/** The suffix of a file that arrives in pieces. */
const PIECES = '.pieces';
/** `<id>.<writing process>.part` */
const UNFINISHED_NAME = /^(.+)\.([0-9a-f]{12}-\d+-\d+)\.part$/;
/** System errors that show that the folder is unusable. */
const UNWRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EIO']);
/** Bytes per read of the disk. */
const BLOCK = 256 * 1024;

function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null;
}

function storageFailure(error: unknown): unknown {
  const code = errorCode(error) ?? '';
  if (UNWRITABLE.has(code)) {
    return unavailable('storage', reason('upload_folder_not_writable', { code }), { cause: error });
  }
  const full = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code);
  return full ? unavailable('storage', reason('disk_full'), { cause: error }) : error;
}

/** Creates a file, and its folder if necessary. */
async function create(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return await open(path, 'wx', 0o600);
}

async function take(
  file: FileHandle,
  content: AsyncIterable<Uint8Array>,
  limit: SizeLimit | undefined,
): Promise<Stored> {
  // Unlike a single write, `appendFile` continues until the last byte.
  const writer = new BlockWriter((bytes) => file.appendFile(bytes));
  try {
    for await (const piece of content) {
      if (limit !== undefined && writer.bytes + piece.length > limit.bytes) throw tooLarge(limit);
      await writer.take(piece);
    }
    const stored = await writer.finish();
    await file.sync();
    return stored;
  } finally {
    await writer.end();
    await file.close();
  }
}

/** Opens a file for writing at any offset, and creates it with its folder if necessary. */
async function openForPieces(path: string): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_CREAT;
  try {
    return await open(path, flags, 0o600);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return await open(path, flags, 0o600);
}

async function addPiece(path: string, offset: number, content: Uint8Array): Promise<void> {
  const file = await openForPieces(path);
  try {
    for (let done = 0; done < content.length; ) {
      const { bytesWritten } = await file.write(
        content,
        done,
        content.length - done,
        offset + done,
      );
      done += bytesWritten;
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Renames the pieces to their final name, unless that is already done. */
async function joinPieces(pieces: string, path: string, bytes: number): Promise<void> {
  const isDone = await stat(path).then(
    ({ size }) => size === bytes,
    () => false,
  );
  if (isDone) return;
  const file = await openForPieces(pieces);
  try {
    await file.truncate(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(pieces, path);
}

/** Reads a file into two alternating blocks: one is filled while the other is used. */
async function* lent(path: string, range: ByteRange | undefined): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r');
  let filling: Promise<unknown> = Promise.resolve();
  try {
    const start = range?.start ?? 0;
    const end = range === undefined ? (await file.stat()).size : range.end + 1;
    const size = Math.min(BLOCK, end - start);
    const blocks: Buffer[] = [];
    const fill = async (turn: number, from: number) => {
      const block = blocks[turn] ?? Buffer.allocUnsafeSlow(size);
      blocks[turn] = block;
      const { bytesRead } = await file.read(block, 0, Math.min(size, end - from), from);
      return block.subarray(0, bytesRead);
    };
    let filled = start < end ? fill(0, start) : null;
    for (let from = start, turn = 1; filled !== null; turn = 1 - turn) {
      filling = filled.catch(() => undefined);
      const block = await filled;
      if (block.length === 0) return;
      from += block.length;
      filled = from < end ? fill(turn, from) : null;
      filling = Promise.resolve(filled).catch(() => undefined);
      yield block;
    }
  } finally {
    await filling;
    await file.close();
  }
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

/**
 * The identity in a file of the folder. If several processes create one concurrently, the first one
 * applies.
 */
async function readIdentity(folder: string): Promise<string> {
  const file = join(folder, IDENTITY);
  const read = async () => (await readFile(file, 'utf8')).trim();
  try {
    return await read();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(`${randomUUID()}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await link(draft, file);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(folder);
  return await read();
}

/** A storage in a folder, which is created with the first write. */
export function localStorage(folder: string): Storage {
  const pathOf = (id: string) => {
    assertFileName(id);
    return join(folder, id);
  };
  const names = async () =>
    await readdir(folder).catch((error) => {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    });
  return {
    async identity() {
      try {
        return await readIdentity(folder);
      } catch (error) {
        throw storageFailure(error);
      }
    },
    async check() {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await access(folder, constants.R_OK | constants.W_OK);
      } catch (error) {
        throw storageFailure(error);
      }
    },
    free: () => freeSpace(folder),
    async write(id, content, limit) {
      const path = pathOf(id);
      const unfinished = `${path}.${processIdentity()}${UNFINISHED}`;
      try {
        const file = await create(unfinished);
        const stored = await take(file, content, limit);
        await rename(unfinished, path);
        await syncFolder(folder);
        return stored;
      } catch (error) {
        // A problem that prevents writing may also prevent removal.
        await rm(unfinished, { force: true }).catch(() => undefined);
        throw storageFailure(error);
      }
    },
    async append(id, _, { offset, content }) {
      try {
        await addPiece(`${pathOf(id)}${PIECES}`, offset, content);
        return '';
      } catch (error) {
        throw storageFailure(error);
      }
    },
    // Bytes at an offset are the same, regardless of the process that writes them.
    takenOver: (state) => state,
    async finish(id, _, bytes) {
      const path = pathOf(id);
      try {
        await joinPieces(`${path}${PIECES}`, path, bytes);
        await syncFolder(folder);
      } catch (error) {
        throw storageFailure(error);
      }
    },
    read: (id, range) => createReadStream(pathOf(id), { highWaterMark: BLOCK, ...range }),
    lend: (id, range) => lent(pathOf(id), range),
    url: async () => null,
    localPath: pathOf,
    async size(id) {
      try {
        return (await stat(pathOf(id))).size;
      } catch (error) {
        if (errorCode(error) !== 'ENOENT') throw error;
        throw fileMissingError(error);
      }
    },
    async remove(id) {
      try {
        // An existing file is finished; a sweep removes its unfinished forms.
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
        const process = UNFINISHED_NAME.exec(name)?.[2];
        if (process === undefined || !hasEnded(process)) continue;
        await rm(join(folder, name), { force: true });
        removed += 1;
      }
      return removed;
    },
    async list() {
      const found: ListedFile[] = [];
      for (const name of await names()) {
        const id = UNFINISHED_NAME.exec(name)?.[1] ?? name;
        if (!isFileName(id)) continue;
        // An upload may be finished or removed during the listing.
        const status = await stat(join(folder, name)).catch(() => null);
        if (status !== null) found.push({ id, modified: status.mtime });
      }
      return found;
    },
  };
}
