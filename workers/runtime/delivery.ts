/**
 * One delivery of a job from its claim to its outcome. `queue-consumer.ts` translates the outcome
 * for the queue.
 */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { secretsOf, withoutSecrets } from '#core/base/config/redact-secrets.ts';
import type { Config } from '#core/base/config/variables.ts';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError, ServiceErrors, unavailable } from '#core/base/errors/service-error.ts';
import type { Log } from '#core/base/log/log.ts';
import { metrics } from '#core/base/metrics/metrics.ts';
import { inJobSpan } from '#core/base/tracing/span.ts';
import { isLostSession, isTransient } from '#core/database/failure.ts';
import { whenReachable } from '#core/database/reachable.ts';
import { render, sql } from '#core/database/sql.ts';
import { StorageUnreachable } from '#core/files/storage/storage.ts';
import { type Claim, type ClaimedJob, claimJob, type ReadableVersions } from '#core/jobs/claim.ts';
import { nextAsJson, type QueueableJob, wake, wakeNext } from '#core/jobs/mailbox.ts';
import {
  cancelJob,
  completeJob,
  endBackend,
  failJob,
  giveBack,
  giveBackAfterOutage,
  SupersededError,
} from '#core/jobs/write-job-status.ts';
import type { JobProgress } from '#core/messaging/bus.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { removeSurplusFiles } from '#core/services/file-retention.ts';
import { discardUpload } from '#core/transfer/upload.ts';
import type { Services } from '#workers/services.ts';
import type { Actor } from './actor.ts';
import { DeliveryContext } from './delivery-context.ts';
import { Interruption, interruptionOf } from './interruption-reason.ts';
import type { JobSession } from './job-sessions.ts';
import { ProgressReporter } from './progress-sender.ts';
import { RetryableError } from './retryable-error.ts';
import type { RunningDeliveries } from './running-deliveries.ts';
import { countStall } from './stall.ts';

/** Time that an actor has to react to its signal; afterwards it is no longer awaited. */
const HEED_WITHIN_MS = 900;
/** A job that waits for its storage is retried as rarely as a job that has waited long. */
const LATE_MS = 20_000;
/** How long (ms) attempts that end with their session are attributed to outages. */
const OUTAGES_MS = 3_600_000;
/** Pauses (ms) after such an attempt: a short one after the first, and twice as long each time. */
const AFTER_OUTAGE_MS = { first: 100, most: 2_000 };
/** After one session is lost, the server notifies the others of a crash within this time (ms). */
const TOLD_WITHIN_MS = 500;

/**
 * How a delivery ended:
 * - `done`: the job has ended, or another delivery has taken it over;
 * - `cancelled`: it has ended because a user cancelled it;
 * - `failed`: it has failed, with errors;
 * - `retry`: it waits for another attempt;
 * - `back`: it was returned unfinished and may be delivered immediately;
 * - `elsewhere`: it needs a storage that this process cannot access; `age` in milliseconds;
 * - `outage`: an outage of the database ended it, which costs no attempt; `pause` in milliseconds;
 * - `aside`: another job comes first; `mailbox` is null when this process already runs this job.
 */
export type Outcome =
  | { readonly kind: 'done'; readonly superseded?: true }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly reason: string; readonly level: 'warn' | 'error' }
  | { readonly kind: 'retry' }
  | { readonly kind: 'back' }
  | { readonly kind: 'aside'; readonly mailbox: string | null }
  | { readonly kind: 'elsewhere'; readonly age: number }
  | { readonly kind: 'outage'; readonly pause: number };

const ENDED: ReadonlySet<Outcome['kind']> = new Set(['done', 'cancelled', 'failed']);

/** The outcome's name in the log and the metrics. */
function nameOf(outcome: Outcome): string {
  if (outcome.kind !== 'done') return outcome.kind;
  return outcome.superseded === true ? 'superseded' : 'done';
}

