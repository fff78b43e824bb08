/**
 * The rows of a bench's result: what was measured, compared with what, and whether the goal is met.
 */

/** The goal of a row: at least a ratio to the baseline, or less than an amount. */
export type Goal =
  | { readonly kind: 'ratio at least'; readonly value: number }
  | { readonly kind: 'below'; readonly value: number };

export type Unit = 'requests/s' | 'rows/s' | 'ms' | 'MiB' | 'MiB/s' | 'times';

export interface Row {
  /** `part/what`, such as `read/item`. */
  readonly id: string;
  readonly title: string;
  readonly unit: Unit;
  /** Sluice's result: the median of its runs. */
  readonly value: number;
  /** The result of the baseline; null without one. */
  readonly baseline: number | null;
  readonly ratio: number | null;
  /** Null for a row that only tells. */
  readonly goal: Goal | null;
  readonly met: boolean | null;
  /** Single runs and circumstances, for a closer look. */
  readonly details: Readonly<Record<string, unknown>>;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Results of alternating runs: those with the same index ran one directly after the other. */
export interface Duel {
  readonly sluice: readonly number[];
  readonly baseline: readonly number[];
}

type Heading = Pick<Row, 'id' | 'title' | 'unit'>;

/**
 * A row that compares two sides. Its ratio is the median of the ratios of neighbouring runs, which
 * had the same machine. Otherwise a busy minute during the runs of one side would count against it.
 */
export function comparison(
  heading: Heading,
  { sluice, baseline }: Duel,
  atLeast: number | null,
  details: Row['details'] = {},
): Row {
  const ratio = median(sluice.map((value, place) => value / (baseline[place] ?? Number.NaN)));
  return {
    ...heading,
    value: median(sluice),
    baseline: median(baseline),
    ratio,
    goal: atLeast === null ? null : { kind: 'ratio at least', value: atLeast },
    met: atLeast === null ? null : ratio >= atLeast,
    details: { ...details, sluice, baseline },
  };
}

/** A row for an amount that must stay small. */
export function amount(
  heading: Heading,
  value: number,
  below: number,
  details: Row['details'] = {},
): Row {
  return {
    ...heading,
    value,
    baseline: null,
    ratio: null,
    goal: { kind: 'below', value: below },
    met: value < below,
    details,
  };
}
