/** Reads the body of a request as JSON: checks its type and size first, then parses it. */
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { Admit, JsonBounds, OnEntries } from '#core/base/json/json-bounds.ts';
import { parseInSlices } from '#core/base/json/sliced-json.ts';
import { countJson, parseCounted } from '#core/base/json/strict-json.ts';
import type { SizeLimit } from './request.ts';

/** The headers of a body that matter for JSON, and its limits. */
export interface JsonHead {
  readonly mediaType: string | undefined;
  readonly coding: string | undefined;
  /** BODY_MAX_SIZE in bytes. */
  readonly limit: number;
  /** The limits on the content of the JSON. */
  readonly bounds: JsonBounds;
}

/** Reads a body of up to `limit` bytes; refuses a longer one with the error of `refuse`. */
export type ReadBytes = (
  limit?: number,
  refuse?: (limit: number) => ServiceError,
) => Promise<Uint8Array>;

/** The options of a route that reads JSON. */
export interface JsonOptions {
  readonly limit: SizeLimit | undefined;
  readonly onEntries: OnEntries | undefined;
  /** Waits for the permit of a long body; undefined when no wait is necessary. */
  readonly permit: (length: number) => Promise<void> | undefined;
  /** Reserves memory for the values of the body before it is parsed. */
  readonly admit: Admit;
}

/** Maximum bytes of JSON that is parsed in one step. */
const PARSED_AT_ONCE = 262_144;

function beyond({ bytes: limit, variable, member }: SizeLimit): ServiceError {
  const what = member === undefined ? 'The body' : `A body with "${member}"`;
  const why = reason('body_part_too_large', { part: what, limit, variable });
  return new ServiceError('CONTENT_TOO_LARGE', { reason: why, limit, variable });
}

function hasMember(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name);
}

function checkJson(head: JsonHead): void {
  const { mediaType, coding } = head;
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', {
      mediaType: coding,
      where: 'Content-Encoding',
    });
  }
  if (mediaType === undefined) return;
  const [essence = '', ...parameters] = mediaType.toLowerCase().split(';');
  const charset = /^\s*charset\s*=\s*"?([^"\s]*)/;
  const isJson = /^\s*application\/([\w.-]+\+)?json\s*$/.test(essence);
  const isUtf8 = parameters.every((parameter) => {
    const name = charset.exec(parameter)?.[1];
    return name === undefined || name === 'utf-8' || name === 'utf8' || name === 'us-ascii';
  });
  if (isJson && isUtf8) return;
  throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', { mediaType, where: 'Content-Type' });
}

/**
 * The value of a JSON body; undefined when the body is empty.
 * @throws ServiceError as {@link Body.json}
 */
export async function readJson(
  read: ReadBytes,
  head: JsonHead,
  { limit, onEntries, permit, admit }: JsonOptions,
): Promise<unknown> {
  checkJson(head);
  const isSmaller = limit !== undefined && limit.bytes < head.limit;
  const isWhole = isSmaller && limit.member === undefined;
  const bytes = isWhole ? await read(limit.bytes, () => beyond(limit)) : await read();
  if (bytes.length === 0) return undefined;
  if (bytes.length <= PARSED_AT_ONCE) {
    const waits = admit(countJson(bytes, head.bounds, onEntries));
    if (waits !== undefined) await waits;
    const value = parseCounted(bytes);
    const isBeyond = isSmaller && bytes.length > limit.bytes && limit.member !== undefined;
    if (isBeyond && hasMember(value, limit.member)) throw beyond(limit);
    return value;
  }
  const onMember = (name: string) => {
    if (isSmaller && name === limit.member && bytes.length > limit.bytes) throw beyond(limit);
  };
  await permit(bytes.length);
  return await parseInSlices(bytes, onMember, { bounds: head.bounds, onEntries, admit });
}