/** The log entry for the end of a delivery; `failed` has its own level. */
function ending(outcome: Outcome) {
  if (outcome.kind !== 'failed') return { level: 'info', outcome: nameOf(outcome) } as const;
  return { level: outcome.level, outcome: outcome.kind, codes: outcome.reason };
}

/** The queue's data for a delivery. */
export interface QueuedJob {
  readonly id: string;
  readonly kind: string;
  /** True when an error now fails the job. */
  readonly lastAttempt: boolean;
  readonly storeProgress: (progress: JobProgress) => Promise<void>;
}

/** The row of a job after its actor has ended. */
interface RecordedJob {
  readonly state: string;
  readonly attempt: number;
  readonly progress: JobProgress | null;
  /** The next job of its mailbox. */
  readonly next: QueueableJob | null;
}

/** The recorded data of a completed job. */
type Confirmed = Pick<RecordedJob, 'progress'> & Partial<Pick<RecordedJob, 'next'>>;

/** The errors of a failed job; null when a retry may succeed. */
function finalErrors(error: unknown): readonly ServiceError[] | null {
  if (error instanceof ServiceErrors) return error.errors;
  return error instanceof ServiceError ? [error] : null;
}

/** The error that a job ends with when its last attempt fails with a retryable error. */
function lastErrorOf(error: unknown, actor: Actor | undefined, config: Config): ServiceError {
  if (error instanceof RetryableError) return error.last;
  // Only administrators change the schema, and they may see internal errors.
  const revealing = actor?.queue === 'schema' && error instanceof Error;
  if (!revealing && isTransient(error)) {
    return unavailable('database', reason('database_unreachable'));
  }
  if (!revealing) return new ServiceError('INTERNAL_SERVER_ERROR');
  const message = withoutSecrets(error.message, secretsOf(config));
  return new ServiceError('INTERNAL_SERVER_ERROR', {
    reason: reason('internal_error_message', { message }),
  });
}

/**
 * Whether the job lost its session, which is not the fault of the job unless it caused the loss.
 */
function isOutage(error: unknown): boolean {
  return isLostSession(error) || (error instanceof Error && isLostSession(error.cause));
}

/** Whether the storage was unavailable, which is not the fault of the job. */
function isWithoutStorage(error: unknown): boolean {
  if (error instanceof StorageUnreachable) return true;
  return error instanceof Error && error.cause instanceof StorageUnreachable;
}

/** Throws the error that fails a job whose message is invalid. */
function parseMessage(actor: Actor, job: ClaimedJob) {
  const result = v.safeParse(actor.message, job.message);
  if (result.success) return result.output;
  const path = v.getDotPath(result.issues[0]) ?? 'message';
  throw new ServiceError('UNPROCESSABLE_ENTITY', {
    reason: reason('message_version_unknown', {
      version: job.messageVersion,
      kind: job.kind,
      path,
    }),
  });
}

/** Runs the actor; does not wait for an actor that ignores its signal. */
async function receive(actor: Actor, job: ClaimedJob, context: DeliveryContext): Promise<unknown> {
  const message = parseMessage(actor, job);
  assert.equal(actor.mailbox(message), job.mailbox, 'the job is not in the mailbox of its actor');
  const { signal } = context;
  const unheeded = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => unheeded.reject(signal.reason), HEED_WITHIN_MS);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([actor.receive(message, context), unheeded.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    clearTimeout(timer);
  }
}

export interface DelivererOptions {
  readonly running: RunningDeliveries;
  /** Aborted when the worker drains: waits for the database end. */
  readonly stopping: AbortSignal;
  /** The storage that this worker can use now. */
  readonly reachedStorage: () => string | null;
}

export class Deliverer {
  readonly #services: Services;
  readonly #actors: ReadonlyMap<string, Actor>;
  readonly #readable: ReadableVersions;
  readonly #running: RunningDeliveries;
  readonly #reachedStorage: () => string | null;
  readonly #stopping: AbortSignal;

