/** The resources that one delivery provides to its actor, and releases when it ends. */
import { once } from 'node:events';
import type { Log } from '#core/base/log/log.ts';
import { tellSupervisor } from '#core/base/process/supervised-process.ts';
import type { Connection } from '#core/database/pool.ts';
import type { ClaimedJob } from '#core/jobs/claim.ts';
import { recordBackend } from '#core/jobs/write-job-status.ts';
import type { Services } from '#workers/services.ts';
import type { ActorContext } from './actor.ts';
import type { JobSession } from './job-sessions.ts';
import type { ProgressReporter } from './progress-sender.ts';

export class DeliveryContext implements ActorContext {
  readonly job: ActorContext['job'];
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly services: Services;
  readonly #progress: ProgressReporter;
  readonly #ownsSession: boolean;
  #session: Promise<JobSession> | null;
  #client: Connection | null;

  constructor(
    job: ClaimedJob,
    services: Services,
    log: Log,
    parts: {
      readonly signal: AbortSignal;
      readonly progress: ProgressReporter;
      /** The session is never reused by another job. */
      readonly ownsSession: boolean;
      /** The session that the row of the job already contains; null without one. */
      readonly session: JobSession | null;
    },
  ) {
    const { id, attempt, user, holder, requestId } = job;
    this.job = { id, attempt, user, holder, requestId };
    this.services = services;
    this.log = log;
    this.signal = parts.signal;
    this.#progress = parts.progress;
    this.#ownsSession = parts.ownsSession;
    this.#session = parts.session === null ? null : Promise.resolve(parts.session);
    this.#client = parts.session?.client ?? null;
  }

  /** The connection of its session, even after it has ended; null without one. */
  get client(): Connection | null {
    return this.#client;
  }

  async connect(): Promise<Connection> {
    this.#session ??= this.#open();
    const { client } = await this.#session;
    this.#client = client;
    return client;
  }

  progress(progress: Parameters<ActorContext['progress']>[0]): void {
    this.#progress.report(progress);
  }

  async failpoint(name: string): Promise<void> {
    if (this.services.config.FAILPOINT !== name || this.job.attempt !== 1) return;
    this.log.warn({ failpoint: name }, 'waiting to be killed, or for SIGCONT');
    const continued = once(process, 'SIGCONT');
    tellSupervisor({ type: 'failpoint', name });
    await continued;
  }

  /**
   * Ends the session, if there is one; uncommitted work is rolled back.
   * @param isClean the session has no remaining state, so another job may use it
   */
  async end(isClean = false): Promise<void> {
    const opening = this.#session;
    this.#session = null;
    const session = await opening?.catch(() => null);
    session?.end(isClean);
  }

  /** Shows the job in `pg_stat_activity`. */
  async #name(client: Connection): Promise<void> {
    const name = `sluice job ${this.job.id}`;
    await client.query("SELECT set_config('application_name', $1, false)", [name]);
  }

  async #open(): Promise<JobSession> {
    const { sessions, schema } = this.services;
    const session = await sessions.open(this.signal);
    try {
      await recordBackend(session.client, schema, this.job);
      if (this.#ownsSession) await this.#name(session.client);
      return session;
    } catch (error) {
      session.end();
      throw error;
    }
  }
}
