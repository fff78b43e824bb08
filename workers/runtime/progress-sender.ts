/** Sends the progress of a delivery, at most a few times a second. */
import type { Log } from '#core/base/log/log.ts';
import type { JobProgress, MessageBus } from '#core/messaging/bus.ts';
import { ProgressRate } from './progress-rate.ts';

const PUBLISH_EVERY_MS = 250;
const QUEUE_EVERY_MS = 1_000;
/** Repeated even without change, for processes that have started since. */
const REPEAT_EVERY_MS = 2_000;

export interface ProgressTargets {
  readonly id: string;
  readonly attempt: number;
  readonly bus: MessageBus;
  readonly log: Log;
  /** Stores the progress with the job in the queue. */
  readonly store: (progress: JobProgress) => Promise<void>;
  /** The job has made progress. */
  readonly moved: () => void;
}

export class ProgressReporter {
  readonly #targets: ProgressTargets;
  readonly #timer: NodeJS.Timeout;
  readonly #rate = new ProgressRate();
  #latest: JobProgress | null = null;
  #changed = false;
  #published = Number.NEGATIVE_INFINITY;
  #stored = Number.NEGATIVE_INFINITY;

  constructor(targets: ProgressTargets) {
    this.#targets = targets;
    this.#timer = setInterval(() => this.#send(), PUBLISH_EVERY_MS);
  }

  get latest(): JobProgress | null {
    return this.#latest;
  }

  report(progress: JobProgress): void {
    this.#latest = progress;
    this.#changed = true;
    this.#targets.moved();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #send(): void {
    const latest = this.#latest;
    const now = performance.now();
    if (latest === null) return;
    if (!this.#changed && now < this.#published + REPEAT_EVERY_MS) return;
    this.#changed = false;
    this.#published = now;
    const progress = this.#rate.next(latest, now);
    const { id, attempt, bus, log, store } = this.#targets;
    const ignore = (error: unknown) => log.debug({ err: error }, 'could not send progress');
    bus.publish('job.progress', { id, attempt, progress }).catch(ignore);
    if (now < this.#stored + QUEUE_EVERY_MS) return;
    this.#stored = now;
    store(progress).catch(ignore);
  }
}
