/** Parses the texts of parameters: JSON, comma lists and dotted paths. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import { JSON_MAX_DEPTH } from '#core/base/json/json-bounds.ts';
import { isJsonObject } from '#core/base/json/json-object.ts';
import type { Path } from '../query.ts';

/** An object would lose a member of this name, and with it a condition. */
export const RESERVED_NAME = '__proto__';

function refuseReserved(key: string, value: unknown): unknown {
  if (key === RESERVED_NAME) throw new Error(`it contains a member named ${RESERVED_NAME}`);
  return value;
}

/** The maximum number of members of a JSON object in a parameter; legitimate queries have fewer. */
const JSON_MAX_MEMBERS = 10_000;

/** Counts brackets, and the members of each object, outside of strings. */
function requireSmall(place: string, text: string): void {
  /** The number of names in each open object or list. */
  const names: number[] = [];
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === 0x5c) at += 1;
    else if (char === 0x22) isString = !isString;
    else if (isString) continue;
    else if (char === 0x5b || char === 0x7b) {
      if (names.push(0) > JSON_MAX_DEPTH) {
        throw invalidQuery(reason('json_nested_too_deep', { place, limit: JSON_MAX_DEPTH }));
      }
    } else if (char === 0x5d || char === 0x7d) names.pop();
    else if (char === 0x3a) {
      const last = names.length - 1;
      const count = (names[last] ?? 0) + 1;
      names[last] = count;
      if (count > JSON_MAX_MEMBERS) {
        throw invalidQuery(reason('json_object_too_large', { place, limit: JSON_MAX_MEMBERS }));
      }
    }
  }
}

/** A parameter that may be JSON text; other text is returned unchanged. */
export function parseJsonText(place: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (!text.startsWith('{') && !text.startsWith('[')) return text;
  requireSmall(place, text);
  try {
    // Names may be written with escapes.
    return /proto|\\u/.test(text) ? JSON.parse(text, refuseReserved) : JSON.parse(text);
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'malformed';
    throw invalidQuery(reason('json_invalid', { place, detail }));
  }
}

/** Called for each part of a list before the next one is parsed; may throw to reject too many. */
type Count = () => void;

/** The maximum length of a path; the limit of relations is checked where relations are known. */
const MAX_SEGMENTS = 200;

/** Splits at a character outside parentheses. */
function split(text: string, separator: ',' | '.', count: Count): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    else if (char === separator && depth === 0) {
      count();
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  count();
  parts.push(text.slice(start));
  return parts;
}

/** The maximum length of a field name, with its relations, functions and document path. */
const MAX_NAME_LENGTH = 2_000;

/**
 * Checks the length of a name before it is parsed.
 * @throws ServiceError INVALID_QUERY naming the place
 */
export function requireShortName(name: string, place: string): void {
  if (name.length <= MAX_NAME_LENGTH) return;
  throw invalidQuery(reason('field_name_too_long', { place, limit: MAX_NAME_LENGTH }));
}

function splitList(text: string, place: string, count: Count): string[] {
  return split(text, ',', count)
    .map((part) => part.trim())
    .filter((part) => {
      requireShortName(part, place);
      return part !== '';
    });
}

/** The entries of an array, or of an object with numbered members. */
export function listEntries(value: unknown, place: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const names = isJsonObject(value) ? Object.keys(value) : [];
  if (isJsonObject(value) && names.length > 0 && names.every((name) => /^\d+$/.test(name))) {
    return Object.values(value);
  }
  throw invalidQuery(reason('list_expected', { place }));
}

/**
 * A list of texts from a comma list, JSON text, a list, or an object with numbered members.
 * @param count called for each of them, before the next one is parsed
 */
export function parseList(place: string, raw: unknown, count: Count = () => undefined): string[] {
  const value = parseJsonText(place, raw);
  if (typeof value === 'string') return splitList(value, place, count);
  return listEntries(value, place).flatMap((entry) => {
    if (typeof entry !== 'string') throw invalidQuery(reason('list_of_texts_expected', { place }));
    return splitList(entry, place, count);
  });
}

/** `year(author.born)` as `author`, `year(born)`; null for any other text. */
function unwrap(text: string): string[] | null {
  const open = text.indexOf('(');
  if (open < 0 || !text.endsWith(')') || !/^[a-z]+$/.test(text.slice(0, open))) return null;
  const inside = text.slice(open + 1, -1);
  const comma = inside.indexOf(',');
  const path = comma < 0 ? inside : inside.slice(0, comma);
  if (!path.includes('.') || /[()]/.test(path)) return null;
  const segments = path.split('.').map((segment) => segment.trim());
  const last = segments.pop() ?? '';
  return [...segments, `${text.slice(0, open)}(${last}${comma < 0 ? '' : inside.slice(comma)})`];
}

/**
 * The segments of a dotted path. A function around a whole path belongs to its last segment:
 * `year(author.born)` is `author.year(born)`.
 * @throws ServiceError INVALID_QUERY naming the place
 */
export function parsePath(text: string, place: string): Path {
  let depth = 0;
  const count = () => {
    depth += 1;
    if (depth <= MAX_SEGMENTS) return;
    throw invalidQuery(reason('field_path_too_long', { place, limit: MAX_SEGMENTS }));
  };
  const segments = unwrap(text) ?? split(text, '.', count);
  if (segments.some((segment) => segment.trim() === '')) {
    throw invalidQuery(reason('field_path_with_empty_name', { place, text }));
  }
  return segments.map((segment) => segment.trim());
}
