/** The metrics of every process: memory, processor time, and timer delays. */
import { type MetricFamily, metrics } from './metrics.ts';

const TICK_MS = 100;

/** The response of a process to a request for its metrics. */
export interface ProcessMetrics {
  /** Such as `edge-1`; a restarted process has the same name. */
  readonly name: string;
  /** Null while it is not running. */
  readonly pid: number | null;
  /** Null when it did not answer in time. */
  readonly families: readonly MetricFamily[] | null;
}

/** A process with its metrics, and its state in the supervisor. */
export interface ProcessState extends ProcessMetrics {
  /** Whether it runs and sends signs of life. */
  readonly isLive: boolean;
  /** Why it cannot do its work; null when it can. */
  readonly reason: string | null;
}

/** Call it once. */
export function measureProcess(): void {
  const delays = metrics.histogram('sluice_event_loop_delay_seconds', {});
  let due = performance.now() + TICK_MS;
  setInterval(() => {
    const now = performance.now();
    delays.observe(Math.max(0, now - due) / 1_000);
    due = now + TICK_MS;
  }, TICK_MS).unref();
  const started = Date.now() / 1_000 - process.uptime();
  metrics.reading('sluice_process_start_time_seconds', () => [[{}, started]]);
  metrics.reading('sluice_process_resident_memory_bytes', () => [[{}, process.memoryUsage.rss()]]);
  metrics.reading('sluice_process_heap_used_bytes', () => [[{}, process.memoryUsage().heapUsed]]);
  metrics.reading('sluice_process_cpu_seconds_total', () => {
    const { user, system } = process.cpuUsage();
    return [[{}, (user + system) / 1_000_000]];
  });
}
