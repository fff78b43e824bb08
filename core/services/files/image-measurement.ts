/**
 * Measures the size and metadata of stored images through a worker. New file rows contain them,
 * unless no worker is quick enough; then the rows are updated later.
 */
import * as v from 'valibot';
import type { Log } from '#core/base/log/log.ts';
import { isMeasured } from '#core/files/images/transformation.ts';
import {
  type ImageFacts,
  imageFactsResult,
  imageFactsSubmission,
} from '#core/jobs/message/image-facts.ts';
import type { Item } from '#core/write/payload.ts';
import type { JobService } from '../jobs.ts';
import { membersOf, type StoredContent } from './file-store.ts';

/** The maximum time (ms) that an upload waits for a worker. */
const WAIT_MS = 3_000;
/** The members for a file that is not an image; absent metadata means: not measured yet. */
const NO_IMAGE: Item = { metadata: {} };

/** The measured members of file rows, and the remaining work. */
export interface MeasurementPlan {
  readonly given: readonly Item[];
  /** Called when the file rows exist. */
  settle(): void;
}

export class ImageMeasurement {
  readonly #jobs: JobService;
  readonly #log: Log;

  constructor(jobs: JobService, log: Log) {
    this.#jobs = jobs;
    this.#log = log;
  }

  /**
   * Waits a limited time for the measurements of the images among them.
   * @param requestId the id of the request that stored them
   */
  async of(stored: readonly StoredContent[], requestId?: string): Promise<MeasurementPlan> {
    const late: StoredContent[] = [];
    const given = await Promise.all(
      stored.map(async (content) => {
        const members = membersOf(content);
        if (!isMeasured(content.type)) return members;
        const facts = await this.#factsOf(content, requestId);
        if (facts === undefined) late.push(content);
        return { ...members, ...(facts === null ? NO_IMAGE : facts) };
      }),
    );
    return { given, settle: () => void this.#settle(late, requestId) };
  }

  /** @returns undefined when it is not known yet, null for a file that is not an image */
  async #factsOf(
    content: StoredContent,
    requestId: string | null = null,
  ): Promise<ImageFacts | null | undefined> {
    try {
      const submission = imageFactsSubmission(content, { isLate: false, requestId });
      const { id } = await this.#jobs.submit(submission);
      const job = await this.#jobs.wait(id, WAIT_MS);
      if (job === null) return undefined;
      // A retry would not change the result of a failed job.
      const result = v.safeParse(imageFactsResult, job.result);
      return result.success ? result.output : null;
    } catch (error) {
      this.#log.warn({ err: error, name: content.name }, 'could not measure an image yet');
      return undefined;
    }
  }

  async #settle(late: readonly StoredContent[], requestId: string | null = null): Promise<void> {
    for (const content of late) {
      try {
        await this.#jobs.submit(imageFactsSubmission(content, { isLate: true, requestId }));
      } catch (error) {
        // A worker measures it when the queue accepts jobs again, or in the nightly run.
        this.#log.warn({ err: error, name: content.name }, 'an image will be measured later');
      }
    }
  }
}
