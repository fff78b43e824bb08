/**
 * One file that is served unchanged: its type, its tag, and its compressed forms, each created
 * once.
 */
import { extname } from 'node:path';
import { COMPRESSED_MIN, type Coding, compressToKeep } from '#edge/http/compression.ts';
import { entityTag } from '#edge/http/entity-tag.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  // Browsers display it as text, and download it with its own type.
  '.md': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

/** Types that compress well. */
const COMPRESSIBLE = /^(?:text\/|image\/svg|application\/(?:json|manifest|wasm))/;

/** The media type of a file; undefined when files with its extension are not served. */
export function typeOf(name: string): string | undefined {
  return TYPES[extname(name).toLowerCase()];
}

/** Reads a precompressed form; null without one. */
export type ReadCompressed = (coding: Coding) => Promise<Uint8Array | null>;

const none: ReadCompressed = async () => null;

export class StaticFile {
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly #ready: ReadCompressed;
  #tag: string | null = null;
  readonly #compressed = new Map<Coding, Promise<Uint8Array>>();

  constructor(type: string, content: string | Uint8Array, ready: ReadCompressed = none) {
    this.type = type;
    this.bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.#ready = ready;
  }

  /** The tag is the same for all codings, and therefore weak. */
  get tag(): string {
    this.#tag ??= entityTag(this.bytes);
    return this.#tag;
  }

  /** Whether compression is worthwhile. */
  get isCompressible(): boolean {
    return this.bytes.length >= COMPRESSED_MIN && COMPRESSIBLE.test(this.type);
  }

  /** Its compressed bytes; concurrent callers share one compression. */
  compressed(coding: Coding): Promise<Uint8Array> {
    const known = this.#compressed.get(coding);
    if (known !== undefined) return known;
    const made = this.#compress(coding);
    this.#compressed.set(coding, made);
    made.catch(() => this.#compressed.delete(coding));
    return made;
  }

  async #compress(coding: Coding): Promise<Uint8Array> {
    return (await this.#ready(coding)) ?? (await compressToKeep(this.bytes, coding));
  }
}
