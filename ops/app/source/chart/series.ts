/** What charts show: series of values along times or categories. */
import type { ReactNode } from 'react';

export interface Series {
  /** What the legend and the table call it. */
  readonly name: string;
  /** A value for each time or category; null where there is none, which leaves a gap. */
  readonly values: readonly (number | null)[];
  /** Its place in the palette, so that the same thing has the same colour everywhere; by default its place among the series. */
  readonly colour?: number;
}

/** Writes a value with its unit, such as `formatBytes`. */
export type FormatValue = (value: number, locale: string) => string;

export interface ChartProps {
  /** What the chart is called, also for screen readers. */
  readonly title: string;
  readonly series: readonly Series[];
  /** Writes values of axis, tooltip and table; numbers by default. */
  readonly format?: FormatValue;
  /** In pixels. */
  readonly height?: number;
  /** Buttons behind the name. */
  readonly actions?: ReactNode;
}

/** A number as the language writes it, with at most two decimals. */
export function formatPlain(value: number, locale: string): string {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }).format(value);
}

/** Whether any series has a value. */
export function hasValues(series: readonly Series[]): boolean {
  return series.some(({ values }) => values.some((value) => value !== null));
}

/** Where the axis begins: at zero, unless there is less. */
export function axisBegin(series: readonly Series[]): { readonly min?: number } {
  const isNegative = series.some(({ values }) => values.some((value) => (value ?? 0) < 0));
  return isNegative ? {} : { min: 0 };
}

/** The axis of whole numbers has no ticks between them. */
export function tickStep(series: readonly Series[]): { readonly tickMinStep?: number } {
  const isWhole = series.every(({ values }) =>
    values.every((value) => Number.isInteger(value ?? 0)),
  );
  return isWhole ? { tickMinStep: 1 } : {};
}

/** Room for the labels of the lower axis, also in fonts with tall lines; in pixels. */
export const X_HEIGHT = 32;
