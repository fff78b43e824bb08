/** The rows of a bench's result: what was measured, against what, and whether that is enough. */

/** What a row should reach: at least a ratio to the baseline, or less than an amount. */
export type Goal =
  | { readonly kind: 'ratio at least'; readonly value: number }
  | { readonly kind: 'below'; readonly value: number };

export type Unit = 'requests/s' | 'rows/s' | 'ms' | 'MiB' | 'times';

export interface Row {
  /** `part/what`, such as `read/item`. */
  readonly id: string;
  readonly title: string;
  readonly unit: Unit;
  /** Sluice's figure: the median of its runs. */
  readonly value: number;
  /** That of the baseline; null where there is none. */
  readonly baseline: number | null;
  readonly ratio: number | null;
  readonly goal: Goal;
  readonly met: boolean;
  /** Single runs and circumstances, for whoever looks closer. */
  readonly details: Readonly<Record<string, unknown>>;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Figures of runs that took turns: those of one place ran one right after the other. */
export interface Duel {
  readonly sluice: readonly number[];
  readonly baseline: readonly number[];
}

type Heading = Pick<Row, 'id' | 'title' | 'unit'>;

/**
 * A row that compares two sides. Its ratio is the median of the ratios of neighbours, which had the
 * same machine; what one side lost to a busy minute would count against it otherwise.
 */
export function comparison(
  heading: Heading,
  { sluice, baseline }: Duel,
  atLeast: number,
  details: Row['details'] = {},
): Row {
  const ratio = median(sluice.map((value, place) => value / (baseline[place] ?? Number.NaN)));
  return {
    ...heading,
    value: median(sluice),
    baseline: median(baseline),
    ratio,
    goal: { kind: 'ratio at least', value: atLeast },
    met: ratio >= atLeast,
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
