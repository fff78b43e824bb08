/** Unfolds the query string of a request, and the body of SEARCH, into named parameters. */
import qs from 'qs';
import { invalidPayload } from '#core/errors/service-error.ts';
import type { Parameters } from '#core/query/parse/parameter.ts';

/** Nesting of brackets that is unfolded; deeper ones stay part of the name. */
const MAX_DEPTH = 10;
/** Highest index of a list written with numbered brackets. */
const MAX_INDEX = 500;
/** Parameters beyond this number are refused. */
const MAX_PARAMETERS = 1_000;

const NONE: Parameters = Object.freeze({});

/**
 * Unfolds a query string: `filter[a][_eq]=1&fields[]=a` becomes nested members without prototypes.
 * @throws ServiceError INVALID_PAYLOAD for more parameters than anybody needs
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
    });
  } catch (error) {
    throw error instanceof RangeError
      ? invalidPayload(`The query string cannot be used: ${error.message}`)
      : error;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
  if (!isObject(body)) throw invalidPayload('The body of SEARCH must be an object.');
  const { query, keys, ...rest } = body;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw invalidPayload(`The body of SEARCH takes "query" and "keys", not "${unknown}".`);
  }
  if (query !== undefined && !isObject(query)) throw invalidPayload('"query" must be an object.');
  if (keys !== undefined && !Array.isArray(keys)) throw invalidPayload('"keys" must be a list.');
  return { parameters: query ?? NONE, keys: keys ?? null };
}