  constructor(services: Services, actors: readonly Actor[], options: DelivererOptions) {
    this.#services = services;
    this.#actors = new Map(actors.map((actor) => [actor.name, actor]));
    this.#readable = Object.fromEntries(actors.map(({ name, version }) => [name, version]));
    this.#running = options.running;
    this.#reachedStorage = options.reachedStorage;
    this.#stopping = options.stopping;
  }

  /**
   * Throws only when the database is unavailable; the job then stays open and is delivered again.
   */
  async deliver(queued: QueuedJob): Promise<Outcome> {
    const { spool, log } = this.#services;
    // The queue considered this process dead, but it still runs the job, which must not start
    // twice.
    if (this.#running.has(queued.id)) return { kind: 'aside', mailbox: null };
    const { claim, session } = await this.#claim(queued);
    switch (claim.outcome) {
      case 'gone':
        log.warn({ job: queued.id }, 'the queue delivered a job that is not recorded');
        return { kind: 'done' };
      case 'aside':
        return { kind: 'aside', mailbox: claim.mailbox };
      case 'elsewhere':
        return { kind: 'elsewhere', age: claim.age };
      case 'ended':
        if (claim.now) log.info({ job: queued.id, outcome: 'cancelled' }, 'job ends');
        // The upload of a failed job remains for a retry.
        if (claim.state !== 'failed') await discardUpload(spool, claim.message, log);
        await this.#announce(queued.id, claim.mailbox, log);
        return { kind: 'done' };
      case 'claimed':
        return await this.#runTraced(claim.job, queued, session);
    }
  }

  /**
   * Claims the job in the session of its work if possible, so that the session need not be recorded
   * later.
   * @returns the session, only when the row of the job contains it
   */
  async #claim({ id, kind }: QueuedJob): Promise<{ claim: Claim; session: JobSession | null }> {
    const { pool, schema, sessions } = this.#services;
    const takes = this.#actors.get(kind)?.reusesSession === true;
    const session = takes ? await sessions.openIfFree() : null;
    try {
      const claim = await claimJob(pool, schema, id, {
        readable: this.#readable,
        session: session?.client ?? null,
        storage: this.#reachedStorage(),
      });
      if (claim.outcome === 'claimed' && claim.isOnSession) return { claim, session };
      session?.end(true);
      return { claim, session: null };
    } catch (error) {
      session?.end();
      throw error;
    }
  }

  async #runTraced(job: ClaimedJob, queued: QueuedJob, session: JobSession | null) {
    const queue = this.#actors.get(job.kind)?.queue ?? 'unknown';
    return await inJobSpan({ ...job, queue }, () => this.#run(job, queued, session), nameOf);
  }

