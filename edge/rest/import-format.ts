/**
 * Detects the format of an uploaded file. It uses the media type of the part, then the filename
 * when the type is generic, then the first bytes of the content.
 */
import { constants, gunzipSync } from 'node:zlib';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import type { ImportFormat } from '#core/jobs/message/import.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';

/** A file by its label: what its sender states about it. */
export interface LabelledFile {
  readonly filename: string;
  /** Lower case, without parameters. */
  readonly mimeType: string;
  /** The `charset` of its type, lower case; null without one. */
  readonly charset: string | null;
}

interface ArrivingFile extends LabelledFile {
  readonly stream: AsyncIterable<Uint8Array>;
}

/** The format that a media type or a filename implies, and its separator. */
interface Known {
  readonly format: ImportFormat;
  readonly separator?: string;
}

const CSV: Known = { format: 'csv' };
const TSV: Known = { format: 'csv', separator: '\t' };
const JSON_ARRAY: Known = { format: 'json' };
const NDJSON: Known = { format: 'ndjson' };
const XLSX: Known = { format: 'xlsx' };
const PARQUET: Known = { format: 'parquet' };

const BY_TYPE: ReadonlyMap<string, Known> = new Map([
  ['application/json', JSON_ARRAY],
  ['text/csv', CSV],
  ['application/csv', CSV],
  ['application/vnd.ms-excel', CSV],
  ['text/tab-separated-values', TSV],
  ['application/x-ndjson', NDJSON],
  ['application/ndjson', NDJSON],
  ['application/jsonl', NDJSON],
  ['application/x-jsonlines', NDJSON],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', XLSX],
  ['application/vnd.apache.parquet', PARQUET],
  ['application/x-parquet', PARQUET],
]);

const BY_EXTENSION: ReadonlyMap<string, Known> = new Map([
  ['csv', CSV],
  ['tsv', TSV],
  ['json', JSON_ARRAY],
  ['ndjson', NDJSON],
  ['jsonl', NDJSON],
  ['xlsx', XLSX],
  ['parquet', PARQUET],
]);

/**
 * Media types without information about the content: the default of a part (RFC 7578, 4.4), generic
 * types of clients, and those of compressed files.
 */
const USELESS = new Set([
  ...['', 'text/plain', 'application/octet-stream', 'binary/octet-stream'],
  ...['application/gzip', 'application/x-gzip'],
]);

/** Bytes that show whether a file is compressed, and bytes that show its format. */
const MARK = 8;
/** Bytes from the beginning of a file that determine its format. */
export const BEGINNING = 1_024;

/** Reads the first bytes, and returns them with a stream of the whole content. */
async function begin(
  content: AsyncIterable<Uint8Array>,
  wanted: number,
): Promise<{ readonly bytes: Buffer; readonly content: AsyncIterable<Uint8Array> }> {
  const iterator = content[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (size < wanted) {
    const { done, value } = await iterator.next();
    if (done === true) break;
    chunks.push(value);
    size += value.length;
  }
  const all = async function* () {
    yield* chunks;
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  return { bytes: Buffer.concat(chunks).subarray(0, BEGINNING), content: all() };
}

/** The extension of a filename without that of the compression; empty without one. */
function extensionOf(name: string): string {
  return /\.([^.]*)$/.exec(name.toLowerCase().replace(/\.gz$/, ''))?.[1] ?? '';
}

function expanded(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return Buffer.alloc(0);
  }
}

/** The first bytes of ZIP archives, of Parquet files, and of old or encrypted workbooks. */
const ZIP = Buffer.from('PK\x03\x04', 'latin1');
const PARQUET_MARK = Buffer.from('PAR1');
const COMPOUND = Buffer.from('d0cf11e0a1b11ae1', 'hex');

function begins(bytes: Buffer, mark: Buffer): boolean {
  return bytes.subarray(0, mark.length).equals(mark);
}

/** The format that the first bytes indicate; null when the content is no text. */
function byContent(bytes: Buffer): Known | null {
  if (begins(bytes, PARQUET_MARK)) return PARQUET;
  const [first = 0, second = 0] = bytes;
  const marked = new Map([
    [0xfffe, 'utf-16le'],
    [0xfeff, 'utf-16be'],
  ]).get(first * 256 + second);
  const text = new TextDecoder(marked ?? 'utf-8').decode(bytes);
  if (text.trim() === '' || text.includes('\0')) return null;
  if (/^\s*\[/.test(text)) return JSON_ARRAY;
  if (/^\s*\{/.test(text)) return NDJSON;
  const [line = ''] = text.split(/[\r\n]/, 1);
  return line.includes('\t') && !line.includes(',') ? TSV : CSV;
}

/**
 * The format from the type or the filename; undefined when both are generic, null for unsupported
 * formats.
 */
function byLabel({ mimeType, filename }: LabelledFile): Known | null | undefined {
  const byType = BY_TYPE.get(mimeType);
  if (byType !== undefined) return byType;
  if (!USELESS.has(mimeType)) return null;
  const extension = extensionOf(filename);
  if (extension === '' || extension === 'txt') return undefined;
  return BY_EXTENSION.get(extension) ?? null;
}

/** The encoding that the type of a part declares; UTF-8 by default. */
function encodingOf(charset: string | null): string {
  if (charset === null || charset === 'us-ascii') return 'utf-8';
  try {
    return new TextDecoder(charset).encoding;
  } catch {
    throw invalidPayload(reason('charset_unknown', { charset }));
  }
}

/** A file with its detected format. */
export interface FormattedFile {
  readonly format: ImportFormat;
  readonly gzip: boolean;
  /** Format options that the file's type and filename imply. */
  readonly implied: Pick<ImportParameters, 'separator' | 'charset'>;
  readonly content: AsyncIterable<Uint8Array>;
}

/** Why a file cannot be a workbook; null when it may be one. */
function workbookFault(bytes: Buffer, { mimeType, filename }: LabelledFile): Reason | null {
  if (begins(bytes, COMPOUND)) return reason('workbook_old_or_encrypted');
  const hasMacros = extensionOf(filename) === 'xlsm' || mimeType.includes('macroenabled');
  return hasMacros ? reason('workbook_with_macros') : null;
}

/** The format by label and content: an archive is a workbook, whatever its label says. */
function formatOf(file: LabelledFile, labelled: Known | null | undefined, bytes: Buffer) {
  const why = workbookFault(bytes, file);
  if (why !== null) return why;
  if (begins(bytes, ZIP)) return XLSX;
  if (labelled === XLSX) return reason('workbook_expected');
  return labelled === undefined ? byContent(bytes) : labelled;
}

/** @throws ServiceError UNSUPPORTED_MEDIA_TYPE for files of other formats */
export async function withDetectedFormat(file: ArrivingFile): Promise<FormattedFile> {
  const labelled = byLabel(file);
  const wanted = labelled === undefined ? BEGINNING : MARK;
  const { bytes, content } = await begin(file.stream, wanted);
  const gzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const found = formatOf(file, labelled, gzip ? expanded(bytes) : bytes);
  if (found === null || 'sentence' in found) {
    const names = [...BY_EXTENSION.keys()].map((extension) => `.${extension}`).join(', ');
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', {
      mediaType: file.mimeType,
      where: 'file',
      reason: found ?? reason('import_file_type_unknown', { names }),
    });
  }
  const { format, separator } = found;
  const encoding = encodingOf(file.charset);
  const implied = {
    ...(separator === undefined ? {} : { separator }),
    ...(encoding === 'utf-8' ? {} : { charset: encoding }),
  };
  return { format, gzip, implied, content };
}
