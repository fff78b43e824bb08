/** Requests for a part of a file (RFC 9110, section 14). */
import { ServiceError } from '#core/errors/service-error.ts';
import type { Request } from './request.ts';

/** Bytes from the first one to the last one, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** What identifies the content of a file. */
export interface Validators {
  /** A strong entity tag, with its quotes. */
  readonly tag: string;
  readonly modified: Date;
}

const SINGLE = /^bytes=\s*(\d*)-(\d*)\s*$/i;

/** A part counts only while the client has a part of the same content (section 13.1.5). */
function isCurrent(request: Request, { tag, modified }: Validators): boolean {
  const condition = request.header('if-range')?.trim();
  if (condition === undefined) return true;
  return condition.startsWith('"') ? condition === tag : condition === modified.toUTCString();
}

/**
 * The part of a file that a request wants; null for the whole. Several parts, other units and what
 * cannot be read are ignored, as the RFC allows.
 * @throws ServiceError RANGE_NOT_SATISFIABLE when the part lies behind the end of the file
 */
export function wantedRange(
  request: Request,
  size: number,
  validators: Validators,
): ByteRange | null {
  const [matched, first = '', last = ''] = SINGLE.exec(request.header('range') ?? '') ?? [];
  if (matched === undefined || (first === '' && last === '')) return null;
  if (request.method !== 'GET' || !isCurrent(request, validators)) return null;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (start <= end) return { start, end };
  throw new ServiceError(
    'RANGE_NOT_SATISFIABLE',
    { reason: `The file has ${size} bytes.` },
    { headers: { 'Content-Range': `bytes */${size}` } },
  );
}
