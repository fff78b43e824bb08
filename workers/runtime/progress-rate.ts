/** The speed of a delivery, from its progress reports of the last seconds. */
import type { JobProgress } from '#core/messaging/bus.ts';

const WINDOW_MS = 5_000;

interface Sample {
  readonly at: number;
  readonly progress: JobProgress;
}

/** Rounds a rate to its significant digits. */
function rounded(value: number): number {
  return value < 10 ? Math.round(value * 10) / 10 : Math.round(value);
}

export class ProgressRate {
  #samples: Sample[] = [];

  /**
   * The progress with its rates, and the remaining time when its percentage is available.
   * @param at milliseconds
   */
  next(progress: JobProgress, at: number): JobProgress {
    this.#samples.push({ at, progress });
    const from = this.#samples.findLastIndex((sample) => sample.at <= at - WINDOW_MS);
    if (from > 0) this.#samples = this.#samples.slice(from);
    const [first] = this.#samples;
    const seconds = first === undefined ? 0 : (at - first.at) / 1_000;
    if (first === undefined || seconds <= 0) return progress;
    const rate = (now: number, before: number) => Math.max(0, now - before) / seconds;
    const percents = rate(progress.percent ?? 0, first.progress.percent ?? 0);
    const left =
      progress.percent === null || percents === 0 ? null : (100 - progress.percent) / percents;
    return {
      ...progress,
      rows_per_second: rounded(rate(progress.rows, first.progress.rows)),
      bytes_per_second: rounded(rate(progress.bytes, first.progress.bytes)),
      seconds_left: left === null ? null : rounded(left),
    };
  }
}