  async #run(job: ClaimedJob, queued: QueuedJob, session: JobSession | null): Promise<Outcome> {
    const { id, attempt, kind, requestId } = job;
    const services = this.#services;
    const log = services.log.child({
      ...{ job: id, kind, attempt },
      ...(requestId === null ? {} : { request: requestId }),
    });
    const actor = this.#actors.get(kind);
    assert(actor !== undefined, 'only jobs of known kinds are claimed');
    const delivery = { id, attempt };
    const controller = this.#running.add(delivery);
    const deadline = actor.deadline(services);
    const timer = setTimeout(() => controller.abort(new Interruption('overdue')), deadline);
    const { bus } = services;
    const progress = new ProgressReporter({
      ...{ ...delivery, bus, log },
      store: queued.storeProgress,
      moved: () => this.#running.moved(delivery),
    });
    const context = new DeliveryContext(job, services, log, {
      signal: controller.signal,
      progress,
      ownsSession: actor.reusesSession !== true,
      session,
    });
    const since = performance.now();
    let outcome: Outcome;
    let confirmed: Confirmed | null = null;
    try {
      log.info('job begins');
      // The job may need a newer catalog than the one that this process has; it refreshes first.
      if (services.catalog.current().version < job.catalog) await services.catalog.look();
      const result = await receive(actor, job, context);
      confirmed = await this.#confirm(actor, job, { result, progress: progress.latest });
      // The row no longer contains the session, so no later delivery of this job ends it. A
      // delivery that read the row just before may still do so; then the job that reuses the
      // session is retried.
      if (actor.reusesSession) await context.end(true);
      outcome = { kind: 'done' };
    } catch (error) {
      clearTimeout(timer);
      await context.end();
      const isCause = await this.#isCause(error, context.client, since);
      const end = {
        reason: interruptionOf(controller.signal),
        ...{ deadline, isCause, log },
        lastAttempt: queued.lastAttempt,
      };
      // The result is recorded as soon as the database is available.
      outcome = await whenReachable(log, () => this.#settle(job, error, end), this.#stopping);
    } finally {
      clearTimeout(timer);
      progress.stop();
      this.#running.remove(delivery);
      await context.end();
    }
    if (!isDeepStrictEqual(confirmed?.progress ?? null, progress.latest)) {
      await this.#keepProgress(job, progress.latest, log);
    }
    const duration = Math.round(performance.now() - since);
    metrics
      .histogram('sluice_job_duration_seconds', {
        kind: actor === undefined ? 'unknown' : kind,
        outcome: nameOf(outcome),
      })
      .observe(duration / 1_000);
    const { level, ...facts } = ending(outcome);
    log[level]({ ...facts, duration }, 'job ends');
    if (ENDED.has(outcome.kind)) {
      await this.#announce(id, job.mailbox, log, confirmed?.next);
    }
    return outcome;
  }

