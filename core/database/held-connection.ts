/**
 * A pool connection that one request uses exclusively. When the client disconnects, or the time is
 * over, its statement is cancelled. The connection counts as in use until the server has ended the
 * statement.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { cancelStatement } from './cancel.ts';
import type { Connection } from './pool.ts';

/**
 * Pauses (ms) before the cancellation is sent again, because it may have overtaken the statement.
 * The last one repeats while the backend runs.
 */
const PAUSES_MS = [100, 400, 1_000, 5_000];

export interface HeldConnectionOptions {
  readonly signal: AbortSignal | undefined;
  /** Called once, when the connection is free again or closed. */
  readonly onEnd: () => void;
  /** Called when the connection no longer counts towards the shared ones. */
  readonly onOutgrow: () => void;
  /** Called after the cancel request, before the server has ended the statement. */
  readonly onAbandon: () => void;
}

export class HeldConnection {
  readonly client: Connection;
  readonly #options: HeldConnectionOptions;
  /** The current work on the connection. */
  #running: Promise<unknown> | null = null;
  #ended = false;
  #cancelled = false;

  constructor(client: Connection, options: HeldConnectionOptions) {
    this.client = client;
    this.#options = options;
    options.signal?.addEventListener('abort', this.abandon);
  }

  /** Whether the statement was cancelled by {@link cancel}. */
  get cancelled(): boolean {
    return this.#cancelled;
  }

  /** Runs work on the connection; all its work must pass here. */
  async run<T>(work: Promise<T>): Promise<T> {
    this.#running = work;
    try {
      return await work;
    } finally {
      this.#running = null;
    }
  }

  /** Gives the connection a separate slot in the pool, because its read has become a stream. */
  outgrow(): void {
    this.#options.onOutgrow();
  }

  /** Cancels the running work, and closes the connection. */
  readonly abandon = async (): Promise<void> => {
    if (!this.#end()) return;
    this.#options.onAbandon();
    if (this.#running !== null) await this.#stop(this.#running);
    this.client.release(true);
    this.#options.onEnd();
  };

  /** Cancels the statement on the server; the resulting error is still read. */
  readonly cancel = (): void => {
    this.#cancelled = true;
    void cancelStatement(this.client);
  };

  /** @param good the connection is reusable; false when it failed or is not clean */
  giveBack(good: boolean): void {
    if (!this.#end()) return;
    // A late cancellation would hit the next statement on the connection.
    this.client.release(!good || this.#cancelled);
    this.#options.onEnd();
  }

  async #stop(running: Promise<unknown>): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    const settle = () => controller.abort();
    running.then(settle, settle);
    for (let time = 0; !signal.aborted; time += 1) {
      await cancelStatement(this.client);
      const pause = PAUSES_MS[Math.min(time, PAUSES_MS.length - 1)];
      await delay(pause, undefined, { ref: false, signal }).catch(() => undefined);
    }
  }

  /** True on the first call. */
  #end(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#options.signal?.removeEventListener('abort', this.abandon);
    return true;
  }
}
