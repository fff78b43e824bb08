/** How many items one request may write, related ones and those that lists let go counted. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';

export class WriteBudget {
  readonly #limit: number;
  #taken = 0;

  /** @param limit undefined: no bound */
  constructor(limit: number | undefined) {
    this.#limit = limit ?? Number.POSITIVE_INFINITY;
  }

  get left(): number {
    return this.#limit - this.#taken;
  }

  /**
   * Looks whether so many are left, before each of them is looked at.
   * @throws ServiceError INVALID_PAYLOAD when they are not
   */
  require(count: number): void {
    if (count > this.left) this.#refuse();
  }

  /** @throws ServiceError INVALID_PAYLOAD when these are more than are left */
  take(count: number): void {
    this.#taken += count;
    if (this.#taken > this.#limit) this.#refuse();
  }

  #refuse(): never {
    const limit = this.#limit;
    throw invalidPayload(reason('too_many_items_written', { limit }), {
      limit,
      variable: 'MAX_BATCH_MUTATION',
    });
  }
}
