/** Reads the beginnings of the parts of an archive, wherever in a file they lie. */

const END = 0x06054b50;
const ENTRY = 0x02014b50;
/** An archive ends with at most so many bytes after the list of its parts. */
const END_MAX = 66_000;
/** The longest list of parts that is read. */
const LIST_MAX = 16 * 1024 * 1024;
const DEFLATED = 8;

interface Entry {
  readonly isDeflated: boolean;
  readonly bytes: number;
  readonly at: number;
}

export interface Archive {
  has(name: string): boolean;
  /** The first characters of a part; null without it. */
  text(name: string, limit: number): Promise<string | null>;
}

/** Takes bytes until there are more than enough; the rest of the stream is given up. */
export async function take(
  stream: ReadableStream<Uint8Array>,
  enough: number,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const reader = stream.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  while (length <= enough) {
    const { done, value } = await reader.read();
    if (done) return chunks;
    chunks.push(new Uint8Array(value));
    length += value.length;
  }
  await reader.cancel();
  return chunks;
}

async function viewOf(part: Blob): Promise<DataView> {
  return new DataView(await part.arrayBuffer());
}

async function entriesOf(file: Blob): Promise<Map<string, Entry>> {
  const tail = await viewOf(file.slice(-END_MAX));
  let end = tail.byteLength - 22;
  while (end >= 0 && tail.getUint32(end, true) !== END) end -= 1;
  if (end < 0) throw new RangeError('the archive has no end');
  const [size, start] = [tail.getUint32(end + 12, true), tail.getUint32(end + 16, true)];
  if (size > LIST_MAX || start + size > file.size) throw new RangeError('the list is elsewhere');
  const list = await viewOf(file.slice(start, start + size));
  const entries = new Map<string, Entry>();
  for (let at = 0; at + 46 <= list.byteLength && list.getUint32(at, true) === ENTRY; ) {
    const [name, extra, note] = [28, 30, 32].map((place) => list.getUint16(at + place, true));
    const bytes = new Uint8Array(list.buffer, at + 46, name);
    entries.set(new TextDecoder().decode(bytes), {
      isDeflated: list.getUint16(at + 10, true) === DEFLATED,
      bytes: list.getUint32(at + 20, true),
      at: list.getUint32(at + 42, true),
    });
    at += 46 + (name ?? 0) + (extra ?? 0) + (note ?? 0);
  }
  return entries;
}

/** @throws when the archive is damaged, or too large to be read here */
export async function openArchive(file: Blob): Promise<Archive> {
  const entries = await entriesOf(file);
  return {
    has: (name) => entries.has(name),
    async text(name, limit) {
      const entry = entries.get(name);
      if (entry === undefined) return null;
      const head = await viewOf(file.slice(entry.at, entry.at + 30));
      const start = entry.at + 30 + head.getUint16(26, true) + head.getUint16(28, true);
      const stored = file.slice(start, start + entry.bytes).stream();
      const content = entry.isDeflated
        ? stored.pipeThrough(new DecompressionStream('deflate-raw'))
        : stored;
      const bytes = await new Blob(await take(content, limit)).arrayBuffer();
      return new TextDecoder().decode(bytes.slice(0, limit), { stream: true });
    },
  };
}
