/**
 * Tells whether quick reads need protection from long ones, and how long the server and this
 * process delay every read. A probe, an empty statement on an idle connection, measures that delay.
 */

/** Probe times are averages over about this number of probes. */
const AVERAGED = 4;
/** The factor by which the quickest time ages with each later probe. */
const AGEING = 1.001;
/** Without quick reads for this time (ms) long reads need no limit. */
const QUIET_MS = 2_000;
/** A read is quick compared with long ones that take at least this many times as long. */
const QUICK_FACTOR = 4;
/** The time of long reads is an average over about this number. */
const LONG_AVERAGED = 8;

export class ReadLoad {
  readonly #now: () => number;
  #best = Number.POSITIVE_INFINITY;
  #time = 0;
  #read = Number.NEGATIVE_INFINITY;
  #quickRead = Number.NEGATIVE_INFINITY;
  #longTime = 0;

  /** @param now a monotonic clock in milliseconds */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Records a read that was not long. When all reads take about the same time, no read needs
   * protection.
   * @param time how long such a read takes PostgreSQL (ms)
   */
  noteQuickRead(time: number): void {
    this.#read = this.#now();
    if (QUICK_FACTOR * time <= this.#longTime) this.#quickRead = this.#read;
  }

  /** @param time how long such a read takes PostgreSQL (ms) */
  noteLongRead(time: number): void {
    this.#read = this.#now();
    this.#longTime += (time - this.#longTime) / LONG_AVERAGED;
  }

  /** @param time how long a probe took (ms) */
  noteProbe(time: number): void {
    this.#best = Math.min(this.#best * AGEING, time);
    this.#time += (time - this.#time) / AVERAGED;
  }

  /** The current delay (ms) of every read, because the server and this process are busy. */
  get delay(): number {
    return Math.max(0, this.#time - this.#best);
  }

  /** Whether a probe is useful: there are recent reads. */
  get needsProbe(): boolean {
    return this.#now() - this.#read < QUIET_MS;
  }

  /** Whether there are recent quick reads that long reads could delay. */
  get protects(): boolean {
    return this.#now() - this.#quickRead < QUIET_MS;
  }
}
