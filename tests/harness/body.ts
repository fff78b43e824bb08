/** Bodies of responses, in the types that tests inspect. */
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

/** Parses a body; the caller asserts the type, and the test's assertions check it. */
export async function bodyOf<T>(response: Response): Promise<T> {
  return JSON.parse(await response.text());
}
