/**
 * The actions of the monitor's operator on queues and jobs. They use the same services as `/queues`
 * and `/jobs`. The log and the row of the job contain the operator's name.
 */
import { ANONYMOUS, type Caller } from '#core/access/grants.ts';
import type { Log } from '#core/base/log/log.ts';
import type { QueueName } from '#core/jobs/queue.ts';
import type { QueueSwitch } from '#core/jobs/queue-state.ts';
import type { JobService } from '#core/services/jobs.ts';
import type { QueueService } from '#core/services/queues.ts';

/** The operator has all permissions, and is not a user of the API. */
const OPERATOR: Caller = Object.freeze({ ...ANONYMOUS, admin: true });

export interface QueueActionsParts {
  readonly jobs: Pick<JobService, 'retry' | 'cancel'>;
  readonly queues: Pick<QueueService, 'switch'>;
  readonly log: Log;
  /** The name with which the operator signs in. */
  readonly operator: string;
}

export class QueueActions {
  readonly #parts: QueueActionsParts;
  readonly #log: Log;

  constructor(parts: QueueActionsParts) {
    this.#parts = parts;
    this.#log = parts.log.child({ operator: parts.operator });
  }

  /** @throws ServiceError as {@link JobService.retry} */
  async retry(id: string): Promise<void> {
    await this.#parts.jobs.retry(id, OPERATOR, this.#parts.operator);
  }

  /** @throws ServiceError as {@link JobService.cancel} */
  async cancel(id: string): Promise<void> {
    await this.#parts.jobs.cancel(id, OPERATOR, this.#parts.operator);
  }

  /** @throws ServiceError as {@link QueueService.switch} */
  async switch(queue: QueueName, state: QueueSwitch): Promise<void> {
    await this.#parts.queues.switch(queue, state, OPERATOR, this.#parts.operator);
    this.#log.info({ queue, state }, 'the operator changed the state of a queue');
  }
}
