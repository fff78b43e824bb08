/** Responses with stored files: conditions, ranges and lengths (RFC 9110, sections 13 and 14). */
import { randomUUID } from 'node:crypto';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { type ByteRange, type Validators, wantedRanges } from './byte-range.ts';
import { namesTag } from './entity-tag.ts';
import type { Request } from './request.ts';
import type { Pieces, Response } from './response.ts';

/** The metadata of a file, available before any byte of it is read. */
export interface StoredFile extends Validators {
  readonly bytes: number;
  /** Its `Content-Type`. */
  readonly type: string;
  /** Further headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Opens its content or a range of it; called once for each range, when that range is sent. */
  read(range: ByteRange | undefined): AsyncIterable<Uint8Array>;
}

/** A date as in If-Modified-Since, in milliseconds; null when it is malformed. */
function timeOf(header: string | undefined): number | null {
  const time = header === undefined ? Number.NaN : Date.parse(header);
  return Number.isNaN(time) ? null : time;
}

/** Strong comparison (section 8.8.3.2): weak tags never match. */
function hasTag(list: string, tag: string): boolean {
  return namesTag(list.replace(/W\/"[^"]*"/g, ''), tag);
}

/**
 * Evaluates the conditions of a request in the order of section 13.2.2.
 * @returns whether the client already has the file
 * @throws ServiceError PRECONDITION_FAILED
 */
function isKnown(request: Request, { tag, modified }: Validators): boolean {
  // Dates in headers have no fractions of seconds.
  const time = Math.floor(modified.getTime() / 1_000) * 1_000;
  const match = request.header('if-match');
  const before = timeOf(request.header('if-unmodified-since'));
  const failed = match === undefined ? before !== null && time > before : !hasTag(match, tag);
  if (failed) {
    throw new ServiceError('PRECONDITION_FAILED', { reason: reason('file_changed_meanwhile') });
  }
  const noneMatch = request.header('if-none-match');
  if (noneMatch !== undefined) return namesTag(noneMatch, tag);
  const since = timeOf(request.header('if-modified-since'));
  return since !== null && time <= since;
}

function extent({ start, end }: ByteRange, bytes: number): string {
  return `bytes ${start}-${end}/${bytes}`;
}

/** Several ranges of a file in one body (section 14.6). */
function manyParts(
  { bytes, type, read }: StoredFile,
  ranges: readonly ByteRange[],
): { readonly type: string; readonly length: number; readonly body: Pieces } {
  const boundary = randomUUID();
  const heads = ranges.map(
    (range) =>
      `\r\n--${boundary}\r\nContent-Type: ${type}\r\nContent-Range: ${extent(range, bytes)}\r\n\r\n`,
  );
  const tail = `\r\n--${boundary}--\r\n`;
  const lengths = ranges.map(({ start, end }, n) => end - start + 1 + (heads[n]?.length ?? 0));
  const body = async function* () {
    for (const [n, range] of ranges.entries()) {
      yield heads[n] ?? '';
      yield* read(range);
    }
    yield tail;
  };
  return {
    type: `multipart/byteranges; boundary=${boundary}`,
    length: lengths.reduce((sum, length) => sum + length, tail.length),
    body: body(),
  };
}

/** Opens a file when its first piece is requested. */
async function* opened(
  { read }: StoredFile,
  range: ByteRange | undefined,
): AsyncGenerator<Uint8Array> {
  yield* read(range);
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/**
 * The response to a GET or HEAD for a file. The file is opened only when the response begins.
 * @param watched wraps the pieces, for example to end them when permissions are revoked
 * @throws ServiceError PRECONDITION_FAILED, RANGE_NOT_SATISFIABLE
 */
export function fileResponse(
  request: Request,
  file: StoredFile,
  watched: (pieces: Pieces) => Pieces = (pieces) => pieces,
): Response {
  const { tag, modified, bytes, type } = file;
  const headers = {
    ...file.headers,
    ...{ ETag: tag, 'Last-Modified': modified.toUTCString(), 'Accept-Ranges': 'bytes' },
  };
  if (isKnown(request, file)) return { status: 304, headers };
  const ranges = wantedRanges(request, bytes, file);
  const [range] = ranges ?? [];
  if (ranges !== null && ranges.length > 1) {
    const parts = manyParts(file, ranges);
    return {
      status: 206,
      headers: { ...headers, 'Content-Type': parts.type },
      body: watched(parts.body),
      length: parts.length,
    };
  }
  const length = range === undefined ? bytes : range.end - range.start + 1;
  const part = range === undefined ? {} : { 'Content-Range': extent(range, bytes) };
  return {
    status: range === undefined ? 200 : 206,
    headers: { ...headers, 'Content-Type': type, ...part },
    body: request.method === 'HEAD' ? nothing() : watched(opened(file, range)),
    length,
  };
}
