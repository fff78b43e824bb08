/** Panels of a dashboard, and their options as `system_panels` keeps them. */
import type { Filter, Item } from '../data/schema-types.ts';
import { isItem, numberOption, textOption } from '../data/values.ts';
import { type PeriodName, type Precision, periodName } from './period.ts';

export const DASHBOARDS = 'system_dashboards';
export const PANELS = 'system_panels';

/** The kinds of panels that show data, and the one that asks the viewer for a value. */
export const KINDS = ['time-series', 'bar-chart', 'metric', 'list', 'map', 'variable'] as const;
export type Kind = (typeof KINDS)[number];

export const FUNCTIONS = ['count', 'countDistinct', 'sum', 'avg', 'min', 'max'] as const;
export type AggregateFunction = (typeof FUNCTIONS)[number];

export const PRECISIONS = ['auto', 'minute', 'hour', 'day', 'month', 'year'] as const;
export const VARIABLE_KINDS = ['text', 'date', 'choice'] as const;
export type VariableKind = (typeof VARIABLE_KINDS)[number];

/** The place of a panel: columns and rows count from 1. */
export interface Place {
  readonly position_x: number;
  readonly position_y: number;
  readonly width: number;
  readonly height: number;
}

export interface Panel extends Place {
  readonly id: string;
  readonly dashboard: string;
  readonly name: string | null;
  readonly type: string;
  readonly options: Item | null;
}

export interface Dashboard {
  readonly id: string;
  readonly name: string;
  readonly icon: string;
  readonly note: string | null;
}

/** What a panel reads, with what is missing filled in. */
export interface PanelOptions {
  readonly collection: string;
  readonly filter: Filter | null;
  readonly function: AggregateFunction;
  /** The field of the function; empty for the items themselves. */
  readonly valueField: string;
  /** The field of time; empty for none. */
  readonly dateField: string;
  readonly groupField: string;
  readonly precision: Precision | 'auto';
  /** `page` for the period of the dashboard. */
  readonly range: PeriodName | 'page';
  readonly look: 'lines' | 'bars';
  readonly sortField: string;
  readonly sortDirection: 'asc' | 'desc';
  readonly limit: number;
  /** The position of items: a geometry, or the latitude of a pair; empty for the first one. */
  readonly geometryField: string;
}

const LIMIT = 10;
const MOST_ROWS = 100;

function oneOf<Value extends string>(
  values: readonly Value[],
  options: Item | null,
  name: string,
  otherwise: Value,
): Value {
  return values.find((value) => value === options?.[name]) ?? otherwise;
}

/** Reads options that the App or another client has written. */
export function readOptions(options: Item | null): PanelOptions {
  const text = (name: string) => textOption(options, name) ?? '';
  const { filter } = options ?? {};
  const limit = Math.trunc(numberOption(options, 'limit') ?? LIMIT);
  return {
    collection: text('collection'),
    filter: isItem(filter) && Object.keys(filter).length > 0 ? filter : null,
    function: oneOf(FUNCTIONS, options, 'function', 'count'),
    valueField: text('valueField'),
    dateField: text('dateField'),
    groupField: text('groupField'),
    precision: oneOf(PRECISIONS, options, 'precision', 'auto'),
    range: periodName(text('range')) ?? 'page',
    look: oneOf(['lines', 'bars'], options, 'look', 'lines'),
    sortField: text('sortField'),
    sortDirection: oneOf(['asc', 'desc'], options, 'sortDirection', 'desc'),
    geometryField: text('geometryField'),
    limit: Math.min(Math.max(limit, 1), MOST_ROWS),
  };
}

export function isKind(type: string): type is Kind {
  return KINDS.some((kind) => kind === type);
}

/** Whether the options say enough to read something. */
export function isReady(kind: Kind, options: PanelOptions): boolean {
  if (options.collection === '') return false;
  const hasValue = options.function === 'count' || options.valueField !== '';
  switch (kind) {
    case 'time-series':
      return hasValue && options.dateField !== '';
    case 'bar-chart':
      return hasValue && options.groupField !== '';
    case 'metric':
      return hasValue;
    case 'list':
    case 'map':
      return true;
    case 'variable':
      return false;
  }
}
