/** A folder as a location of imports. Symbolic links never lead out of it. */
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open, opendir, readlink, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden } from '#core/base/errors/service-error.ts';
import { type ByteRange, ReplacedObject, StorageUnreachable } from '#core/files/storage/storage.ts';
import {
  compareKeys,
  isHidden,
  type LocatedObject,
  type ObjectLocation,
} from './object-location.ts';

/** Bytes per read of the disk. */
const BLOCK = 256 * 1024;
/** Names of one folder that are held in memory. */
const MOST_NAMES = 20_000;
const MISSING: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function isMissing(error: unknown): boolean {
  return MISSING.has(codeOf(error));
}

function unreadable(error: unknown): StorageUnreachable {
  return new StorageUnreachable(`It cannot be read (${codeOf(error)}).`, error);
}

function missing(): Error {
  return Object.assign(new Error('The object is missing.'), { code: 'ENOENT' });
}

/** An object by the state of its file. */
function described(key: string, { size, mtimeNs, ino }: BigIntStats): LocatedObject {
  const etag = [mtimeNs, size, ino].map((number) => number.toString(16)).join('-');
  return { key, bytes: Number(size), etag };
}

/** The objects that a list wants. */
interface Wanted {
  readonly prefix: string;
  readonly after: string;
}

class FolderLocation implements ObjectLocation {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async find(key: string): Promise<LocatedObject | null> {
    const file = await this.#open(key);
    if (file === null) return null;
    try {
      return described(key, await file.stat({ bigint: true }));
    } finally {
      await file.close();
    }
  }

  async *read(object: LocatedObject, range?: ByteRange): AsyncGenerator<Uint8Array> {
    const file = await this.#open(object.key);
    if (file === null) throw missing();
    try {
      let at = range?.start ?? 0;
      const end = range === undefined ? object.bytes : Math.min(range.end + 1, object.bytes);
      await this.#verify(object, file);
      while (at < end) {
        const block = Buffer.allocUnsafe(Math.min(BLOCK, end - at));
        const { bytesRead } = await file.read(block, 0, block.length, at).catch((error) => {
          throw unreadable(error);
        });
        if (bytesRead === 0) throw new ReplacedObject();
        at += bytesRead;
        yield block.subarray(0, bytesRead);
      }
      await this.#verify(object, file);
    } finally {
      await file.close();
    }
  }

  async *list(prefix: string, after: string): AsyncGenerator<LocatedObject, void> {
    yield* this.#below(await this.#realRoot(), '', { prefix, after });
  }

  async #realRoot(): Promise<string> {
    try {
      return await realpath(this.#root);
    } catch (error) {
      throw unreadable(error);
    }
  }

  /** Opens a regular file inside the root; null without one. */
  async #open(key: string): Promise<FileHandle | null> {
    const root = await this.#realRoot();
    let file: FileHandle;
    try {
      const path = await realpath(join(root, key));
      if (!path.startsWith(root === sep ? sep : root + sep)) return null;
      // A pipe without a writer must not block.
      file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (error) {
      if (isMissing(error)) return null;
      const isRefused = ['EACCES', 'EPERM'].includes(codeOf(error));
      throw isRefused ? forbidden(reason('import_object_unreadable')) : unreadable(error);
    }
    try {
      if ((await file.stat()).isFile() && (await this.#isInside(root, file))) return file;
    } catch (error) {
      await file.close();
      throw unreadable(error);
    }
    await file.close();
    return null;
  }

  /** Whether an open file is inside the root, even if a folder became a link meanwhile. */
  async #isInside(root: string, file: FileHandle): Promise<boolean> {
    const path = await readlink(`/proc/self/fd/${file.fd}`).catch(() => null);
    return path === null || path.startsWith(root === sep ? sep : root + sep);
  }

  async #verify(object: LocatedObject, file: FileHandle): Promise<void> {
    const { etag } = described(object.key, await file.stat({ bigint: true }));
    if (etag !== object.etag) throw new ReplacedObject();
  }

  /** The objects below a folder; links are omitted, because they may form circles. */
  async *#below(folder: string, base: string, wanted: Wanted): AsyncGenerator<LocatedObject, void> {
    for (let last = ''; ; ) {
      const names = await this.#names(folder, base, wanted, last);
      for (const name of names) {
        const path = join(folder, name.replace(/\/$/, ''));
        const status = await lstat(path, { bigint: true }).catch(() => null);
        if (status === null) continue;
        if (!name.endsWith('/')) {
          if (status.isFile()) yield described(base + name, status);
        } else if (status.isDirectory()) yield* this.#below(path, base + name, wanted);
      }
      if (names.length < MOST_NAMES) return;
      last = names.at(-1) ?? '';
    }
  }

  /**
   * The first names of a folder that lead to wanted objects, in the order of the keys. Those of
   * folders end with a slash.
   */
  async #names(
    folder: string,
    base: string,
    { prefix, after }: Wanted,
    last: string,
  ): Promise<readonly string[]> {
    let names: string[] = [];
    const cut = () => {
      names = names.sort(compareKeys).slice(0, MOST_NAMES);
    };
    try {
      for await (const entry of await opendir(folder)) {
        const isFolder = entry.isDirectory();
        if ((!isFolder && !entry.isFile()) || isHidden(entry.name)) continue;
        const name = isFolder ? `${entry.name}/` : entry.name;
        const key = base + name;
        const fits = key.startsWith(prefix) || (isFolder && prefix.startsWith(key));
        const isLater = compareKeys(key, after) > 0 || (isFolder && after.startsWith(key));
        if (fits && isLater && compareKeys(name, last) > 0) names.push(name);
        if (names.length > 2 * MOST_NAMES) cut();
      }
    } catch (error) {
      if (base === '' || !isMissing(error)) throw unreadable(error);
    }
    cut();
    return names;
  }
}

/** Opens a folder as a location; nothing is read before the first use. */
export function openFolderLocation(root: string): ObjectLocation {
  return new FolderLocation(root);
}
