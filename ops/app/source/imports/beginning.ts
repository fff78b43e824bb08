/** Reads the beginning of a file, however large it is, to show what is in it and how it is written. */

/** A file with its first bytes, expanded where it is compressed. */
export interface OpenedFile {
  readonly file: File;
  readonly bytes: Uint8Array;
  readonly gzip: boolean;
  /** Whether the bytes are all there are. */
  readonly complete: boolean;
}

const LENGTH = 65_536;

function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b;
}

/** What the first bytes of files without text show. */
export type BinaryKind = 'workbook' | 'oldWorkbook' | 'parquet';

const BINARY: readonly { readonly kind: BinaryKind; readonly bytes: readonly number[] }[] = [
  { kind: 'workbook', bytes: [0x50, 0x4b, 0x03, 0x04] },
  { kind: 'oldWorkbook', bytes: [0xd0, 0xcf, 0x11, 0xe0] },
  { kind: 'parquet', bytes: [0x50, 0x41, 0x52, 0x31] },
];

/** The file has no text whose beginning could be shown. */
export class BinaryFile extends Error {
  readonly kind: BinaryKind;

  constructor(kind: BinaryKind) {
    super(kind);
    this.kind = kind;
  }
}

/** Takes bytes until there are enough; the rest of the stream is given up. */
async function take(stream: ReadableStream<Uint8Array>): Promise<Uint8Array[]> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  while (length <= LENGTH) {
    const { done, value } = await reader.read();
    if (done) return chunks;
    chunks.push(value);
    length += value.length;
  }
  await reader.cancel();
  return chunks;
}

/** @throws {BinaryFile}, and when the file cannot be read or expanded */
export async function openFile(file: File): Promise<OpenedFile> {
  const gzip = isGzip(new Uint8Array(await file.slice(0, 2).arrayBuffer()));
  const stream = gzip
    ? file.stream().pipeThrough(new DecompressionStream('gzip'))
    : file.slice(0, LENGTH + 1).stream();
  const bytes = new Uint8Array(await new Blob(await take(stream).then(plain)).arrayBuffer());
  const binary = BINARY.find((mark) => mark.bytes.every((byte, at) => bytes[at] === byte));
  if (binary !== undefined) throw new BinaryFile(binary.kind);
  const complete = bytes.length <= LENGTH;
  return { file, gzip, complete, bytes: bytes.subarray(0, LENGTH) };
}

function plain(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer>[] {
  return chunks.map((chunk) => new Uint8Array(chunk));
}

const MARKS = [
  { charset: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { charset: 'utf-16le', bytes: [0xff, 0xfe] },
  { charset: 'utf-16be', bytes: [0xfe, 0xff] },
] as const;

/** The encoding: by the mark at the beginning, else UTF-8 where the bytes are that, else that of Windows. */
export function guessCharset(bytes: Uint8Array): string {
  const marked = MARKS.find((mark) => mark.bytes.every((byte, at) => bytes[at] === byte));
  if (marked !== undefined) return marked.charset;
  try {
    // The last character may be cut.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

/** The beginning as text; without its last line where that is cut. */
export function textOf({ bytes, complete }: OpenedFile, charset: string): string {
  const text = new TextDecoder(charset).decode(bytes, { stream: !complete });
  if (complete) return text;
  const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'));
  return end === -1 ? text : text.slice(0, end + 1);
}
