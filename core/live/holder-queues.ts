/**
 * Works for subscribers, fairly to their holders. A work waits in the queue of one holder: however many
 * wait there, the works of another holder wait for those that run already, and for no others.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { FairSemaphore } from '#core/base/holders/fair-semaphore.ts';
import { TimeSlice } from '#core/base/process/time-slice.ts';

/** When more works of a holder wait, it rests after each for as long (ms) as that took, at most. */
const MANY = 100;
const LONGEST_REST_MS = 100;

/** Something to do; must not throw. */
export interface QueuedWork {
  run(): Promise<void>;
}

interface Queue {
  readonly works: Set<QueuedWork>;
  /** Loops that run them one by one, each as soon as it has a permit. */
  runners: number;
  running: number;
}

export class HolderQueues {
  readonly #permits: FairSemaphore;
  readonly #permitsPerHolder: number;
  readonly #queues = new Map<string, Queue>();
  readonly #slice = new TimeSlice();

  /** @param permits works that run at a time; a holder leaves one of them to others */
  constructor(permits: number) {
    this.#permitsPerHolder = Math.max(1, permits - 1);
    // No more than `permitsPerHolder` of a holder wait there, the others in its queue.
    this.#permits = new FairSemaphore({ permits, permitsPerHolder: this.#permitsPerHolder });
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
    if (queue.runners >= this.#permitsPerHolder) return;
    queue.runners += 1;
    void this.#drain(holder, queue);
  }

  /** Takes back a work that waits. */
  remove(holder: string, work: QueuedWork): void {
    this.#queues.get(holder)?.works.delete(work);
  }

  /** Runs a work of a holder after those that wait already in its queue. */
  run<T>(holder: string, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.add(holder, { run: () => work().then(resolve, reject) });
    });
  }

  async #drain(holder: string, queue: Queue): Promise<void> {
    while (queue.works.size > 0) {
      const took = await this.#permits.run(holder, () => this.#runNext(queue));
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
