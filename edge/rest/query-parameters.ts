/** Unfolds the query string of a request, and the body of SEARCH, into named parameters. */
import qs from 'qs';
import type { Config } from '#core/config/config.ts';
import { invalidPayload, invalidQuery, type ServiceError } from '#core/errors/service-error.ts';
import { isJsonObject } from '#core/json/json-object.ts';
import type { Parameters } from '#core/query/parse/parameter.ts';
import type { SizeLimit } from '#edge/http/request.ts';

/** Nesting of brackets that is unfolded; deeper ones stay part of the name. */
const MAX_DEPTH = 10;
/** Highest index of a list written with numbered brackets. */
const MAX_INDEX = 500;
/** Parameters beyond this number are refused. */
const MAX_PARAMETERS = 1_000;

/** A part of a name that the parser drops, and with it all that stands below. */
const RESERVED = /(?:^|\[)__proto__(?:\]|\[|$)/;

/** Whether all brackets behind a name are closed and nothing stands between or behind them. */
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

/** Decodes a part of the query string. The parser passes over what it cannot read in a name. */
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
    throw invalidQuery(`"${decoded}" has brackets that do not fit together.`);
  }
  return decoded;
}

const NONE: Parameters = Object.freeze({});

/**
 * Unfolds a query string: `filter[a][_eq]=1&fields[]=a` becomes nested members without prototypes.
 * @throws ServiceError INVALID_QUERY for more parameters, or more entries of one, than anybody needs
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

/** The error of a query string with more parts than are unfolded. */
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

/** The bound of the body of a SEARCH. */
export function searchLimit({ QUERY_BODY_MAX_SIZE: bytes }: Limits): SizeLimit {
  return { bytes, variable: 'QUERY_BODY_MAX_SIZE' };
}

/** The same where a query is one of several forms: lists of items and of keys may be longer. */
export function byQueryLimit(limits: Limits): SizeLimit {
  return { ...searchLimit(limits), member: 'query' };
}

/** What a SEARCH asks for: parameters, and the keys to which it restricts itself. */
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
