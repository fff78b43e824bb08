/**
 * Works for subscribers, by turns of their holders. A work waits in the queue of one holder: however
 * many wait there, those of another holder are not delayed beyond its turn.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Turns } from '#core/holders/turns.ts';
import { TimeSlice } from '#core/process/time-slice.ts';

/** When more works of a holder wait, it rests after each for as long (ms) as that took, at most. */
const MANY = 100;
const LONGEST_REST_MS = 100;

/** Something to do; must not throw. */
export interface QueuedWork {
  run(): Promise<void>;
}

interface Queue {
  readonly works: Set<QueuedWork>;
  /** How many of them may run once it is the turn of the holder. */
  runners: number;
  running: number;
}

export class HolderQueues {
  readonly #turns: Turns;
  readonly #slotsPerHolder: number;
  readonly #queues = new Map<string, Queue>();
  readonly #slice = new TimeSlice();

  /** @param slots works that run at a time; a holder leaves one of them to others */
  constructor(slots: number) {
    this.#slotsPerHolder = Math.max(1, slots - 1);
    this.#turns = new Turns({
      ...{ slots, slotsPerHolder: this.#slotsPerHolder },
      // No more than `slotsPerHolder` of a holder wait there, the others in its queue.
      ...{ maxWaitingPerHolder: slots, maxWaiting: Number.POSITIVE_INFINITY },
      refusal: () => new TypeError('a holder asked for more turns than it has'),
    });
  }

  /** Works of a holder that wait or run. */
  loadOf(holder: string): number {
    const queue = this.#queues.get(holder);
    return queue === undefined ? 0 : queue.works.size + queue.running;
  }

  /** Adds a work, which is run once. */
  add(holder: string, work: QueuedWork): void {
    const queue = this.#queues.get(holder) ?? { works: new Set(), runners: 0, running: 0 };
    this.#queues.set(holder, queue);
    queue.works.add(work);
    if (queue.runners >= this.#slotsPerHolder) return;
    queue.runners += 1;
    void this.#run(holder, queue);
  }

  /** Takes back a work that waits. */
  remove(holder: string, work: QueuedWork): void {
    this.#queues.get(holder)?.works.delete(work);
  }

  /** Does something when it is the turn of the holder. */
  inTurn<T>(holder: string, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.add(holder, { run: () => work().then(resolve, reject) });
    });
  }

  async #run(holder: string, queue: Queue): Promise<void> {
    while (queue.works.size > 0) {
      const took = await this.#turns.run(holder, () => this.#runNext(queue));
      // It leaves half of the processor to others, too.
      if (queue.works.size > MANY) await delay(Math.min(took, LONGEST_REST_MS));
    }
    queue.runners -= 1;
    if (queue.runners === 0) this.#queues.delete(holder);
  }

  /** @returns how long (ms) it took */
  async #runNext(queue: Queue): Promise<number> {
    await this.#slice.rest();
    const [work] = queue.works;
    if (work === undefined) return 0;
    queue.works.delete(work);
    queue.running += 1;
    const started = performance.now();
    await work.run();
    queue.running -= 1;
    return performance.now() - started;
  }
}
