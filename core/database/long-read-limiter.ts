/**
 * Bounds how many reads that take long run at a time, so that quick ones stay quick. A probe, an
 * empty statement on an idle connection, shows how long the server and this process keep a quick
 * read waiting: where processors are short, several times longer than when nothing runs.
 */

/** So many may always run. */
const LEAST = 2;
/** Probes that take so many times the quickest one say that processors are short, or are not. */
const SHORT_FACTOR = 8;
const FREE_FACTOR = 4;
/** Share of one processor above which it is this process itself that keeps its reads waiting. */
const BUSY_SHARE = 0.7;
/** Times of probes are averages over about so many. */
const AVERAGED = 4;
/** The quickest probe counts for a little longer with each later one. */
const AGEING = 1.001;
/** Pause (ms) before one more may run beside quick reads. */
const CALM_MS = 1_000;
/** Without quick reads for so long (ms) there is nothing to protect. */
const QUIET_MS = 2_000;
/** A read is quick beside long ones that take so many times as long. */
const QUICK_FACTOR = 4;
/** The time of long reads is an average over about so many. */
const LONG_AVERAGED = 8;

/** Clocks in milliseconds; those of this process unless a test gives others. */
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

  /** @param most how many may run while nobody is kept waiting */
  constructor(most: number, clocks = OWN) {
    this.#most = Math.max(LEAST, most);
    this.#bound = this.#most;
    this.#clocks = clocks;
    this.#looked = clocks.now();
    this.#processor = clocks.processor();
  }

  /** How many may run now. */
  get value(): number {
    return this.#bound;
  }

  /**
   * Notes a read that did not count as long. Where all reads take about as long, none needs protection.
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

  /** How long (ms) the server and this process keep any read waiting now, because both are busy. */
  get delay(): number {
    return Math.max(0, this.#time - this.#best);
  }

  /** Whether a probe would tell something: somebody reads. */
  get needsProbe(): boolean {
    return this.#clocks.now() - this.#read < QUIET_MS;
  }

  /** Whether somebody reads who is kept from waiting for long reads. */
  get protects(): boolean {
    return this.#clocks.now() - this.#quickRead < QUIET_MS;
  }

  /**
   * Adapts the bound. It is not lowered for what quick reads do to each other: where no more long ones
   * ran than always may, it stays.
   * @param probe how long one took (ms); null when there was none
   * @param running how many long reads ran at a time since it was last adapted
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

  /** Share of one processor that this process used since it was last asked. */
  #processorShare(): number {
    const now = this.#clocks.now();
    const processor = this.#clocks.processor();
    const share = (processor - this.#processor) / Math.max(1, now - this.#looked);
    this.#looked = now;
    this.#processor = processor;
    return share;
  }
}
