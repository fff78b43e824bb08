/** Parses the parameters of one level of a query: of the collection, or under `deep`. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import { isJsonObject, type JsonObject } from '#core/base/json/json-object.ts';
import { isAggregateFunction } from '../aggregate.ts';
import type { AggregateTerm, Level, Path, QueryBounds, SortTerm } from '../query.ts';
import type { ElementCounter } from './counter.ts';
import { parseFilter } from './filter.ts';
import { parseJsonText, parseList, parsePath, requireShortName } from './list.ts';

/** The source of a level: its parameters, the prefix of their names, and the limits that apply. */
interface Source {
  readonly parameters: JsonObject;
  /** The prefix of parameter names in errors: `` for the root, `deep.tags._` below. */
  readonly prefix: string;
  readonly bounds: QueryBounds;
  readonly counter: ElementCounter;
  /** The parameters that come from a JSON body; the others are texts of a URL. */
  readonly typed: JsonObject;
  /** Rejects unknown parameters. */
  readonly strict: boolean;
}

/** The parameters of one level; `deep` contains those of the levels below. */
export const LEVEL_PARAMETERS = [
  ...['fields', 'filter', 'search', 'sort', 'limit', 'offset', 'page', 'alias'],
  ...['aggregate', 'groupBy'],
];

/**
 * Rejects unknown parameters.
 * @param prefix the prefix of their names in errors
 * @throws ServiceError INVALID_QUERY naming the first
 */
export function requireKnown(parameters: JsonObject, known: readonly string[], prefix = ''): void {
  const unknown = Object.keys(parameters).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw invalidQuery(reason('query_parameter_unknown', { prefix, unknown }));
}

interface From extends Pick<Source, 'bounds' | 'counter' | 'strict'> {
  readonly spelled: boolean;
}

type LevelsBelow = Map<string, Level>;

function given(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function parseInteger(place: string, raw: unknown, min: number): number {
  const value = typeof raw === 'string' && /^-?\d+$/.test(raw.trim()) ? Number(raw) : raw;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min) {
    throw invalidQuery(reason('minimum_whole_number_expected', { place, min }));
  }
  return value;
}

function parseSort(place: string, raw: unknown, counter: ElementCounter): SortTerm[] {
  return parseList(place, raw, () => counter.add('sortTerms')).map((term) => {
    const descending = term.startsWith('-');
    return { path: parsePath(descending ? term.slice(1) : term, place), descending };
  });
}

function parseLimit(place: string, raw: unknown, bounds: QueryBounds): number | null {
  const max = bounds.limitMax;
  if (!given(raw)) return Math.min(bounds.limitDefault, max ?? bounds.limitDefault);
  const limit = parseInteger(place, raw, -1);
  if (limit === -1) return max ?? null;
  if (max === undefined || limit <= max) return limit;
  throw invalidQuery(reason('limit_above_maximum', { place, max }));
}

/** `page` counts from 1 and overrides `offset`; without a limit there are no pages. */
function parseOffset({ parameters, prefix }: Source, limit: number | null): number {
  const { page, offset } = parameters;
  const start = given(offset) ? parseInteger(`${prefix}offset`, offset, 0) : 0;
  if (!given(page)) return start;
  const number = parseInteger(`${prefix}page`, page, 0);
  if (limit === null) return start;
  const result = Math.max(number - 1, 0) * limit;
  if (!Number.isSafeInteger(result)) throw invalidQuery(reason('page_too_large', { prefix }));
  return result;
}

/** Blank text means no search: clients send it while the user types. */
function parseSearch(place: string, raw: unknown, counter: ElementCounter): string | null {
  if (raw === undefined || raw === null) return null;
  const text = typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : raw;
  if (typeof text !== 'string') throw invalidQuery(reason('text_expected', { place }));
  counter.search(text);
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (trimmed.includes('\0')) throw invalidQuery(reason('contains_nul', { place }));
  return trimmed;
}

function parseAlias(
  place: string,
  raw: unknown,
  counter: ElementCounter,
): ReadonlyMap<string, string> {
  if (!given(raw)) return new Map();
  const value = parseJsonText(place, raw);
  if (!isJsonObject(value)) throw invalidQuery(reason('query_object_expected', { place }));
  const entries = Object.entries(value);
  counter.add('fields', entries.length);
  return new Map(
    entries.map(([name, field]) => {
      if (typeof field === 'string') requireShortName(field, place);
      const call = typeof field === 'string' && /^json\(.*\)$/s.test(field);
      requireShortName(name, place);
      if (typeof field !== 'string' || field === '') {
        throw invalidQuery(reason('alias_field_name_expected', { place, name }));
      }
      if (name === '' || name.includes('.') || (field.includes('.') && !call)) {
        throw invalidQuery(reason('alias_with_dot', { place, name }));
      }
      return [name, field];
    }),
  );
}

