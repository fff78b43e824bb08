/** What a panel asks of the API: one query with the rights of the viewer. */
import type { Filter, Item } from '../data/schema-types.ts';
import { isItem } from '../data/values.ts';
import type { AggregateFunction, PanelOptions } from './panel-options.ts';
import { groupsOf, type Precision, type Span } from './period.ts';

/** A series has fewer points than this, which only stops what no picture can show. */
const MOST_GROUPS = 10_000;

export interface PanelQuery {
  readonly aggregate: Readonly<Record<string, string>>;
  readonly groupBy?: readonly string[];
  readonly filter?: Filter;
  readonly sort?: readonly string[];
  readonly limit?: number;
}

export interface ListQuery {
  readonly fields: readonly string[];
  readonly filter?: Filter;
  readonly sort?: readonly string[];
  readonly limit: number;
}

/** What a panel is read for. */
export interface Reading {
  /** The filter of the panel, with the values of variables. */
  readonly filter: Filter | null;
  /** The period; null for all items. */
  readonly span: Span | null;
  /** The type of the field of time. */
  readonly dateType: string;
}

/** A moment as a field of the type is compared with. */
function momentText(time: Date, type: string): string {
  const iso = time.toISOString();
  if (type === 'date') return iso.slice(0, 10);
  return type === 'dateTime' ? iso.slice(0, 19) : iso;
}

/** The conditions of a panel: its filter, and the period by its field of time. */
function conditionsOf(
  { dateField }: PanelOptions,
  { filter, span, dateType }: Reading,
): { readonly filter?: Filter } {
  const period =
    span === null || dateField === ''
      ? null
      : {
          [dateField]: {
            _gte: momentText(span.from, dateType),
            _lt: momentText(span.to, dateType),
          },
        };
  const parts = [filter, period].filter((part) => part !== null);
  const [only, ...others] = parts;
  if (only === undefined) return {};
  return { filter: others.length === 0 ? only : { _and: parts } };
}

function aggregateOf({ function: name, valueField }: PanelOptions) {
  return { [name]: valueField === '' ? '*' : valueField };
}

/** The values of a series along time. */
export function timeQuery(
  options: PanelOptions,
  reading: Reading,
  precision: Precision,
): PanelQuery {
  return {
    aggregate: aggregateOf(options),
    groupBy: groupsOf(options.dateField, precision),
    ...conditionsOf(options, reading),
    limit: MOST_GROUPS,
  };
}

/** The categories with the highest values. */
export function barQuery(options: PanelOptions, reading: Reading): PanelQuery {
  const { function: name, valueField, groupField, limit } = options;
  return {
    aggregate: aggregateOf(options),
    groupBy: [groupField],
    ...conditionsOf(options, reading),
    sort: [valueField === '' ? `-${name}` : `-${name}.${valueField}`],
    limit,
  };
}

/** One number. */
export function metricQuery(options: PanelOptions, reading: Reading): PanelQuery {
  return { aggregate: aggregateOf(options), ...conditionsOf(options, reading) };
}

/**
 * The first items of a list.
 * @param paths the fields that their names need
 */
export function listQuery(
  options: PanelOptions,
  reading: Reading,
  paths: readonly string[],
): ListQuery {
  const { sortField, sortDirection, limit } = options;
  const fields = sortField === '' ? paths : [...paths, sortField];
  return {
    fields: [...new Set(fields)],
    ...conditionsOf(options, reading),
    ...(sortField !== '' && { sort: [sortDirection === 'desc' ? `-${sortField}` : sortField] }),
    limit,
  };
}

/** A map has at most this number of points. */
export const MOST_POINTS = 5_000;

/**
 * The items of a map, and one more than it shows.
 * @param paths the fields of their names and positions
 * @param isPlaced the condition that an item has a position
 */
export function mapQuery(
  options: PanelOptions,
  reading: Reading,
  paths: readonly string[],
  isPlaced: Filter,
): ListQuery {
  const { filter } = conditionsOf(options, reading);
  return {
    fields: [...new Set(paths)],
    filter: filter === undefined ? isPlaced : { _and: [filter, isPlaced] },
    limit: MOST_POINTS + 1,
  };
}

/** The value of a row of such an answer; null where no item has one. */
export function aggregateValue(
  row: Item,
  { function: name, valueField }: Pick<PanelOptions, 'function' | 'valueField'>,
): number | null {
  const value = row[name];
  const own = isItem(value) ? value[valueField] : value;
  return own === null || own === undefined ? null : Number(own);
}

/** What a part of time without items has: nothing was counted, and nothing has an average. */
export function emptyValue(name: AggregateFunction): number | null {
  return name === 'count' || name === 'countDistinct' || name === 'sum' ? 0 : null;
}
