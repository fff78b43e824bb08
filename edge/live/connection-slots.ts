/**
 * Limits the connections of one protocol on an edge. A holder may have as many as its own limit
 * allows. Connections before login have a small separate share. When it is full, the oldest
 * connection of the address with the most makes room for the next. So a client that logs in
 * immediately is always admitted. No `FairSemaphore`: it never takes a permit back.
 */

import { reason } from '#core/base/errors/reason.ts';
import { forbidden, quotaExceeded, type ServiceError } from '#core/base/errors/service-error.ts';
import { type Hold, HolderBudget } from '#core/base/holders/budget.ts';

/**
 * The divisors for connections that wait for a login: their part of all connections, and the part
 * of one address.
 */
const WAITING_PART = 10;
const ADDRESS_PART = 2;

export interface ConnectionSlotsOptions {
  /** Maximum number of connections. */
  readonly limit: number;
  /** The variable that sets it. */
  readonly limitName: string;
  /** Maximum that may wait for a login; by default a tenth of all. */
  readonly mostWaiting?: number;
  /** @throws ServiceError when the holder has reached its limit of connections */
  readonly requireRoom: (holder: string) => void;
}

/** The slot of one connection. */
export interface ConnectionSlot {
  /**
   * Sets a callback for the loss of the slot to another connection; called immediately if it is
   * already lost.
   * @param leave ends the connection
   */
  onLost(leave: (reason: ServiceError) => void): void;
  /**
   * Assigns the connection to a holder that has logged in.
   * @throws ServiceError FORBIDDEN, REQUESTS_EXCEEDED when the holder has reached its limit, or the
   *   slot is lost
   */
  settle(holder: string): void;
  /** Releases the slot; later calls do nothing. */
  release(): void;
}

interface Waiter {
  lose: (reason: ServiceError) => void;
}

export class ConnectionSlots {
  readonly #options: ConnectionSlotsOptions;
  readonly #most: number;
  readonly #mostOfAddress: number;
  readonly #settled: HolderBudget;
  /** By address, the oldest first. */
  readonly #waiting = new Map<string, Set<Waiter>>();
  #waitingCount = 0;

  constructor(options: ConnectionSlotsOptions) {
    const { limit, mostWaiting = limit } = options;
    this.#options = options;
    this.#most = Math.max(1, Math.min(mostWaiting, Math.floor(limit / WAITING_PART)));
    this.#mostOfAddress = Math.max(1, Math.floor(this.#most / ADDRESS_PART));
    this.#settled = new HolderBudget({
      total: Math.max(1, limit - this.#most),
      refusal: () => this.#full(),
    });
  }

  /** The number of connections of a holder. */
  takenBy(holder: string): number {
    return this.#settled.takenBy(holder);
  }

  /** A slot for a connection that has not logged in, for a client address. */
  wait(address: string): ConnectionSlot {
    let lost: ServiceError | null = null;
    let leave: ((reason: ServiceError) => void) | null = null;
    const waiter: Waiter = {
      lose(reason) {
        lost = reason;
        leave?.(reason);
      },
    };
    this.#admit(address, waiter);
    const settled = this.#settling();
    return {
      onLost(callback) {
        leave = callback;
        if (lost !== null) leave(lost);
      },
      settle: (holder) => {
        if (lost !== null) throw lost;
        settled.settle(holder);
        this.#remove(address, waiter);
      },
      release: () => {
        settled.release();
        this.#remove(address, waiter);
      },
    };
  }

  /**
   * A slot for a connection of a holder.
   * @throws ServiceError FORBIDDEN, REQUESTS_EXCEEDED when the holder has reached its limit
   */
  take(holder: string): ConnectionSlot {
    const settled = this.#settling();
    settled.settle(holder);
    return { ...settled, onLost: () => undefined };
  }

  /** A slot that may change its holder. */
  #settling(): Pick<ConnectionSlot, 'settle' | 'release'> {
    let hold: Hold | null = null;
    let owner: string | null = null;
    let isOver = false;
    return {
      settle: (holder) => {
        // A client may disconnect while its login is checked.
        if (isOver || owner === holder) return;
        this.#options.requireRoom(holder);
        const next = this.#settled.take(holder, 1);
        hold?.release();
        [hold, owner] = [next, holder];
      },
      release: () => {
        isOver = true;
        hold?.release();
      },
    };
  }

  #full(): ServiceError {
    const { limit, limitName } = this.#options;
    return forbidden(reason('too_many_connections', { limit, limitName }));
  }

  #admit(address: string, waiter: Waiter): void {
    const own = this.#waiting.get(address) ?? new Set<Waiter>();
    this.#waiting.set(address, own);
    own.add(waiter);
    this.#waitingCount += 1;
    if (own.size > this.#mostOfAddress) this.#evict(address, own);
    else if (this.#waitingCount > this.#most) this.#evictFromMost();
  }

  #evictFromMost(): void {
    let most: readonly [string, Set<Waiter>] | null = null;
    for (const entry of this.#waiting) {
      if (most === null || entry[1].size > most[1].size) most = entry;
    }
    if (most !== null) this.#evict(...most);
  }

  #evict(address: string, waiters: ReadonlySet<Waiter>): void {
    const [oldest] = waiters;
    if (oldest === undefined) return;
    this.#remove(address, oldest);
    const why = reason('connection_not_logged_in');
    oldest.lose(quotaExceeded(this.#options.limitName, this.#most, why));
  }

  #remove(address: string, waiter: Waiter): void {
    const own = this.#waiting.get(address);
    if (own === undefined || !own.delete(waiter)) return;
    this.#waitingCount -= 1;
    if (own.size === 0) this.#waiting.delete(address);
  }
}
