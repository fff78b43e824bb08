/** Reads the beginning of a file, however large it is, to show what is in it and how it is written. */
import { take } from './archive.ts';
import { readTable, type TableContent } from './table-content.ts';
import { OtherWorkbook } from './workbook.ts';

/** A file with its first bytes, expanded where it is compressed. */
export interface OpenedFile {
  readonly file: File;
  readonly bytes: Uint8Array;
  readonly gzip: boolean;
  /** Whether the bytes are all there are. */
  readonly complete: boolean;
  /** Of files whose cells have types, which are no text. */
  readonly table: TableContent | null;
}

const LENGTH = 65_536;

function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b;
}

/** Files that the server does not read. */
export type RefusedKind = 'oldWorkbook' | OtherWorkbook['kind'];

const BINARY = [
  { kind: 'xlsx', bytes: [0x50, 0x4b, 0x03, 0x04] },
  { kind: 'oldWorkbook', bytes: [0xd0, 0xcf, 0x11, 0xe0] },
  { kind: 'parquet', bytes: [0x50, 0x41, 0x52, 0x31] },
] as const;

/** The server would refuse the file. */
export class RefusedFile extends Error {
  readonly kind: RefusedKind;

  constructor(kind: RefusedKind) {
    super(kind);
    this.kind = kind;
  }
}

/** @throws {RefusedFile} */
async function tableOf(file: File, bytes: Uint8Array, gzip: boolean): Promise<TableContent | null> {
  const kind = BINARY.find((mark) => mark.bytes.every((byte, at) => bytes[at] === byte))?.kind;
  if (kind === undefined) return null;
  if (kind === 'oldWorkbook') throw new RefusedFile(kind);
  // What is compressed as a whole cannot be read at any place.
  if (gzip) return { format: kind, sheets: [] };
  try {
    return await readTable(kind, file);
  } catch (error) {
    throw error instanceof OtherWorkbook ? new RefusedFile(error.kind) : error;
  }
}

/** @throws {RefusedFile}, and when the file cannot be read or expanded */
export async function openFile(file: File): Promise<OpenedFile> {
  const gzip = isGzip(new Uint8Array(await file.slice(0, 2).arrayBuffer()));
  const stream = gzip
    ? file.stream().pipeThrough(new DecompressionStream('gzip'))
    : file.slice(0, LENGTH + 1).stream();
  const bytes = new Uint8Array(await new Blob(await take(stream, LENGTH)).arrayBuffer());
  const table = await tableOf(file, bytes, gzip);
  const complete = bytes.length <= LENGTH;
  return { file, gzip, complete, table, bytes: bytes.subarray(0, LENGTH) };
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
