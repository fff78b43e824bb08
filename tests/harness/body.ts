/** Bodies of answers, in the shapes that tests look into. */
import type { Job } from '#core/jobs/job.ts';

export interface JobBody {
  readonly data: Job;
}

export interface JobsBody {
  readonly data: readonly Job[];
}

export interface ErrorsBody {
  readonly errors: readonly {
    readonly message: string;
    readonly extensions: Readonly<Record<string, unknown>>;
  }[];
}

/** Parses a body; the shape is the caller's claim, which assertions then test. */
export async function bodyOf<T>(response: Response): Promise<T> {
  return JSON.parse(await response.text());
}
