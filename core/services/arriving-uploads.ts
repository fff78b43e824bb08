/** Counts the uploads that are arriving: each may take as long as its client likes. */
import type { Caller } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { quotaExceeded } from '#core/errors/service-error.ts';

export class ArrivingUploads {
  readonly #max: number;
  /** Uploads that are arriving, by owner. */
  readonly #arriving = new Map<string, number>();

  /** @param max UPLOADS_MAX_PER_USER */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Receives an upload.
   * @throws ServiceError REQUESTS_EXCEEDED when too many of the same user are arriving here
   */
  async receive<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    const max = this.#max;
    const holder = quotaKeyOf(caller);
    const count = this.#arriving.get(holder) ?? 0;
    if (count >= max) {
      const reason = `Only ${max} uploads may arrive at the same time.`;
      throw quotaExceeded('UPLOADS_MAX_PER_USER', max, reason);
    }
    this.#arriving.set(holder, count + 1);
    try {
      return await work();
    } finally {
      const left = (this.#arriving.get(holder) ?? 1) - 1;
      if (left > 0) this.#arriving.set(holder, left);
      else this.#arriving.delete(holder);
    }
  }
}
