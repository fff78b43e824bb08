/** Requests for parts of a file (RFC 9110, section 14). */

import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { Request } from './request.ts';

/** Bytes from the first one to the last one, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The validators of a file's content. */
export interface Validators {
  /** A strong entity tag, with its quotes. */
  readonly tag: string;
  readonly modified: Date;
}

const SET = /^bytes=\s*((?:\d*-\d*)(?:\s*,\s*\d*-\d*)*)\s*$/i;
/** Maximum number of parts; for more parts the whole file is sent. */
const MOST_PARTS = 16;
/** Maximum length of a header that is parsed. */
const LONGEST = 1_024;

/** A range applies only while the client has parts of the same content (section 13.1.5). */
function isCurrent(request: Request, { tag, modified }: Validators): boolean {
  const condition = request.header('if-range')?.trim();
  if (condition === undefined) return true;
  return condition.startsWith('"') ? condition === tag : condition === modified.toUTCString();
}

/** One part of a file; null when it lies beyond the end; undefined when it is malformed. */
function partOf(text: string, size: number): ByteRange | null | undefined {
  const [first = '', last = ''] = text.trim().split('-');
  if (first === '' && last === '') return undefined;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return start <= end ? { start, end } : null;
}

/** Merges overlapping parts. Without overlaps the parts stay in the order of the request. */
function distinct(parts: readonly ByteRange[]): readonly ByteRange[] {
  const sorted = [...parts].sort((a, b) => a.start - b.start);
  const joined: ByteRange[] = [];
  for (const part of sorted) {
    const last = joined.at(-1);
    if (last === undefined || part.start > last.end) joined.push(part);
    else joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, part.end) };
  }
  return joined.length === parts.length ? parts : joined;
}

/**
 * The requested parts of a file; null for the whole file. Other units, malformed ranges and too
 * many parts are ignored, as the RFC allows.
 * @throws ServiceError RANGE_NOT_SATISFIABLE when all parts lie beyond the end of the file
 */
export function wantedRanges(
  request: Request,
  size: number,
  validators: Validators,
): readonly ByteRange[] | null {
  const header = request.header('range') ?? '';
  const [, list] = header.length > LONGEST ? [] : (SET.exec(header) ?? []);
  if (list === undefined || request.method !== 'GET' || !isCurrent(request, validators))
    return null;
  const parts = list.split(',').map((text) => partOf(text, size));
  if (parts.includes(undefined)) return null;
  const found = distinct(parts.flatMap((part) => part ?? []));
  if (found.length > MOST_PARTS) return null;
  if (found.length > 0) return found;
  throw new ServiceError(
    'RANGE_NOT_SATISFIABLE',
    { reason: reason('range_beyond_file', { size }) },
    { headers: { 'Content-Range': `bytes */${size}` } },
  );
}
