/**
 * Batches the image variants that a holder requests at the same time into one job, which shares its
 * fixed cost. The jobs run fairly by holder.
 */
import * as v from 'valibot';
import { FairSemaphore } from '#core/base/holders/fair-semaphore.ts';
import type { VariantSource } from '#core/files/file-variant.ts';
import type { ImageTransformation } from '#core/files/images/image-transformation.ts';
import { transformationKey } from '#core/files/images/transformation.ts';
import {
  imageMailbox,
  imageVariantResult,
  imageVariantSubmission,
  laneOf,
  MOST_VARIANTS,
} from '#core/jobs/message/image-variant.ts';
import type { JobService } from '../jobs.ts';

/**
 * The maximum number of simultaneous jobs per holder: enough for a page of images, and a small part
 * of the workers' capacity.
 */
const MOST_JOBS_PER_HOLDER = 3;

export interface VariantBatchesOptions {
  readonly jobs: JobService;
  /** The maximum number of simultaneous jobs. */
  readonly concurrency: number;
  /** The maximum time (ms) to wait for a job. */
  readonly patience: number;
  /** The keys of the variants of a file that exist or are known to have failed. */
  known(file: string, keys: readonly string[]): Promise<ReadonlySet<string>>;
}

/** The HTTP request that waits for a variant. */
export interface VariantWaiter {
  /** The user, or the address of an anonymous client. */
  readonly holder: string;
  readonly requestId: string | null;
  readonly signal: AbortSignal;
}

/** A variant that a holder waits for. */
interface Wanted {
  readonly key: string;
  readonly lane: Lane;
  readonly transformation: ImageTransformation;
  readonly requestId: string | null;
  readonly ended: PromiseWithResolvers<void>;
  waiters: number;
}

/** The variants of one mailbox, by key. */
interface Lane {
  readonly source: VariantSource;
  readonly number: number;
  readonly holder: string;
  readonly mailbox: string;
  /** In request order. */
  waiting: Map<string, Wanted>;
  readonly running: Map<string, Wanted>;
  /** Aborted when no request waits for a variant of it. */
  readonly over: AbortController;
}

const NONE: ReadonlySet<string> = new Set();

export class VariantBatches {
  readonly #options: VariantBatchesOptions;
  readonly #permits: FairSemaphore;
  readonly #lanes = new Map<string, Lane>();

  constructor(options: VariantBatchesOptions) {
    this.#options = options;
    const { concurrency: permits } = options;
    // Requests are counted before they arrive here, so any number may wait.
    this.#permits = new FairSemaphore({
      permits,
      permitsPerHolder: Math.max(1, Math.min(MOST_JOBS_PER_HOLDER, permits - 1)),
    });
  }

  /**
   * Requests a variant, and waits until its job has ended with any result, or until the signal is
   * aborted.
   * @throws ServiceError the rejection of the job
   */
  async made(
    source: VariantSource,
    transformation: ImageTransformation,
    waiter: VariantWaiter,
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
      if (wanted.waiters === 0) this.#forget(wanted.lane, wanted.key);
    }
  }

  /** The variant if it is already waiting or running, or a new one. */
  #want(
    source: VariantSource,
    transformation: ImageTransformation,
    { holder, requestId }: VariantWaiter,
  ): Wanted {
    const number = laneOf(transformation);
    const mailbox = imageMailbox({ name: source.name, lane: number, holder });
    const open = this.#lanes.get(mailbox);
    const lane: Lane = open ?? {
      ...{ source, number, holder, mailbox, over: new AbortController() },
      ...{ waiting: new Map(), running: new Map() },
    };
    const key = transformationKey(transformation);
    const known = lane.running.get(key) ?? lane.waiting.get(key);
    if (known !== undefined) {
      known.waiters += 1;
      return known;
    }
    const ended = Promise.withResolvers<void>();
    // Waiting requests receive the error; there may be no waiting request left.
    ended.promise.catch(() => undefined);
    const wanted = { key, lane, transformation, requestId, ended, waiters: 1 };
    lane.waiting.set(key, wanted);
    if (open === undefined) {
      this.#lanes.set(mailbox, lane);
      this.#work(lane);
    }
    return wanted;
  }

  /** Removes a waiting variant that no request waits for any more. */
  #forget(lane: Lane, key: string): void {
    if (!lane.waiting.delete(key) || lane.waiting.size + lane.running.size > 0) return;
    this.#lanes.delete(lane.mailbox);
    lane.over.abort();
  }

  /** Makes the waiting variants of a lane, job by job. Never rejects. */
  async #work(lane: Lane): Promise<void> {
    const { holder, mailbox, over } = lane;
    try {
      while (lane.waiting.size > 0) {
        await this.#permits.run(holder, () => this.#batch(lane), over.signal);
      }
    } catch (error) {
      for (const { ended } of lane.waiting.values()) ended.reject(error);
    } finally {
      if (this.#lanes.get(mailbox) === lane) this.#lanes.delete(mailbox);
    }
  }

  /** Makes a batch of variants in one job; unfinished ones wait again. Never rejects. */
  async #batch(lane: Lane): Promise<void> {
    const batch = [...lane.waiting.values()].slice(0, MOST_VARIANTS);
    for (const wanted of batch) {
      lane.waiting.delete(wanted.key);
      lane.running.set(wanted.key, wanted);
    }
    try {
      const left = await this.#run(lane, batch);
      for (const { key } of batch) if (!left.has(key)) this.#settle(lane, key);
      const again = batch.filter(({ key, waiters }) => left.has(key) && waiters > 0);
      lane.waiting = new Map([...again.map((one) => [one.key, one] as const), ...lane.waiting]);
    } catch (error) {
      for (const { ended } of batch) ended.reject(error);
    } finally {
      for (const { key } of batch) lane.running.delete(key);
    }
  }

  /** Notifies all requests that wait for a variant, also of other holders. */
  #settle({ source, running }: Lane, key: string): void {
    running.get(key)?.ended.resolve();
    for (const lane of [...this.#lanes.values()]) {
      if (lane.source.name !== source.name) continue;
      lane.waiting.get(key)?.ended.resolve();
      this.#forget(lane, key);
    }
  }

  /** Runs a job. @returns the keys of the unfinished variants */
  async #run(lane: Lane, batch: readonly Wanted[]): Promise<ReadonlySet<string>> {
    const [first] = batch;
    if (first === undefined) return NONE;
    const { jobs, patience, known } = this.#options;
    const { source, number, holder } = lane;
    const { file, storage, name } = source;
    const { id } = await jobs.submit(
      imageVariantSubmission(
        { file, storage, name, lane: number, holder },
        batch.map(({ transformation }) => transformation),
        first.requestId,
      ),
    );
    const job = await jobs.wait(id, patience);
    const result = v.safeParse(imageVariantResult, job?.result);
    if (!result.success || result.output.left === 0) return NONE;
    const keys = batch.map(({ key }) => key);
    const ended = await known(file, keys);
    return new Set(keys.filter((key) => !ended.has(key)));
  }
}
