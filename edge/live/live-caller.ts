/** The current caller of a connection, whose credentials may have expired since it was opened. */
import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import type { Identity } from '#core/accounts/identity/identity.ts';
import type { AccessChanges } from '#core/model/catalog/access-changes.ts';
import { concerns } from '#edge/streams/revoked-streams.ts';

export class LiveCaller {
  readonly #identity: Pick<Identity, 'again'>;
  readonly #token: string | null;
  #caller: Caller;
  /** The number of changes that may affect the caller, and the number of those already checked. */
  #doubts = 0;
  #settled = 0;
  #asking: Promise<Caller> | null = null;

  constructor(identity: Pick<Identity, 'again'>, token: string | null, caller: Caller) {
    this.#identity = identity;
    this.#token = token;
    this.#caller = caller;
  }

  /** The account for quotas and reserved memory. */
  get holder(): string {
    return quotaKeyOf(this.#caller);
  }

  /**
   * Records changes.
   * @returns whether they may affect the caller
   */
  notice(changes: AccessChanges | null): boolean {
    if (!concerns(changes, this.#caller)) return false;
    this.#doubts += 1;
    return true;
  }

  /**
   * The caller; the same object while it is unchanged.
   * @throws ServiceError when the credentials are no longer valid
   */
  async current(): Promise<Caller> {
    if (this.#settled === this.#doubts) return this.#caller;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return await this.#asking;
  }

  async #ask(): Promise<Caller> {
    for (;;) {
      const doubts = this.#doubts;
      const caller = await this.#identity.again(this.#caller, this.#token);
      if (doubts !== this.#doubts) continue;
      this.#settled = doubts;
      if (!isDeepStrictEqual(caller, this.#caller)) this.#caller = caller;
      return this.#caller;
    }
  }
}