  /** Ensures that the result is recorded; transactional actors record it themselves. */
  async #confirm(
    actor: Actor,
    job: ClaimedJob,
    { result, progress }: { readonly result: unknown; readonly progress: JobProgress | null },
  ): Promise<Confirmed> {
    const { pool, schema } = this.#services;
    if (actor.effect !== 'transactional') {
      // A client that is notified of the end also reads the last progress.
      await completeJob(pool, schema, job, result, { progress });
      return { progress };
    }
    const { rows } = await pool.query<RecordedJob>(
      render(sql`SELECT state, attempt, progress, ${nextAsJson(schema, job.mailbox)} AS next
        FROM ${systemTable(schema, 'jobs')} WHERE id = ${job.id}`),
    );
    const [row] = rows;
    if (row?.attempt !== job.attempt) throw new SupersededError(job);
    assert.equal(row.state, 'completed', 'a transactional actor did not complete its job');
    return row;
  }

  /** Whether a statement of this delivery crashed the PostgreSQL server. */
  async #isCause(error: unknown, client: object | null, since: number): Promise<boolean> {
    if (client === null || !isOutage(error)) return false;
    await delay(TOLD_WITHIN_MS, undefined, { signal: this.#stopping }).catch(() => undefined);
    return this.#services.crashes.isCause(client, since);
  }

  /** Records the end of a delivery that did not complete its job. */
  async #settle(
    job: ClaimedJob,
    error: unknown,
    end: {
      readonly reason: Interruption['reason'] | null;
      readonly deadline: number;
      readonly isCause: boolean;
      readonly lastAttempt: boolean;
      readonly log: Log;
    },
  ): Promise<Outcome> {
    const { config, pool, schema, spool } = this.#services;
    // Its transaction must be over before another delivery begins.
    await endBackend(pool, schema, job);
    const { reason, log } = end;
    const superseded = (): Outcome => {
      log.warn({ err: error }, 'the delivery was superseded');
      countStall('superseded');
      return { kind: 'done', superseded: true };
    };
    if (reason === 'superseded') return superseded();
    if (reason === 'cancelled' || error instanceof SupersededError) {
      const cancelled = await cancelJob(pool, schema, job);
      if (!cancelled) return superseded();
      await discardUpload(spool, job.message, log);
      return { kind: 'cancelled' };
    }
    if (reason === 'draining') {
      return (await giveBack(pool, schema, job, 'Its worker was stopped.'))
        ? { kind: 'back' }
        : superseded();
    }
    if (reason === 'overdue') countStall('overdue');
    if (reason === null && !end.isCause && isOutage(error)) {
      log.warn({ err: error }, 'a database outage ended the attempt');
      const { message } = lastErrorOf(error, this.#actors.get(job.kind), config);
      const bound = { reason: message, within: OUTAGES_MS };
      const lost = await giveBackAfterOutage(pool, schema, job, bound);
      if (lost === 'superseded') return superseded();
      const { first, most } = AFTER_OUTAGE_MS;
      if (lost !== 'late')
        return { kind: 'outage', pause: Math.min(most, first * 2 ** (lost - 1)) };
    }
    if (reason === null && isWithoutStorage(error)) {
      // The job is not at fault, so this costs no attempt, however long the outage lasts.
      log.warn({ err: error }, 'the job waits for the storage');
      const open = await giveBack(pool, schema, job, 'The storage of files could not be used.');
      return open ? { kind: 'elsewhere', age: LATE_MS } : superseded();
    }
    const details = { category: job.kind, duration: end.deadline };
    const errors =
      reason === 'overdue' ? [new ServiceError('OUT_OF_TIME', details)] : finalErrors(error);
    if (errors === null) {
      log.error({ err: error }, 'the attempt failed');
      if (!end.lastAttempt) {
        const last = lastErrorOf(error, this.#actors.get(job.kind), config);
        const open = await giveBack(pool, schema, job, last.message);
        return open ? { kind: 'retry' } : superseded();
      }
    }
    const entries = (errors ?? [lastErrorOf(error, this.#actors.get(job.kind), config)]).map(
      (one) => one.toJSON(),
    );
    if (!(await failJob(pool, schema, job, entries))) return superseded();
    await this.#limitFiles(job, log);
    const codes = new Set(entries.map(({ extensions }) => extensions.code));
    const level = errors === null ? 'error' : 'warn';
    return { kind: 'failed', reason: [...codes].join(', '), level };
  }

  /** The uploads of failed jobs remain for retries, but their number is limited. */
  async #limitFiles({ holder }: ClaimedJob, log: Log): Promise<void> {
    const { config, pool, schema, spool } = this.#services;
    try {
      const limits = { keep: config.JOB_FILES_MAX, bytes: config.SPOOL_MAX_PER_USER };
      await removeSurplusFiles({ pool, schema, spool }, { holder, ...limits });
    } catch (error) {
      log.warn({ err: error }, 'could not remove files of ended jobs');
    }
  }

  async #keepProgress(job: ClaimedJob, progress: JobProgress | null, log: Log): Promise<void> {
    if (progress === null) return;
    try {
      const orm = await this.#services.orm.open();
      const { id, attempt } = job;
      await orm.fork().nativeUpdate(orm.entity('system_jobs'), { id, attempt }, { progress });
    } catch (error) {
      log.warn({ err: error }, 'could not save the last progress');
    }
  }

  /**
   * Announces that a job has ended, so that waiting clients are answered sooner.
   * @param next the next job of the mailbox; looked up when omitted
   */
  async #announce(
    id: string,
    mailbox: string | null,
    log: Log,
    next?: QueueableJob | null,
  ): Promise<void> {
    const { bus, pool, schema, queues } = this.#services;
    try {
      await bus.publish('job.finished', { id }).catch((error: unknown) => {
        log.warn({ err: error }, 'could not announce the end of a job');
      });
      // The next job waits no longer than the outage.
      const wakes = async () => {
        if (next === undefined) await wakeNext(pool, schema, queues, mailbox);
        else if (next !== null) await wake(queues, next);
      };
      await whenReachable(log, wakes, this.#stopping);
    } catch (error) {
      log.warn({ err: error }, 'could not wake the next job');
    }
  }
}
