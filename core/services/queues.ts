/** Queue administration: list, pause, drain, resume and limit queues; their statistics. */
import type { Caller } from '#core/access/grants.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden, ServiceError } from '#core/base/errors/service-error.ts';
import type { Log } from '#core/base/log/log.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { isOpen } from '#core/jobs/job.ts';
import { QUEUE_NAMES, type QueueName, type Queues } from '#core/jobs/queue.ts';
import { limitQueue, type QueueSwitch, switchQueue } from '#core/jobs/queue-state.ts';
import { type Period, type QueueStatistics, readStatistics } from '#core/jobs/queue-statistics.ts';
import { systemTable } from '#core/model/system/system-table.ts';

export interface QueueServiceOptions {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly queues: Queues;
  readonly log: Log;
}

/** A queue as clients see it. */
export interface QueueView {
  readonly name: QueueName;
  readonly state: QueueSwitch;
  /** The jobs that each worker does at once; null for the configured number. */
  readonly concurrency: number | null;
  /** The time of the first setting or the last switch, ISO-8601 in UTC; null when there was none. */
  readonly changed_on: string | null;
  /** The user that changed it last; null for an operator. */
  readonly changed_by: string | null;
  /** The operator of the monitor that changed it last; null for users. */
  readonly operator: string | null;
  /** Jobs by state. */
  readonly waiting: number;
  readonly running: number;
}

function queueName(name: string): QueueName {
  const found = QUEUE_NAMES.find((known) => known === name);
  if (found === undefined) throw forbidden();
  return found;
}

export class QueueService {
  readonly #options: QueueServiceOptions;

  constructor(options: QueueServiceOptions) {
    this.#options = options;
  }

  /** All queues. */
  async list(): Promise<readonly QueueView[]> {
    const { pool, schema } = this.#options;
    const { rows } = await pool.query<QueueView>(
      render(sql`SELECT q.name, coalesce(s.state, 'running') AS state, s.concurrency,
          s.changed_by, s.operator,
          to_char(s.changed_on AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS changed_on,
          coalesce(j.waiting, 0)::float8 AS waiting, coalesce(j.running, 0)::float8 AS running
        FROM unnest(${[...QUEUE_NAMES]}::text[]) WITH ORDINALITY AS q(name, place)
          LEFT JOIN ${systemTable(schema, 'queues')} AS s USING (name)
          LEFT JOIN (SELECT queue, count(*) FILTER (WHERE state = 'waiting') AS waiting,
              count(*) FILTER (WHERE state = 'running') AS running
            FROM ${systemTable(schema, 'jobs')} WHERE ${isOpen} GROUP BY queue) AS j
            ON j.queue = q.name
        ORDER BY q.place`),
    );
    return rows;
  }

  /** The recorded statistics of a period, and the present state. */
  async statistics(period: Period): Promise<QueueStatistics> {
    return await readStatistics(this.#options.pool, this.#options.schema, period);
  }

  /**
   * Pauses, drains or resumes a queue; running jobs continue.
   * @param operator the name of the operator of the monitor; null for users
   * @throws ServiceError FORBIDDEN when there is no such queue
   */
  async switch(
    name: string,
    state: QueueSwitch,
    caller: Caller,
    operator: string | null = null,
  ): Promise<QueueView> {
    const { pool, schema, queues, log } = this.#options;
    const known = queueName(name);
    await switchQueue(pool, schema, { name: known, state, user: caller.user, operator });
    log.info({ queue: known, state, user: caller.user }, 'the state of a queue was changed');
    // Workers read the switch for each job; this only saves deliveries, and the reconciler does it
    // too.
    await queues
      .get(known)
      .setPaused(state === 'paused')
      .catch((error: unknown) =>
        log.warn({ err: error }, 'could not notify the server of a queue'),
      );
    return await this.#view(known);
  }

  /**
   * Sets how many jobs of a queue each worker does at once; running jobs continue. Workers apply it
   * within seconds.
   * @param concurrency null for the configured number
   * @throws ServiceError FORBIDDEN when there is no such queue, UNPROCESSABLE_ENTITY for `schema`
   */
  async limit(name: string, concurrency: number | null, { user }: Caller): Promise<QueueView> {
    const { pool, schema, log } = this.#options;
    const known = queueName(name);
    if (known === 'schema') {
      throw new ServiceError('UNPROCESSABLE_ENTITY', { reason: reason('schema_queue_serial') });
    }
    await limitQueue(pool, schema, { name: known, concurrency, user, operator: null });
    log.info({ queue: known, concurrency, user }, 'the concurrency of a queue was changed');
    return await this.#view(known);
  }

  async #view(name: QueueName): Promise<QueueView> {
    const shown = (await this.list()).find((queue) => queue.name === name);
    if (shown === undefined) throw forbidden();
    return shown;
  }
}
