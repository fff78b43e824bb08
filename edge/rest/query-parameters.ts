/** Parses the query string of a request, and the body of SEARCH, into named parameters. */
import qs from 'qs';
import type { Config } from '#core/base/config/variables.ts';
import { reason } from '#core/base/errors/reason.ts';
import {
  invalidPayload,
  invalidQuery,
  type ServiceError,
} from '#core/base/errors/service-error.ts';
import { isJsonObject } from '#core/base/json/json-object.ts';
import type { Parameters } from '#core/query/parse/parameter.ts';
import type { SizeLimit } from '#edge/http/request.ts';

/** Maximum nesting of brackets that is parsed; deeper brackets stay part of the name. */
const MAX_DEPTH = 10;
/** Maximum index of a list written with numbered brackets. */
const MAX_INDEX = 500;
/** Maximum number of parameters. */
const MAX_PARAMETERS = 1_000;

/** A part of a name that the parser drops together with its value. */
const RESERVED = /(?:^|\[)__proto__(?:\]|\[|$)/;

/** Whether the brackets after a name are balanced, with no text between or behind them. */
function isWellFormed(name: string): boolean {
  let depth = 0;
  for (let index = name.indexOf('['); index >= 0 && index < name.length; index += 1) {
    const char = name[index];
    if (char === '[') depth += 1;
    else if (depth === 0) return false;
    else if (char === ']') depth -= 1;
  }
  return depth === 0;
}

/**
 * Decodes a part of the query string. The parser ignores malformed names, so they are checked here.
 */
function decode(
  text: string,
  decoder: (text: string, decoder?: unknown, charset?: string) => string,
  charset?: string,
  type?: 'key' | 'value',
): string {
  const decoded = decoder(text, undefined, charset);
  if (type === 'key' && RESERVED.test(decoded)) {
    throw invalidQuery(reason('parameter_name_impossible', { name: decoded }));
  }
  if (type === 'key' && !isWellFormed(decoded)) {
    throw invalidQuery(reason('parameter_brackets_unbalanced', { name: decoded }));
  }
  return decoded;
}

const NONE: Parameters = Object.freeze({});

/**
 * Parses a query string: `filter[a][_eq]=1&fields[]=a` becomes nested members without prototypes.
 * @throws ServiceError INVALID_QUERY for too many parameters, or too many entries of one
 */
export function parseQueryString(query: string): Parameters {
  if (query === '') return NONE;
  try {
    return qs.parse(query, {
      depth: MAX_DEPTH,
      arrayLimit: MAX_INDEX,
      parameterLimit: MAX_PARAMETERS,
      throwOnLimitExceeded: true,
      plainObjects: true,
      decoder: decode,
    });
  } catch (error) {
    throw error instanceof RangeError ? tooMuch(query) : error;
  }
}

/** The name of a parameter up to the brackets of a list: `filter[a]` of `filter[a][]=1`. */
function listName(parameter: string): string {
  const [name = ''] = parameter.split('=', 1);
  try {
    return decodeURIComponent(name).replace(/\[\d*\]$/, '');
  } catch {
    return name;
  }
}

/** The error for a query string with too many parts. */
function tooMuch(query: string): ServiceError {
  const parts = query.split('&');
  if (parts.length > MAX_PARAMETERS) {
    return invalidQuery(reason('too_many_parameters', { limit: MAX_PARAMETERS }));
  }
  const counts = new Map<string, number>();
  for (const name of parts.map(listName)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const name = [...counts].find(([, count]) => count > MAX_INDEX)?.[0] ?? 'query';
  return invalidQuery(reason('parameter_has_too_many_parts', { name, limit: MAX_INDEX }));
}

type Limits = Pick<Config, 'QUERY_BODY_MAX_SIZE'>;

/** The size limit for the body of a SEARCH. */
export function searchBodyLimit({ QUERY_BODY_MAX_SIZE: bytes }: Limits): SizeLimit {
  return { bytes, variable: 'QUERY_BODY_MAX_SIZE' };
}

/** The same limit for bodies that may contain a query: lists of items and of keys may be longer. */
export function queryBodyLimit(limits: Limits): SizeLimit {
  return { ...searchBodyLimit(limits), member: 'query' };
}

/** The content of a SEARCH: parameters, and the keys that restrict it. */
export interface Search {
  readonly parameters: Parameters;
  readonly keys: readonly unknown[] | null;
}

/**
 * Reads the body of a SEARCH: `{ query?: {…}, keys?: […] }`.
 * @throws ServiceError INVALID_PAYLOAD when it has another shape
 */
export function parseSearch(body: unknown): Search {
  if (body === undefined) return { parameters: NONE, keys: null };
  if (!isJsonObject(body)) throw invalidPayload(reason('search_body_object_expected'));
  const { query, keys, ...rest } = body;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw invalidPayload(reason('search_member_unknown', { member: unknown }));
  }
  if (query !== undefined && !isJsonObject(query))
    throw invalidPayload(reason('search_query_object_expected'));
  if (query !== undefined && Object.keys(query).length > MAX_PARAMETERS) {
    throw invalidPayload(reason('search_query_too_large', { limit: MAX_PARAMETERS }));
  }
  if (keys !== undefined && !Array.isArray(keys))
    throw invalidPayload(reason('search_keys_list_expected'));
  return { parameters: query ?? NONE, keys: keys ?? null };
}
