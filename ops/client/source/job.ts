/** Jobs: what is known of them, and how one waits for them. */
import { type ErrorEntry, errorOf, SluiceError } from './errors.ts';
import { readEvents } from './events.ts';
import type { CallOptions, JobOptions } from './options.ts';
import { pause, pauseAfter } from './retry.ts';
import type { Transport } from './transport.ts';

export type JobState = 'waiting' | 'running' | 'completed' | 'failed' | 'cancelled';

export interface JobProgress {
  readonly rows?: number;
  readonly bytes?: number;
  readonly percent?: number | null;
  readonly rows_per_second?: number;
  readonly bytes_per_second?: number;
  readonly seconds_left?: number | null;
  /** What an import does now: `reading`, `checking`, `writing` or `committing`. */
  readonly phase?: string;
  /** When it began each phase so far. */
  readonly phases?: readonly { readonly name: string; readonly on: string }[];
  readonly [member: string]: unknown;
}

/** `Result` is what the kind of the job yields; null until it has completed. */
export interface Job<Result = unknown> {
  readonly id: string;
  readonly kind: string;
  readonly queue: string;
  readonly state: JobState;
  readonly user: string | null;
  readonly collection: string | null;
  readonly file_name: string | null;
  readonly file_size: number | null;
  readonly file_format: string | null;
  readonly progress: JobProgress | null;
  readonly result: Result;
  readonly error: readonly ErrorEntry[] | null;
  readonly created_on: string;
  readonly started_on: string | null;
  /** When its latest attempt began. */
  readonly claimed_on?: string | null;
  readonly finished_on: string | null;
  readonly attempts: number;
  readonly file_kept: boolean;
  /** Its place among those that wait; null when it does not wait. */
  readonly position?: number | null;
  /** The last sign of life of its worker; null in lists, and when it does not run. */
  readonly worker?: {
    /** Seconds since then; null when no process knows. */
    readonly silence: number | null;
    /** Seconds until another worker takes the job over, at the latest; null while its worker reports. */
    readonly takeover: number | null;
  } | null;
  readonly [member: string]: unknown;
}

export interface JobQuery {
  readonly filter?: object | undefined;
  readonly sort?: string | readonly string[] | undefined;
  /** What file name, collection or id begin with. */
  readonly search?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly page?: number | undefined;
  /** The id of a job of the same list, after which this one begins. */
  readonly after?: string | undefined;
}

/** Which jobs are cancelled, retried or moved. */
export interface ChosenJobs {
  readonly filter: object;
  readonly search?: string | undefined;
}

export interface ChangedJobs {
  readonly change: 'cancel' | 'retry' | 'first';
  /** How many jobs were cancelled, retried or moved. */
  readonly changed: number;
  /** How many jobs were left as they are, by the code of the reason. */
  readonly skipped: Readonly<Record<string, number>>;
}

/** What the undo of an import did, or would do. */
export interface UndoneImport {
  /** The id of the import's job. */
  readonly import: string;
  /** How many inserted rows were removed. */
  readonly removed: number;
  /** How many overwritten rows have their former values again. */
  readonly restored: number;
  /** How many rows stay as they are; `errors` of the job names them. */
  readonly kept: number;
  /** Their number by the code of the reason. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly dry_run?: true;
}

export interface UndoOptions extends JobOptions {
  /** Only finds out what would be undone. */
  readonly dryRun?: boolean | undefined;
}

export interface Jobs {
  /** The jobs of the caller, for administrators all; the latest first. */
  list(query?: JobQuery, options?: CallOptions): Promise<Job[]>;
  get<Result = unknown>(id: string, options?: CallOptions): Promise<Job<Result>>;
  cancel(id: string, options?: CallOptions): Promise<void>;
  /** Lets a job that failed or was cancelled wait again. */
  retry(id: string, options?: CallOptions): Promise<Job>;
  /** Moves a waiting job before all others of its queue; for administrators. */
  first(id: string, options?: CallOptions): Promise<Job>;
  /**
   * Undoes an import that kept what it changed, and waits until that is done. Rows that have changed
   * since stay.
   * @throws ConflictError when nothing is kept, or the import is undone already
   */
  undo(id: string, options?: UndoOptions): Promise<UndoneImport>;
  /** Submits the job of an undo, and does not wait for it. */
  submitUndo(id: string, options?: UndoOptions): Promise<Job<UndoneImport | null>>;
  /** How many jobs a change concerns now. */
  count(change: ChangedJobs['change'], chosen: ChosenJobs, options?: CallOptions): Promise<number>;
  /** Cancels all of these jobs by a job, and waits until it has completed. */
  cancelAll(chosen: ChosenJobs, options?: JobOptions): Promise<ChangedJobs>;
  /** Lets all of these jobs wait again that failed or were cancelled. */
  retryAll(chosen: ChosenJobs, options?: JobOptions): Promise<ChangedJobs>;
  /** Moves all of these jobs that wait before the others of their queues; for administrators. */
  firstAll(chosen: ChosenJobs, options?: JobOptions): Promise<ChangedJobs>;
  /** Submits the job of such a change, and does not wait for it. */
  submitChange(
    change: ChangedJobs['change'],
    chosen: ChosenJobs,
    options?: JobOptions,
  ): Promise<Job<ChangedJobs | null>>;
  /** The job with each change until it has ended; goes on where a connection broke. */
  events<Result = unknown>(
    id: string,
    options?: CallOptions,
  ): AsyncGenerator<Job<Result>, void, undefined>;
  /**
   * Waits until the job has completed.
   * @throws the errors of a job that failed; UnprocessableEntityError when it was cancelled
   */
  wait<Result = unknown>(id: string, options?: CallOptions): Promise<Job<Result>>;
  /** The rejected rows of an import, as CSV. */
  errors(id: string, options?: CallOptions): Promise<Response>;
  /** The rows that an import skipped, in the notation of its file, ready to be sent again. */
  rejected(id: string, options?: CallOptions): Promise<Response>;
  /** The file of an export. */
  file(id: string, options?: CallOptions): Promise<Response>;
}

