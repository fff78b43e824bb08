/**
 * Runs tasks for subscribers, fairly among their holders. A task waits in the queue of one holder.
 * Regardless of the length of that queue, tasks of another holder wait only for the running tasks.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { FairSemaphore } from '#core/base/holders/fair-semaphore.ts';
import { TimeSlice } from '#core/base/process/time-slice.ts';

/**
 * When more tasks of a holder wait, it pauses after each task for the task's duration, up to a
 * maximum (ms).
 */
const MANY = 100;
const LONGEST_REST_MS = 100;

/** A task; must not throw. */
export interface QueuedWork {
  run(): Promise<void>;
}

interface Queue {
  readonly works: Set<QueuedWork>;
  /** Loops that run the tasks one by one, each as soon as it has a permit. */
  runners: number;
  running: number;
}

export class HolderQueues {
  readonly #permits: FairSemaphore;
  readonly #permitsPerHolder: number;
  readonly #queues = new Map<string, Queue>();
  readonly #slice = new TimeSlice();

  /** @param permits maximum concurrent tasks; a holder leaves one of them to other holders */
  constructor(permits: number) {
    this.#permitsPerHolder = Math.max(1, permits - 1);
    // At most `permitsPerHolder` tasks of a holder wait there, the rest in its queue.
    this.#permits = new FairSemaphore({ permits, permitsPerHolder: this.#permitsPerHolder });
  }

  /** Waiting and running tasks of a holder. */
  loadOf(holder: string): number {
    const queue = this.#queues.get(holder);
    return queue === undefined ? 0 : queue.works.size + queue.running;
  }

  /** Adds a task, which runs once. */
  add(holder: string, work: QueuedWork): void {
    const queue = this.#queues.get(holder) ?? { works: new Set(), runners: 0, running: 0 };
    this.#queues.set(holder, queue);
    queue.works.add(work);
    if (queue.runners >= this.#permitsPerHolder) return;
    queue.runners += 1;
    void this.#drain(holder, queue);
  }

  /** Removes a waiting task. */
  remove(holder: string, work: QueuedWork): void {
    this.#queues.get(holder)?.works.delete(work);
  }

  /** Runs a task of a holder after those that already wait in its queue. */
  run<T>(holder: string, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.add(holder, { run: () => work().then(resolve, reject) });
    });
  }

  async #drain(holder: string, queue: Queue): Promise<void> {
    while (queue.works.size > 0) {
      const took = await this.#permits.run(holder, () => this.#runNext(queue));
      // The pause leaves half of the processor to other work.
      if (queue.works.size > MANY) await delay(Math.min(took, LONGEST_REST_MS));
    }
    queue.runners -= 1;
    if (queue.runners === 0) this.#queues.delete(holder);
  }

  /** @returns the task's duration (ms) */
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
