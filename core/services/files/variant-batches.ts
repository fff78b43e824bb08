/**
 * Gathers the forms of images that a holder asks for at the same time, so that one job makes several of
 * them: what a job costs beside its images is shared. Their jobs run fairly to holders.
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

/** Jobs of one holder at a time: enough for a page of images, and few of what a worker takes. */
const MOST_JOBS_PER_HOLDER = 3;

export interface VariantBatchesOptions {
  readonly jobs: JobService;
  /** Jobs at the same time. */
  readonly concurrency: number;
  /** Milliseconds that a job is waited for. */
  readonly patience: number;
  /** Those of some forms of a file of which it is known what became of them. */
  known(file: string, keys: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Who waits for a form. */
export interface VariantWaiter {
  /** The user, or the address of an anonymous client. */
  readonly holder: string;
  readonly requestId: string | null;
  readonly signal: AbortSignal;
}

/** A form that a holder waits for. */
interface Wanted {
  readonly key: string;
  readonly lane: Lane;
  readonly transformation: ImageTransformation;
  readonly requestId: string | null;
  readonly ended: PromiseWithResolvers<void>;
  waiters: number;
}

/** Forms of one mailbox by their keys. */
interface Lane {
  readonly source: VariantSource;
  readonly number: number;
  readonly holder: string;
  readonly mailbox: string;
  /** In the order in which they were asked for. */
  waiting: Map<string, Wanted>;
  readonly running: Map<string, Wanted>;
  /** Aborted when nothing of it is waited for any more. */
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
    // Requests are counted before they come here, so any number may wait.
    this.#permits = new FairSemaphore({
      permits,
      permitsPerHolder: Math.max(1, Math.min(MOST_JOBS_PER_HOLDER, permits - 1)),
    });
  }

  /**
   * Has a form made, and waits until its job has ended, however that was, or the signal says so.
   * @throws ServiceError what refuses the job
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

  /** The form as it waits or is made already, or as a new one. */
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
    // Those who wait hear of it; there may be none left.
    ended.promise.catch(() => undefined);
    const wanted = { key, lane, transformation, requestId, ended, waiters: 1 };
    lane.waiting.set(key, wanted);
    if (open === undefined) {
      this.#lanes.set(mailbox, lane);
      this.#work(lane);
    }
    return wanted;
  }

  /** A form that waits is not wanted any more. */
  #forget(lane: Lane, key: string): void {
    if (!lane.waiting.delete(key) || lane.waiting.size + lane.running.size > 0) return;
    this.#lanes.delete(lane.mailbox);
    lane.over.abort();
  }

  /** Makes what waits in a lane, job by job. Never rejects. */
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

  /** Has forms of a lane made by one job; those that it leaves wait again. Never rejects. */
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

  /** Tells all who wait for a form what has become of it, other holders too. */
  #settle({ source, running }: Lane, key: string): void {
    running.get(key)?.ended.resolve();
    for (const lane of [...this.#lanes.values()]) {
      if (lane.source.name !== source.name) continue;
      lane.waiting.get(key)?.ended.resolve();
      this.#forget(lane, key);
    }
  }

  /** Has a job done. @returns the keys of the forms that it has left */
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
