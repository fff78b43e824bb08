/**
 * Reads the query parameters of a request, in every spelling that clients send: bracket form
 * (already unfolded), JSON text, comma lists, or ready values from a SEARCH body.
 */
import { invalidQuery } from '#core/errors/service-error.ts';
import type { Query, QueryBounds, SortTerm } from '../query.ts';
import { parseFilter } from './filter.ts';

/** Parameters by name, values still raw: texts, lists and objects. */
export type Parameters = Readonly<Record<string, unknown>>;

/** A parameter that may arrive as JSON text; other text is returned as it is. */
function unfold(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (!text.startsWith('{') && !text.startsWith('[')) return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'malformed';
    throw invalidQuery(`"${name}" is not valid JSON: ${detail}.`);
  }
}

/** Splits at commas that stand outside parentheses; blanks around the parts are dropped. */
function splitList(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    else if (char === ',' && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** A list of texts from a comma list, a JSON array, an array, or an object with numbered members. */
function parseList(name: string, raw: unknown): string[] {
  const value = unfold(name, raw);
  if (typeof value === 'string') return splitList(value);
  const entries = Array.isArray(value)
    ? value
    : typeof value === 'object' && value !== null
      ? Object.values(value)
      : null;
  if (entries === null) throw invalidQuery(`"${name}" must be a list.`);
  return entries.flatMap((entry: unknown) => {
    if (typeof entry !== 'string') throw invalidQuery(`"${name}" must be a list of texts.`);
    return splitList(entry);
  });
}

function parseInteger(name: string, raw: unknown, min: number): number {
  const value = typeof raw === 'string' && /^-?\d+$/.test(raw.trim()) ? Number(raw) : raw;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min) {
    throw invalidQuery(`"${name}" must be a whole number of at least ${min}.`);
  }
  return value;
}

function parseSort(raw: unknown): SortTerm[] {
  return parseList('sort', raw).map((term) => {
    const descending = term.startsWith('-');
    const field = descending ? term.slice(1) : term;
    if (field === '') throw invalidQuery('"sort" names an empty field.');
    return { field, descending };
  });
}

function parseLimit(raw: unknown, bounds: QueryBounds): number | null {
  const limit =
    raw === undefined || raw === '' ? bounds.limitDefault : parseInteger('limit', raw, -1);
  const max = bounds.limitMax;
  if (limit === -1) return max ?? null;
  if (max === undefined || limit <= max) return limit;
  if (raw === undefined) return max;
  throw invalidQuery(`"limit" must not be above ${max} (QUERY_LIMIT_MAX).`);
}

/** `page` counts from 1 and wins over `offset`; without a limit there is only one page. */
function parseOffset(parameters: Parameters, limit: number | null): number {
  const { page, offset } = parameters;
  const given = offset === undefined || offset === '' ? 0 : parseInteger('offset', offset, 0);
  if (page === undefined || page === '') return given;
  const number = parseInteger('page', page, 0);
  if (limit === null) return 0;
  const result = Math.max(number - 1, 0) * limit;
  if (!Number.isSafeInteger(result)) throw invalidQuery('"page" is too large.');
  return result;
}

/**
 * Parses the parameters of a read. Unknown ones are ignored.
 * @throws ServiceError INVALID_QUERY naming the parameter and the place in it
 */
export function parseQuery(parameters: Parameters, bounds: QueryBounds): Query {
  const { fields, filter, sort, limit: rawLimit } = parameters;
  const limit = parseLimit(rawLimit, bounds);
  const list = fields === undefined || fields === '' ? [] : parseList('fields', fields);
  return {
    fields: list.length === 0 ? ['*'] : list,
    filter: filter === undefined || filter === '' ? null : parseFilter(unfold('filter', filter)),
    sort: sort === undefined || sort === '' ? [] : parseSort(sort),
    limit,
    offset: parseOffset(parameters, limit),
  };
}