function parseAggregate(place: string, raw: unknown, counter: ElementCounter): AggregateTerm[] {
  if (!given(raw)) return [];
  const value = parseJsonText(place, raw);
  if (!isJsonObject(value)) throw invalidQuery(reason('query_object_expected', { place }));
  return Object.entries(value).flatMap(([name, fields]): AggregateTerm[] => {
    if (!isAggregateFunction(name)) {
      throw invalidQuery(reason('aggregate_function_unknown', { place, name }));
    }
    if (name === 'countAll') return [{ aggregate: name, field: '*' }];
    const list = parseList(`${place}.${name}`, fields, () => counter.add('fields'));
    if (list.length === 0) throw invalidQuery(reason('aggregate_without_field', { place, name }));
    return [...new Set(list)].map((field) => ({ aggregate: name, field }));
  });
}

/** Whether a member of `deep` may be a level below: an object, or the text of one. */
function mayBeLevel(value: unknown): boolean {
  return isJsonObject(value) || (typeof value === 'string' && value.trim().startsWith('{'));
}

/**
 * Whether a member of a level under `deep` is a parameter without its `_`, as some clients write
 * it. A possible level is never a parameter, because a relation can have any name.
 */
function isBareParameter(name: string, value: unknown): boolean {
  return LEVEL_PARAMETERS.includes(name) && !mayBeLevel(value);
}

/** The levels below: members of `deep` without `_`, each with its own parameters with `_`. */
function parseDeep(place: string, raw: unknown, from: From, depth = 1): LevelsBelow {
  if (!given(raw)) return new Map();
  const value = parseJsonText(place, raw);
  if (!isJsonObject(value)) throw invalidQuery(reason('query_object_expected', { place }));
  const entries = Object.entries(value);
  const below = entries.filter(([name]) => !name.startsWith('_'));
  if (from.strict && below.length < entries.length) {
    throw invalidQuery(reason('deep_parameter_without_relation', { place }));
  }
  from.counter.add('levels', below.length);
  for (const [name] of below) requireShortName(name, place);
  return new Map(
    below.map(([name, members]) => [name, parseBelow(`${place}.${name}`, members, from, depth)]),
  );
}

function parseBelow(place: string, raw: unknown, from: From, depth: number): Level {
  const { bounds, counter, strict, spelled } = from;
  if (depth > bounds.maxDepth) {
    throw invalidQuery(reason('too_many_relations_deep', { place, maxDepth: bounds.maxDepth }));
  }
  const members = parseJsonText(place, raw);
  if (!isJsonObject(members)) throw invalidQuery(reason('query_object_expected', { place }));
  const parameters: Record<string, unknown> = Object.create(null);
  const below: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(members)) {
    if (name.startsWith('_')) parameters[name.slice(1)] = value;
    else if (strict || !isBareParameter(name, value)) below[name] = value;
    else if (!Object.hasOwn(members, `_${name}`)) parameters[name] = value;
  }
  if (strict) requireKnown(parameters, [...LEVEL_PARAMETERS, 'group'], `${place}._`);
  const { group, ...others } = parameters;
  const level = parseLevel({
    parameters: { groupBy: group, ...others, deep: undefined },
    prefix: `${place}._`,
    ...{ bounds, counter, strict, typed: spelled ? {} : parameters },
  });
  return { ...level, deep: parseDeep(place, below, from, depth + 1) };
}

function parseFields(place: string, raw: unknown, counter: ElementCounter): Path[] {
  if (!given(raw)) return [];
  return parseList(place, raw, () => counter.add('fields')).map((text) => parsePath(text, place));
}

/**
 * Parses the parameters of one level.
 * @throws ServiceError INVALID_QUERY naming the parameter and the place in it
 */
export function parseLevel(source: Source): Level {
  const { parameters, prefix, bounds, counter, typed } = source;
  const isSpelled = (name: string) => !Object.hasOwn(typed, name);
  const { fields, filter, sort, search, alias, aggregate, groupBy, deep } = parameters;
  const limit = parseLimit(`${prefix}limit`, parameters.limit, bounds);
  return {
    fields: parseFields(`${prefix}fields`, fields, counter),
    // An empty text or null counts as an invalid filter, not as an omitted one.
    filter:
      filter === undefined
        ? null
        : parseFilter(
            parseJsonText(`${prefix}filter`, filter),
            `${prefix}filter`,
            counter,
            isSpelled('filter'),
          ),
    search: parseSearch(`${prefix}search`, search, counter),
    sort: given(sort) ? parseSort(`${prefix}sort`, sort, counter) : [],
    limit,
    offset: parseOffset(source, limit),
    alias: parseAlias(`${prefix}alias`, alias, counter),
    aggregate: parseAggregate(`${prefix}aggregate`, aggregate, counter),
    groupBy: given(groupBy)
      ? [...new Set(parseList(`${prefix}groupBy`, groupBy, () => counter.add('groups')))]
      : [],
    deep: parseDeep(`${prefix}deep`, deep, { ...source, spelled: isSpelled('deep') }),
  };
}
