/**
 * Sources of static files: a folder whose files are cached in memory after the first request, or
 * memory alone. Names are only looked up among existing files, so they cannot refer to other paths.
 */
import { constants } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Coding } from '#edge/http/compression.ts';
import { StaticFile, typeOf } from './static-file.ts';

export interface FileSource {
  /**
   * A file by its name, which may contain slashes.
   * @returns null when the file does not exist
   */
  find(name: string): Promise<StaticFile | null>;
}

/** Files that the program generated, by name. */
export function filesInMemory(files: ReadonlyMap<string, StaticFile>): FileSource {
  return { find: async (name) => files.get(name) ?? null };
}

/** The first of several sources that has a file. */
export function firstOf(...sources: readonly FileSource[]): FileSource {
  return {
    async find(name) {
      for (const source of sources) {
        const found = await source.find(name);
        if (found !== null) return found;
      }
      return null;
    },
  };
}

/** The content of a folder at its last scan. */
interface Listing {
  /** Changes with the entry file. */
  readonly stamp: string;
  readonly names: ReadonlySet<string>;
  readonly files: Map<string, Promise<StaticFile>>;
}

const ENDINGS: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' };
/** Symbolic links are never followed. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW;

/**
 * The files of a folder and its subfolders. Its entry file shows that the folder is complete. When
 * a build rewrites the entry file, everything is read again. Only requests for pages and for
 * missing files check this.
 */
export class Folder implements FileSource {
  readonly #path: string;
  readonly #entry: string;
  #listing: Promise<Listing> | null = null;

  /** @param entry the file that every build writes */
  constructor(path: string, entry = 'index.html') {
    this.#path = path;
    this.#entry = entry;
  }

  /** Whether the folder has its entry file. */
  async exists(): Promise<boolean> {
    return (await this.#stamp()) !== null;
  }

  async find(name: string): Promise<StaticFile | null> {
    const known = await this.#listing;
    const isPage = name === this.#entry || name.endsWith('.html');
    const listing = known !== null && !isPage && known.names.has(name) ? known : await this.#look();
    if (listing === null || !listing.names.has(name)) return null;
    const type = typeOf(name);
    if (type === undefined) return null;
    return await (listing.files.get(name) ?? this.#read(listing, name, type));
  }

  async #stamp(): Promise<string | null> {
    try {
      const { mtimeMs, size, ino } = await stat(join(this.#path, this.#entry));
      return `${mtimeMs} ${size} ${ino}`;
    } catch {
      return null;
    }
  }

  /** The current listing; null without the entry file. */
  async #look(): Promise<Listing | null> {
    const stamp = await this.#stamp();
    if (stamp === null) {
      this.#listing = null;
      return null;
    }
    const known = await this.#listing;
    if (known?.stamp === stamp) return known;
    const listing = this.#list(stamp);
    this.#listing = listing;
    listing.catch(() => {
      if (this.#listing === listing) this.#listing = null;
    });
    return await listing;
  }

  async #list(stamp: string): Promise<Listing> {
    const entries = await readdir(this.#path, { recursive: true, withFileTypes: true });
    const names = entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(this.#path, join(entry.parentPath, entry.name)))
      .map((name) => name.split(sep).join('/'));
    return { stamp, names: new Set(names), files: new Map() };
  }

  #read({ names, files }: Listing, name: string, type: string): Promise<StaticFile> {
    const bytesOf = (of: string) => readFile(join(this.#path, of), { flag: READ });
    const ready = async (coding: Coding) => {
      const compressed = name + ENDINGS[coding];
      return names.has(compressed) ? await bytesOf(compressed) : null;
    };
    const file = bytesOf(name).then((bytes) => new StaticFile(type, bytes, ready));
    files.set(name, file);
    file.catch(() => files.delete(name));
    return file;
  }
}
