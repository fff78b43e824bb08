/**
 * The maximum number of items that one request may write, including related items and items that it
 * unlinks.
 */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';

export class WriteBudget {
  readonly #limit: number;
  #taken = 0;

  /** @param limit undefined: no limit */
  constructor(limit: number | undefined) {
    this.#limit = limit ?? Number.POSITIVE_INFINITY;
  }

  get left(): number {
    return this.#limit - this.#taken;
  }

  /**
   * Checks that so many items are left, before any of them is processed.
   * @throws ServiceError INVALID_PAYLOAD when too few are left
   */
  require(count: number): void {
    if (count > this.left) this.#refuse();
  }

  /** @throws ServiceError INVALID_PAYLOAD when more items are taken than are left */
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
