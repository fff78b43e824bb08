/** Zip archives that are generated while they are sent. */
import { makeZip, predictLength } from 'client-zip';

/** A file of an archive. */
export interface ZipEntry {
  /** Its path, with slashes; {@link zipOf} makes it safe and distinct. */
  readonly path: string;
  readonly modified: Date;
  readonly bytes: number;
  /** Opens its content when the archive reaches this file. */
  read(): AsyncIterable<Uint8Array>;
}

/**
 * Characters that file systems do not accept in paths, and marks that change the direction of
 * writing.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\\:*?"<>|\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** Names that Windows reserves for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
/** Maximum length of a path segment, in bytes of UTF-8. */
const LONGEST = 200;

function safeName(name: string): string {
  let safe = name.replace(UNSAFE, '_').replace(/[. ]+$/u, (end) => '_'.repeat(end.length));
  if (DEVICE.test(safe)) safe = `_${safe}`;
  const ending = /\.[A-Za-z0-9]{1,16}$/.exec(safe)?.[0] ?? '';
  const characters = [...safe.slice(0, safe.length - ending.length)];
  while (Buffer.byteLength(characters.join('')) > LONGEST) characters.pop();
  return characters.join('') + ending;
}

/** Converts any path to one below the folder where the archive is unpacked. */
export function safePath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  return parts.map(safeName).join('/') || '_';
}

/** Makes all paths distinct, also on case-insensitive file systems. */
function distinct(paths: readonly string[]): string[] {
  const taken = new Set<string>();
  return paths.map((path) => {
    const [, bare = path, ending = ''] = /^(.*?)(\.[A-Za-z0-9]{1,16})?$/su.exec(path) ?? [];
    let name = path;
    for (let n = 2; taken.has(name.toLowerCase()); n += 1) name = `${bare} (${n})${ending}`;
    taken.add(name.toLowerCase());
    return name;
  });
}

/** An archive whose length is known before its content. */
export interface Zip {
  readonly length: number;
  /** Opens one entry after the other; fails when an entry fails. */
  readonly content: AsyncIterable<Uint8Array>;
}

async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/** Closes an entry that its reader has abandoned. */
async function closed(entry: AsyncIterator<Uint8Array> | null): Promise<void> {
  await entry?.return?.();
}

/** An archive of uncompressed files. */
export function zipOf(entries: readonly ZipEntry[]): Zip {
  const names = distinct(entries.map(({ path }) => safePath(path)));
  const facts = entries.map(({ modified, bytes }, n) => ({
    ...{ name: names[n] ?? '_', lastModified: modified, size: bytes },
  }));
  const content = async function* () {
    let open: AsyncIterator<Uint8Array> | null = null;
    const files = async function* () {
      for (const [n, { read }] of entries.entries()) {
        const iterator = read()[Symbol.asyncIterator]();
        open = iterator;
        const input = { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) };
        yield { ...facts[n], name: names[n] ?? '_', input };
      }
    };
    try {
      yield* piecesOf(makeZip(files()));
    } finally {
      // The library rejects an internal promise when its stream is cancelled, so the stream is only
      // abandoned.
      await closed(open);
    }
  };
  return { length: Number(predictLength(facts)), content: content() };
}
