/**
 * The metrics of this process. A counter is a number in a plain object that its owner stores, so
 * that counting costs an addition; families and labels are created only on reading.
 */
import {
  type LabelsOf,
  METRICS,
  type MetricFacts,
  type MetricName,
  type NameOf,
} from './catalogue.ts';

/** A number that only grows. */
export interface Count {
  value: number;
}

/** Numbers by size. */
export interface Distribution {
  observe(value: number): void;
}

type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** The name with its suffix, in a histogram. */
  readonly metricName?: string;
}

/** A metric with its values, in the format that prom-client writes and aggregates. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: MetricFacts['type'];
  readonly aggregator: 'sum';
  readonly values: readonly Sample[];
}

/** Reads a gauge. */
type Reading<N extends MetricName> = () => Iterable<readonly [labels: LabelsOf<N>, value: number]>;

/**
 * The maximum number of label sets of one metric. All labels are bounded; this also limits the
 * effect of a mistake.
 */
const MAX_SERIES = 2_000;

class Histogram implements Distribution {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] ?? 0)) index += 1;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#sum += value;
  }

  *samples(name: string, labels: Labels): Generator<Sample> {
    let total = 0;
    for (const [index, count] of this.#counts.entries()) {
      total += count;
      const le = String(this.#bounds[index] ?? '+Inf');
      yield { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
    }
    yield { metricName: `${name}_sum`, labels, value: this.#sum };
    yield { metricName: `${name}_count`, labels, value: total };
  }
}

/** The values of one metric by their labels. */
class Series<T> {
  readonly #entries = new Map<string, { readonly labels: Labels; readonly value: T }>();
  readonly #make: () => T;

  constructor(make: () => T) {
    this.#make = make;
  }

  with(labels: Labels): T {
    const key = JSON.stringify(Object.values(labels));
    const known = this.#entries.get(key);
    if (known !== undefined) return known.value;
    const isFull = this.#entries.size >= MAX_SERIES;
    if (isFull && Object.values(labels).some((value) => value !== 'other')) {
      return this.with(Object.fromEntries(Object.keys(labels).map((name) => [name, 'other'])));
    }
    const value = this.#make();
    this.#entries.set(key, { labels, value });
    return value;
  }

  [Symbol.iterator]() {
    return this.#entries.values();
  }
}

export class Metrics {
  readonly #counts = new Map<string, Series<Count>>();
  readonly #histograms = new Map<string, Series<Histogram>>();
  readonly #readings = new Map<string, Set<() => Iterable<readonly [Labels, number]>>>();

  /** The counter with these labels. Store it: looking it up costs more than counting. */
  counter<N extends NameOf<'counter'>>(name: N, labels: LabelsOf<N>): Count {
    const series = this.#counts.get(name) ?? new Series(() => ({ value: 0 }));
    this.#counts.set(name, series);
    return series.with(labels);
  }

  /** The histogram with these labels. */
  histogram<N extends NameOf<'histogram'>>(name: N, labels: LabelsOf<N>): Distribution {
    const { buckets } = METRICS[name];
    const series = this.#histograms.get(name) ?? new Series(() => new Histogram(buckets));
    this.#histograms.set(name, series);
    return series.with(labels);
  }

  /**
   * Adds a reading to a metric; values with the same labels are summed.
   * @returns a function that removes it
   */
  reading<N extends MetricName>(name: N, read: Reading<N>): () => void {
    const readings = this.#readings.get(name) ?? new Set();
    this.#readings.set(name, readings);
    readings.add(read);
    return () => {
      readings.delete(read);
    };
  }

  /** The current values of all metrics. */
  families(): MetricFamily[] {
    return Object.entries<MetricFacts>(METRICS).map(([name, { help, type }]) => ({
      ...{ name, help, type, aggregator: 'sum' },
      values: [...this.#samples(name)],
    }));
  }

  *#samples(name: string): Generator<Sample> {
    for (const { labels, value } of this.#counts.get(name) ?? []) {
      yield { labels, value: value.value };
    }
    for (const { labels, value } of this.#histograms.get(name) ?? []) {
      yield* value.samples(name, labels);
    }
    for (const read of this.#readings.get(name) ?? []) {
      for (const [labels, value] of read()) yield { labels, value };
    }
  }
}

/** The metrics of this process. */
export const metrics = new Metrics();