/** Gives the work of a call its name. */
export function jobHeaders({ idempotencyKey, headers, ...options }: JobOptions = {}): CallOptions {
  if (idempotencyKey === undefined) return { ...options, headers };
  return { ...options, headers: { ...headers, 'idempotency-key': idempotencyKey } };
}

/** The same job when it has completed. @throws what it failed by */
export function completed<Result>(job: Job<Result>): Job<Result> {
  if (job.state === 'completed') return job;
  const message = `The job ${job.id} was cancelled.`;
  const cancelled = [{ message, extensions: { code: 'UNPROCESSABLE_ENTITY', state: job.state } }];
  throw errorOf({ status: 0, errors: job.error ?? cancelled });
}

/** The id of the job of an answer, by its `Location`. */
export function jobIdOf(headers: Headers): string {
  return headers.get('location')?.split('/').at(-1) ?? '';
}

export function createJobs(transport: Transport): Jobs {
  const { request, open } = transport;
  const at = (id: string) => `/jobs/${encodeURIComponent(id)}`;

  async function* events<Result>(
    id: string,
    options: CallOptions = {},
  ): AsyncGenerator<Job<Result>, void> {
    const retry = transport.options.retry || {};
    let last: string | null = null;
    for (let failures = 0; ; ) {
      try {
        const headers = { ...options.headers, ...(last !== null && { 'last-event-id': last }) };
        const response = await open('GET', `${at(id)}/events`, { ...options, headers });
        if (response.status === 204) return;
        for await (const event of readEvents(response)) {
          failures = 0;
          last = event.id ?? last;
          const job: Job<Result> = JSON.parse(event.data);
          yield job;
          if (event.event === 'end') return;
        }
      } catch (error) {
        failures += 1;
        const wait = error instanceof SluiceError ? pauseAfter(error, failures, retry) : null;
        if (wait === null) throw error;
        await pause(wait, options.signal);
      }
    }
  }

  const submitChange: Jobs['submitChange'] = async (change, body, options) => {
    const called = jobHeaders(options);
    const headers = { ...called.headers, prefer: 'respond-async' };
    return await request('POST', `/jobs/${change}`, { ...called, headers, body });
  };
  const changeAll =
    (change: ChangedJobs['change']) =>
    async (chosen: ChosenJobs, options?: JobOptions): Promise<ChangedJobs> => {
      const { id } = await submitChange(change, chosen, options);
      return (await jobs.wait<ChangedJobs>(id, jobHeaders(options))).result;
    };

  const submitUndo: Jobs['submitUndo'] = async (id, { dryRun = false, ...options } = {}) => {
    const called = jobHeaders(options);
    const headers = { ...called.headers, prefer: 'respond-async' };
    const query = dryRun ? { dryRun } : {};
    return await request('POST', `${at(id)}/undo`, { ...called, headers, query });
  };

  const jobs: Jobs = {
    list: (query, options) => request('GET', '/jobs', { ...options, query: { ...query } }),
    get: (id, options) => request('GET', at(id), options),
    cancel: (id, options) => request('DELETE', at(id), options),
    retry: (id, options) => request('POST', `${at(id)}/retry`, options),
    first: (id, options) => request('POST', `${at(id)}/first`, options),
    async undo(id, options) {
      const { dryRun: _, ...called } = options ?? {};
      const submitted = await submitUndo(id, options);
      return (await jobs.wait<UndoneImport>(submitted.id, jobHeaders(called))).result;
    },
    submitUndo,
    async count(change, body, options) {
      const counted = { ...options, body, query: { dryRun: true } };
      return (await request<{ jobs: number }>('POST', `/jobs/${change}`, counted)).jobs;
    },
    cancelAll: changeAll('cancel'),
    retryAll: changeAll('retry'),
    firstAll: changeAll('first'),
    submitChange,
    events,
    async wait<Result>(id: string, options?: CallOptions) {
      for await (const job of events<Result>(id, options)) {
        if (job.finished_on !== null) return completed(job);
      }
      return completed(await jobs.get<Result>(id, options));
    },
    errors: (id, options) => open('GET', `${at(id)}/errors`, options),
    rejected: (id, options) => open('GET', `${at(id)}/rejected`, options),
    file: (id, options) => open('GET', `${at(id)}/file`, options),
  };
  return jobs;
}
