/** The interface of an actor: one file that declares a kind of job and runs such jobs. */
import type * as v from 'valibot';
import type { Log } from '#core/base/log/log.ts';
import type { Connection } from '#core/database/pool.ts';
import type { QueueName } from '#core/jobs/queue.ts';
import type { JobProgress } from '#core/messaging/bus.ts';
import type { Services } from '#workers/services.ts';

/**
 * When the work counts as done, and therefore the effect of a second delivery:
 * - `transactional`: the actor commits its work together with the result, guarded by the attempt;
 * - `idempotent`: repeating it leads to the same state;
 * - `at least once`: it may happen twice, as with e-mail.
 */
export type Effect = 'transactional' | 'idempotent' | 'at least once';

/** The data and functions that an actor can use during one delivery. */
export interface ActorContext {
  readonly job: {
    readonly id: string;
    /** 1 for the first delivery. */
    readonly attempt: number;
    readonly user: string | null;
    /** The account whose quotas count the job. */
    readonly holder: string | null;
    /** The id of the request that submitted it; null without one. */
    readonly requestId: string | null;
  };
  /** Logs with the ids of the job and of its request in every line. */
  readonly log: Log;
  /**
   * Aborted when the job is cancelled, exceeds its deadline, or is returned because the worker
   * drains.
   */
  readonly signal: AbortSignal;
  readonly services: Services;
  /**
   * A connection for this delivery alone. The actor does not release it. The runtime ends its
   * session after the delivery, and a later delivery ends it when this one hangs.
   */
  connect(): Promise<Connection>;
  /** Reports progress. It is cheap to call often and sends a few times a second. */
  progress(progress: JobProgress): void;
  /** For tests: stops here until SIGCONT when FAILPOINT names this position. */
  failpoint(name: string): Promise<void>;
}

/** One kind of job. `Result` is stored as the job's result and must be JSON. */
export interface Actor<Schema extends v.GenericSchema = v.GenericSchema> {
  readonly name: string;
  readonly queue: QueueName;
  readonly message: Schema;
  /**
   * The latest supported version of its message; jobs with later versions wait for workers of later
   * releases.
   */
  readonly version: number;
  readonly effect: Effect;
  /**
   * Its transaction leaves no state in the session, so that another job may reuse it. Settings are
   * local to the transaction, and locks end with it.
   */
  readonly reusesSession?: true;
  /** Milliseconds after which a delivery is aborted and the job fails with OUT_OF_TIME. */
  deadline(services: Services): number;
  /**
   * The mailbox of a message. Jobs of one mailbox run one at a time, in the order in which they
   * were accepted; null for any order.
   */
  mailbox(message: v.InferOutput<Schema>): string | null;
  /**
   * Does the work. A ServiceError, or several, fail the job; those with a `row` are stored as
   * rejected rows. Any other error is retried; a RetryableError contains the errors for the last
   * attempt. A transactional actor calls `completeJob` as the last statement of its transaction;
   * for other actors the runtime does.
   */
  receive(message: v.InferOutput<Schema>, context: ActorContext): Promise<unknown>;
}
