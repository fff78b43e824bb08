/** Parses the query string of a request, and the body of SEARCH, into named parameters. */
import qs from 'qs';
import type { Config } from '#core/config/config.ts';
import { invalidPayload, invalidQuery, type ServiceError } from '#core/errors/service-error.ts';
import { isJsonObject } from '#core/json/json-object.ts';
import type { Parameters } from '#core/query/parse/parameter.ts';
import type { SizeLimit } from '#edge/http/request.ts';

/** Maximum nesting of brackets that is parsed; deeper ones stay part of the name. */
const MAX_DEPTH = 10;
/** Highest index of a list written with numbered brackets. */
const MAX_INDEX = 500;
/** More parameters than this are refused. */
const MAX_PARAMETERS = 1_000;

/** A part of a name that the parser drops together with its value. */
const RESERVED = /(?:^|\[)__proto__(?:\]|\[|$)/;

/** Whether the brackets after a name are closed, with nothing between or behind them. */
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
 * Decodes a part of the query string. The parser ignores names that it cannot read, so they are
 * checked here.
 */
function decode(
  text: string,
  decoder: (text: string, decoder?: unknown, charset?: string) => string,
  charset?: string,
  type?: 'key' | 'value',
): string {
  const decoded = decoder(text, undefined, charset);
  if (type === 'key' && RESERVED.test(decoded)) {
    throw invalidQuery(`"${decoded}": no parameter or field can have this name.`);
  }
  if (type === 'key' && !isWellFormed(decoded)) {
    throw invalidQuery(`"${decoded}" has unbalanced brackets.`);
  }
  return decoded;
}

const NONE: Parameters = Object.freeze({});

/**
 * Parses a query string: `filter[a][_eq]=1&fields[]=a` becomes nested members without prototypes.
 * @throws ServiceError INVALID_QUERY for too many parameters, or too many entries of one
 */
export function parametersOf(query: string): Parameters {
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
    return invalidQuery(`The query string has more than ${MAX_PARAMETERS} parameters.`);
  }
  const counts = new Map<string, number>();
  for (const name of parts.map(listName)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const name = [...counts].find(([, count]) => count > MAX_INDEX)?.[0] ?? 'query';
  return invalidQuery(
    `"${name}" has more than ${MAX_INDEX} parts; send a list as JSON or with commas, or by SEARCH.`,
  );
}

type Limits = Pick<Config, 'QUERY_BODY_MAX_SIZE'>;

/** The size limit for the body of a SEARCH. */
export function searchLimit({ QUERY_BODY_MAX_SIZE: bytes }: Limits): SizeLimit {
  return { bytes, variable: 'QUERY_BODY_MAX_SIZE' };
}

/**
 * The same for bodies that contain a query or something else: lists of items and of keys may be
 * longer.
 */
export function byQueryLimit(limits: Limits): SizeLimit {
  return { ...searchLimit(limits), member: 'query' };
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
export function searchOf(body: unknown): Search {
  if (body === undefined) return { parameters: NONE, keys: null };
  if (!isJsonObject(body)) throw invalidPayload('The body of SEARCH must be an object.');
  const { query, keys, ...rest } = body;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw invalidPayload(`The body of SEARCH takes "query" and "keys", not "${unknown}".`);
  }
  if (query !== undefined && !isJsonObject(query))
    throw invalidPayload('"query" must be an object.');
  if (query !== undefined && Object.keys(query).length > MAX_PARAMETERS) {
    throw invalidPayload(`"query" has more than ${MAX_PARAMETERS} parameters.`);
  }
  if (keys !== undefined && !Array.isArray(keys)) throw invalidPayload('"keys" must be a list.');
  return { parameters: query ?? NONE, keys: keys ?? null };
}
