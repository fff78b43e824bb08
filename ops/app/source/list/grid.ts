/** The look of the table of a list: widths of columns, those that stay at the start, and summaries. */
import type { Field } from '../data/schema-types.ts';
import { isItem } from '../data/values.ts';
import type { Column } from '../display/columns.ts';

export const SUMMARIES = ['sum', 'avg', 'min', 'max', 'count'] as const;

/** What stands below a column. */
export type Summary = (typeof SUMMARIES)[number];

export interface Grid {
  /** Pixels, by the name of the field. */
  readonly widths: Readonly<Record<string, number>>;
  /** How many columns at the start stay in sight. */
  readonly pinned: number;
  readonly summaries: Readonly<Record<string, Summary>>;
}

export const NO_GRID: Grid = { widths: {}, pinned: 0, summaries: {} };

/** Pixels of a column without a width of its own beside columns that have one. */
export const USUAL_WIDTH = 160;
const LEAST_WIDTH = 64;
const MOST_WIDTH = 1_200;

const NUMBERS: ReadonlySet<string> = new Set(['integer', 'bigInteger', 'float', 'decimal']);
const ORDERED: ReadonlySet<string> = new Set(['date', 'time', 'dateTime', 'timestamp']);

/** A width that a column may have. */
export function fittingWidth(width: number): number {
  return Math.round(Math.min(Math.max(width, LEAST_WIDTH), MOST_WIDTH));
}

function isSummary(name: unknown): name is Summary {
  return SUMMARIES.some((known) => known === name);
}

/** The summaries that the values of a field have. */
export function summariesOf({ field, relation }: Column): readonly Summary[] {
  if (field.type === 'alias' || (relation !== null && relation.kind !== 'm2o')) return [];
  if (isConcealed(field)) return ['count'];
  if (relation === null && NUMBERS.has(field.type)) return SUMMARIES;
  return ORDERED.has(field.type) ? ['min', 'max', 'count'] : ['count'];
}

function isConcealed({ type, meta }: Field): boolean {
  return type === 'hash' || meta?.special?.includes('conceal') === true;
}

/** Reads what is kept of a grid; what does not fit is left out. */
export function readGrid(kept: unknown): Grid {
  if (!isItem(kept)) return NO_GRID;
  const { widths, pinned, summaries } = kept;
  const own = Object.entries(isItem(widths) ? widths : {}).flatMap(
    ([name, width]): [string, number][] =>
      typeof width === 'number' && Number.isFinite(width) ? [[name, fittingWidth(width)]] : [],
  );
  const wanted = Object.entries(isItem(summaries) ? summaries : {}).flatMap(
    ([name, summary]): [string, Summary][] => (isSummary(summary) ? [[name, summary]] : []),
  );
  return {
    widths: Object.fromEntries(own),
    pinned: typeof pinned === 'number' && Number.isSafeInteger(pinned) ? Math.max(pinned, 0) : 0,
    summaries: Object.fromEntries(wanted),
  };
}

/** The order of columns and their look after a change. */
export interface Arrangement {
  readonly names: readonly string[];
  readonly grid: Grid;
}

/** Moves a column to a place; beyond the border of those that stay in sight it joins the others. */
export function moveColumn({ names, grid }: Arrangement, from: number, to: number): Arrangement {
  const name = names[from];
  if (name === undefined || from === to || to < 0 || to >= names.length) return { names, grid };
  const { pinned } = grid;
  const leaves = from < pinned && to >= pinned;
  const joins = from >= pinned && to < pinned;
  return {
    names: names.toSpliced(from, 1).toSpliced(to, 0, name),
    grid: { ...grid, pinned: pinned + (joins ? 1 : leaves ? -1 : 0) },
  };
}

/** Lets a column stay in sight as the last of those that do, or takes it from them. */
export function pinColumn({ names, grid }: Arrangement, at: number): Arrangement {
  const isPinned = at < grid.pinned;
  const border = isPinned ? grid.pinned - 1 : grid.pinned;
  const name = names[at];
  if (name === undefined) return { names, grid };
  return {
    names: names.toSpliced(at, 1).toSpliced(border, 0, name),
    grid: { ...grid, pinned: isPinned ? border : border + 1 },
  };
}

/** Takes a column out of the list. */
export function hideColumn({ names, grid }: Arrangement, at: number): Arrangement {
  return {
    names: names.toSpliced(at, 1),
    grid: { ...grid, pinned: at < grid.pinned ? grid.pinned - 1 : grid.pinned },
  };
}
