/** Who is at the other end of a connection, now: its credentials may have ended since. */
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
  /** How often something changed that may concern the caller, and how often that was looked at. */
  #doubts = 0;
  #settled = 0;
  #asking: Promise<Caller> | null = null;

  constructor(identity: Pick<Identity, 'again'>, token: string | null, caller: Caller) {
    this.#identity = identity;
    this.#token = token;
    this.#caller = caller;
  }

  /** For whom quotas count it, and memory is held. */
  get holder(): string {
    return quotaKeyOf(this.#caller);
  }

  /** Takes note of changes; whether they may concern the caller. */
  notice(changes: AccessChanges | null): boolean {
    if (!concerns(changes, this.#caller)) return false;
    this.#doubts += 1;
    return true;
  }

  /**
   * The caller; the same object as long as nothing about him changed.
   * @throws ServiceError when the credentials are not valid any more
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
