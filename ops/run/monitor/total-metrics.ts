/**
 * The combined metrics of all processes. Counters never decrease: the counts of a process are
 * retained when it ends or does not respond. Otherwise Prometheus would interpret a smaller number
 * as a restart.
 */
import { AggregatorRegistry, type Registry } from 'prom-client';
import { METRICS, type MetricFacts } from '#core/base/metrics/catalogue.ts';
import type { MetricFamily } from '#core/base/metrics/metrics.ts';
import type { ProcessMetrics } from '#core/base/metrics/process-metrics.ts';

const FACTS = new Map<string, MetricFacts>(Object.entries(METRICS));

/** The last report of a process. */
interface Latest {
  readonly pid: number | null;
  readonly families: readonly MetricFamily[];
}

/** The same family with the name of its process, if the family has that label. */
function named(family: MetricFamily, process: string): MetricFamily {
  if (FACTS.get(family.name)?.ofProcess !== true) return family;
  return {
    ...family,
    values: family.values.map((sample) => ({ ...sample, labels: { ...sample.labels, process } })),
  };
}

/** The families that only grow, with a constant number of series. */
function counted(families: readonly MetricFamily[]): MetricFamily[] {
  return families.filter(({ type }) => type !== 'gauge');
}

function sum(parts: readonly (readonly object[])[]): Registry {
  return AggregatorRegistry.aggregate([...parts]);
}

export class TotalMetrics {
  readonly #latest = new Map<string, Latest>();
  /** The counts of processes that have ended. */
  #gone: readonly object[] = [];

  /**
   * Merges the current reports of the processes.
   * @param own metrics of the monitor
   * @returns the text for Prometheus
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
