/**
 * A connection of the pool that one request has for itself. When the client goes away, or the time is
 * over, its statement is cancelled. The connection counts as taken until the server has ended it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { cancelStatement } from './cancel.ts';
import type { Connection } from './pool.ts';

/**
 * Pauses (ms) before the cancellation is sent again: it may have overtaken the statement. The last
 * one is repeated for as long as the backend runs.
 */
const PAUSES_MS = [100, 400, 1_000, 5_000];

export interface HeldConnectionOptions {
  readonly signal: AbortSignal | undefined;
  /** Called once, when the connection is free again or gone. */
  readonly onEnd: () => void;
  /** Called when the connection no longer counts as one of those that are shared. */
  readonly onOutgrow: () => void;
  /** Called when the server was asked to end the statement, before it has done so. */
  readonly onAbandon: () => void;
}

export class HeldConnection {
  readonly client: Connection;
  readonly #options: HeldConnectionOptions;
  /** What the connection does right now. */
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

  /** Runs something on the connection; all that runs there has to pass here. */
  async run<T>(work: Promise<T>): Promise<T> {
    this.#running = work;
    try {
      return await work;
    } finally {
      this.#running = null;
    }
  }

  /** The pool has one more for it: what it reads has become a stream. */
  outgrow(): void {
    this.#options.onOutgrow();
  }

  /** Cancels what runs, and gives the connection up. */
  readonly abandon = async (): Promise<void> => {
    if (!this.#end()) return;
    this.#options.onAbandon();
    if (this.#running !== null) await this.#stop(this.#running);
    this.client.release(true);
    this.#options.onEnd();
  };

  /** Has the server refuse to go on with the statement: what it says of that is still read. */
  readonly cancel = (): void => {
    this.#cancelled = true;
    void cancelStatement(this.client);
  };

  /** @param good it serves others; false when it broke or something is left on it */
  giveBack(good: boolean): void {
    if (!this.#end()) return;
    // A cancellation that comes late would strike the next one's statement.
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

  /** True the first time. */
  #end(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#options.signal?.removeEventListener('abort', this.abandon);
    return true;
  }
}
