/**
 * Limits the number of simultaneous long reads, so that quick reads stay quick. A probe, an empty
 * statement on an idle connection, measures how long the server and this process delay a quick
 * read. When processors are overloaded, it takes several times longer than without load.
 */

/** The number of long reads that is always allowed. */
const LEAST = 2;
/**
 * Ratios to the quickest probe: above the first, processors are overloaded; below the second, they
 * are not.
 */
const SHORT_FACTOR = 8;
const FREE_FACTOR = 4;
/** The processor share above which this process itself delays its reads. */
const BUSY_SHARE = 0.7;
/** Probe times are averages over about this number of probes. */
const AVERAGED = 4;
/** The factor by which the quickest time ages with each later probe. */
const AGEING = 1.001;
/** Pause (ms) before one more long read is allowed beside quick reads. */
const CALM_MS = 1_000;
/** Without quick reads for this time (ms) no limit is needed. */
const QUIET_MS = 2_000;
/** A read is quick compared with long ones that take at least this many times as long. */
const QUICK_FACTOR = 4;
/** The time of long reads is an average over about this number. */
const LONG_AVERAGED = 8;

/** Clocks in milliseconds; by default those of this process. */
export interface Clocks {
  readonly now: () => number;
  readonly processor: () => number;
}

const OWN: Clocks = {
  now: () => performance.now(),
  processor: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
};

export class LongReadLimiter {
  readonly #most: number;
  readonly #clocks: Clocks;
  #bound: number;
  #best = Number.POSITIVE_INFINITY;
  #time = 0;
  #changed = Number.NEGATIVE_INFINITY;
  #read = Number.NEGATIVE_INFINITY;
  #quickRead = Number.NEGATIVE_INFINITY;
  #longTime = 0;
  #looked: number;
  #processor: number;

  /** @param most the maximum number without contention */
  constructor(most: number, clocks = OWN) {
    this.#most = Math.max(LEAST, most);
    this.#bound = this.#most;
    this.#clocks = clocks;
    this.#looked = clocks.now();
    this.#processor = clocks.processor();
  }

  /** The current limit. */
  get value(): number {
    return this.#bound;
  }

  /**
   * Records a read that was not long. When all reads take about the same time, no read needs
   * protection.
   * @param time how long such a read takes PostgreSQL (ms)
   */
  noteQuickRead(time: number): void {
    this.#read = this.#clocks.now();
    if (QUICK_FACTOR * time <= this.#longTime) this.#quickRead = this.#clocks.now();
  }

  /** @param time how long such a read takes PostgreSQL (ms) */
  noteLongRead(time: number): void {
    this.#read = this.#clocks.now();
    this.#longTime += (time - this.#longTime) / LONG_AVERAGED;
  }

  /** The current delay (ms) of every read, because the server and this process are busy. */
  get delay(): number {
    return Math.max(0, this.#time - this.#best);
  }

  /** Whether a probe is useful: there are recent reads. */
  get needsProbe(): boolean {
    return this.#clocks.now() - this.#read < QUIET_MS;
  }

  /** Whether there are recent quick reads that long reads could delay. */
  get protects(): boolean {
    return this.#clocks.now() - this.#quickRead < QUIET_MS;
  }

  /**
   * Adapts the limit. Quick reads alone do not lower it: if the number of long reads never exceeded
   * the minimum, it stays.
   * @param probe the time of a probe (ms); null without one
   * @param running the maximum number of simultaneous long reads since the last call
   */
  adapt(probe: number | null, running: number): void {
    const isOwnWork = this.#processorShare() > BUSY_SHARE;
    if (probe !== null) {
      this.#best = Math.min(this.#best * AGEING, probe);
      this.#time += (probe - this.#time) / AVERAGED;
    }
    const now = this.#clocks.now();
    if (!this.protects) {
      this.#bound = Math.min(this.#most, this.#bound + 1);
      return;
    }
    if (probe === null) return;
    const isShort = !isOwnWork && this.#time > SHORT_FACTOR * this.#best;
    if (isShort && running > LEAST) {
      this.#bound = Math.max(LEAST, Math.min(this.#bound, running) - 1);
      this.#changed = now;
    }
    const isFree = isOwnWork || this.#time < FREE_FACTOR * this.#best;
    if (!isFree || now - this.#changed < CALM_MS || this.#bound === this.#most) return;
    this.#bound += 1;
    this.#changed = now;
  }

  /** The processor share of this process since the last call. */
  #processorShare(): number {
    const now = this.#clocks.now();
    const processor = this.#clocks.processor();
    const share = (processor - this.#processor) / Math.max(1, now - this.#looked);
    this.#looked = now;
    this.#processor = processor;
    return share;
  }
}
