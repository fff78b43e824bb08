/**
 * Gathers the forms of images that are asked for at the same time, so that one job makes several of
 * them: what a job costs beside its images is shared.
 */
import PQueue from 'p-queue';
import type { VariantSource } from '#core/files/file-variant.ts';
import { type ImageTransformation, transformationKey } from '#core/images/transformation.ts';
import {
  imageMailbox,
  imageVariantSubmission,
  laneOf,
  MOST_VARIANTS,
} from '#core/jobs/message/image-variant.ts';
import type { JobService } from '../jobs.ts';

export interface VariantBatchesOptions {
  readonly jobs: JobService;
  /** Images of which forms are made at the same time. */
  readonly concurrency: number;
  /** Milliseconds that a job is waited for. */
  readonly patience: number;
}

/** Who waits for a form. */
export interface Waiter {
  readonly requestId: string | null;
  /** Higher ones come first. */
  readonly priority: number;
  readonly signal: AbortSignal;
}

/** A form that somebody waits for. */
interface Wanted {
  readonly transformation: ImageTransformation;
  readonly requestId: string | null;
  readonly ended: PromiseWithResolvers<void>;
  priority: number;
  waiters: number;
}

/** Forms of one mailbox by their keys. */
interface Lane {
  readonly source: VariantSource;
  readonly number: number;
  readonly waiting: Map<string, Wanted>;
  readonly running: Map<string, Wanted>;
}

export class VariantBatches {
  readonly #options: VariantBatchesOptions;
  readonly #queue: PQueue;
  readonly #lanes = new Map<string, Lane>();

  constructor(options: VariantBatchesOptions) {
    this.#options = options;
    this.#queue = new PQueue({ concurrency: options.concurrency });
  }

  /**
   * Has a form made, and waits until its job has ended, however that was, or the signal says so.
   * @throws ServiceError what refuses the job
   */
  async made(
    source: VariantSource,
    transformation: ImageTransformation,
    waiter: Waiter,
  ): Promise<void> {
    if (waiter.signal.aborted) return;
    const wanted = this.#want(source, transformation, waiter);
    const left = Promise.withResolvers<void>();
    const leave = () => left.resolve();
    waiter.signal.addEventListener('abort', leave);
    try {
      await Promise.race([wanted.ended.promise, left.promise]);
    } finally {
      waiter.signal.removeEventListener('abort', leave);
      wanted.waiters -= 1;
    }
  }

  /** The form as it waits or is made already, or as a new one. */
  #want(source: VariantSource, transformation: ImageTransformation, waiter: Waiter): Wanted {
    const number = laneOf(transformation);
    const mailbox = imageMailbox({ name: source.name, lane: number });
    const open = this.#lanes.get(mailbox);
    const lane = open ?? { source, number, waiting: new Map(), running: new Map() };
    const key = transformationKey(transformation);
    const known = lane.running.get(key) ?? lane.waiting.get(key);
    if (known !== undefined) {
      known.waiters += 1;
      known.priority = Math.max(known.priority, waiter.priority);
      return known;
    }
    const { requestId, priority } = waiter;
    const ended = Promise.withResolvers<void>();
    // Those who wait hear of it; there may be none left.
    ended.promise.catch(() => undefined);
    const wanted = { transformation, requestId, priority, ended, waiters: 1 };
    lane.waiting.set(key, wanted);
    if (open === undefined) {
      this.#lanes.set(mailbox, lane);
      this.#work(mailbox, lane);
    }
    return wanted;
  }

  /** Makes what waits in a lane, job by job. */
  async #work(mailbox: string, lane: Lane): Promise<void> {
    while (lane.waiting.size > 0) {
      const priority = Math.max(...[...lane.waiting.values()].map((one) => one.priority));
      await this.#queue.add(() => this.#batch(lane), { priority });
    }
    this.#lanes.delete(mailbox);
  }

  /** Has the most urgent forms of a lane made by one job. Never rejects. */
  async #batch(lane: Lane): Promise<void> {
    for (const [key, { waiters }] of lane.waiting) if (waiters === 0) lane.waiting.delete(key);
    const urgent = [...lane.waiting].sort(([, one], [, other]) => other.priority - one.priority);
    const batch = urgent.slice(0, MOST_VARIANTS);
    for (const [key, wanted] of batch) {
      lane.waiting.delete(key);
      lane.running.set(key, wanted);
    }
    try {
      await this.#run(
        lane,
        batch.map(([, wanted]) => wanted),
      );
      for (const [, { ended }] of batch) ended.resolve();
    } catch (error) {
      for (const [, { ended }] of batch) ended.reject(error);
    } finally {
      for (const [key] of batch) lane.running.delete(key);
    }
  }

  async #run({ source, number }: Lane, batch: readonly Wanted[]): Promise<void> {
    const [first] = batch;
    if (first === undefined) return;
    const { jobs, patience } = this.#options;
    const { file, storage, name } = source;
    const { id } = await jobs.submit(
      imageVariantSubmission(
        { file, storage, name, lane: number },
        batch.map(({ transformation }) => transformation),
        first.requestId,
      ),
    );
    await jobs.wait(id, patience);
  }
}
