/**
 * A connection of the pool that is lent to one reader. When the reader goes away its statement is
 * cancelled and the connection given up, whatever else still happens to it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { cancelStatement } from './cancel.ts';
import type { Connection, Pool } from './pool.ts';

/**
 * Pauses (ms) before the cancellation is sent again: it may have overtaken the statement, which
 * then runs although nobody is connected any more. Sent for a session that has ended it does nothing.
 */
const AGAIN_MS = [100, 400, 1_000];

export class Loan {
  readonly client: Connection;
  readonly #signal: AbortSignal | undefined;
  #returned = false;
  #cancelled = false;

  /**
   * Takes a connection out.
   * @throws {Error} the signal's reason when it is aborted by then
   */
  static async take(pool: Pool, signal: AbortSignal | undefined): Promise<Loan> {
    signal?.throwIfAborted();
    const client = await pool.connect();
    if (signal?.aborted) client.release();
    signal?.throwIfAborted();
    return new Loan(client, signal);
  }

  private constructor(client: Connection, signal: AbortSignal | undefined) {
    this.client = client;
    this.#signal = signal;
    signal?.addEventListener('abort', this.abandon);
  }

  /** Whoever goes away may never ask again, so that this alone ends all. */
  readonly abandon = async (): Promise<void> => {
    if (!this.#return()) return;
    await cancelStatement(this.client);
    this.client.release(true);
    for (const pause of AGAIN_MS) {
      await delay(pause, undefined, { ref: false });
      await cancelStatement(this.client);
    }
  };

  /** Has the server refuse to go on with the statement: what it says of that is still read. */
  readonly cancel = (): void => {
    this.#cancelled = true;
    void cancelStatement(this.client);
  };

  /** @param good it serves others; false when it broke or something is left on it */
  giveBack(good: boolean): void {
    // A cancellation that comes late would strike the next one's statement.
    if (this.#return()) this.client.release(!good || this.#cancelled);
  }

  /** True the first time. */
  #return(): boolean {
    if (this.#returned) return false;
    this.#returned = true;
    this.#signal?.removeEventListener('abort', this.abandon);
    return true;
  }
}
