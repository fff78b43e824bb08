/**
 * The metrics of all processes as one. Counters never go back: what a process counted is kept when it
 * ends, and when it does not answer, because Prometheus takes a smaller number for a new beginning.
 */
import { AggregatorRegistry, type Registry } from 'prom-client';
import { METRICS, type MetricFacts } from '#core/base/metrics/catalogue.ts';
import type { MetricFamily } from '#core/base/metrics/metrics.ts';
import type { ProcessMetrics } from '#core/base/metrics/process-metrics.ts';

const FACTS = new Map<string, MetricFacts>(Object.entries(METRICS));

/** What a process said last. */
interface Latest {
  readonly pid: number | null;
  readonly families: readonly MetricFamily[];
}

/** The same family with the name of its process, if that is one of its labels. */
function named(family: MetricFamily, process: string): MetricFamily {
  if (FACTS.get(family.name)?.ofProcess !== true) return family;
  return {
    ...family,
    values: family.values.map((sample) => ({ ...sample, labels: { ...sample.labels, process } })),
  };
}

/** What only grows, with the number of series unchanged. */
function counted(families: readonly MetricFamily[]): MetricFamily[] {
  return families.filter(({ type }) => type !== 'gauge');
}

function sum(parts: readonly (readonly object[])[]): Registry {
  return AggregatorRegistry.aggregate([...parts]);
}

export class TotalMetrics {
  readonly #latest = new Map<string, Latest>();
  /** What processes have counted that are gone. */
  #gone: readonly object[] = [];

  /**
   * Takes what the processes say now.
   * @param own what the monitor adds
   * @returns the text that Prometheus reads
   */
  async text(processes: readonly ProcessMetrics[], own: readonly MetricFamily[]): Promise<string> {
    const parts: (readonly object[])[] = [own];
    for (const { name, pid, families } of processes) {
      const known = this.#latest.get(name);
      if (families === null) {
        if (known !== undefined) parts.push(counted(known.families));
        continue;
      }
      if (known !== undefined && known.pid !== pid) await this.#keep(known);
      const latest = { pid, families: families.map((family) => named(family, name)) };
      this.#latest.set(name, latest);
      parts.push(latest.families);
    }
    return await sum([...parts, this.#gone]).metrics();
  }

  async #keep({ families }: Latest): Promise<void> {
    this.#gone = await sum([this.#gone, counted(families)]).getMetricsAsJSON();
  }
}
