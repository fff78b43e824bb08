/** What an actor is: one file that names a kind of job and says how one of them is carried out. */
import type * as v from 'valibot';
import type { Connection } from '#core/database/pool.ts';
import type { QueueName } from '#core/jobs/queue.ts';
import type { Log } from '#core/log/log.ts';
import type { JobProgress } from '#core/messages/bus.ts';
import type { Services } from '#workers/services.ts';

/**
 * When the work counts as done, and so what a second delivery may do:
 * - `transactional`: the actor commits its work and its result row together, fenced by the attempt;
 * - `idempotent`: doing it again ends in the same state;
 * - `at least once`: it may happen twice, as with mail.
 */
export type Effect = 'transactional' | 'idempotent' | 'at least once';

/** What one delivery of a message may use. */
export interface ActorContext {
  readonly job: {
    readonly id: string;
    /** 1 for the first delivery. */
    readonly attempt: number;
    readonly user: string | null;
  };
  /** Logs with the job's id in every line. */
  readonly log: Log;
  /** Aborted when the job is cancelled, overdue, or to be given back because the worker drains. */
  readonly signal: AbortSignal;
  readonly services: Services;
  /**
   * A connection for this delivery's work alone. A successor of this delivery ends its session, and
   * so does the runtime when the delivery is over: there is nothing to release.
   */
  connect(): Promise<Connection>;
  /** Reports progress; cheap to call often, sent a few times a second. */
  progress(progress: JobProgress): void;
  /** For tests: stops here for good when the configuration names this place. */
  failpoint(name: string): Promise<void>;
}

/** One kind of job. `Result` is stored as the job's result and must be JSON. */
export interface Actor<Schema extends v.GenericSchema = v.GenericSchema> {
  readonly name: string;
  readonly queue: QueueName;
  readonly message: Schema;
  readonly effect: Effect;
  /** Milliseconds after which a delivery is aborted and the job fails with OUT_OF_TIME. */
  deadline(services: Services): number;
  /**
   * The mailbox that such a message belongs in. Jobs of one mailbox run one at a time, in the order
   * in which they were accepted; null for any order.
   */
  mailbox(message: v.InferOutput<Schema>): string | null;
  /**
   * Does the work. A ServiceError, or several, fail the job for good, and those with a `row` are
   * kept as its rejected rows; any other error is tried again, a TryAgainError saying what the job
   * ends with when that is of no use. A transactional actor calls
   * `completeJob` as the last statement of its transaction; for the others the runtime does.
   */
  receive(message: v.InferOutput<Schema>, context: ActorContext): Promise<unknown>;
}
