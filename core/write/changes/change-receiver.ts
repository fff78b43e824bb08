/**
 * Receives the committed writes of all processes. Detects missed writes: a lost message, an
 * interrupted connection, or a process that ended before it published its writes.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '#core/base/log/log.ts';
import { warnThrottled } from '#core/base/log/throttled-warning.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import type { MessageBus, Messages, Sender } from '#core/messaging/bus.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { Change } from './change.ts';

/** Pauses (ms) between two reads of the registry of processes. */
const LOOK_MS = 2_000;

/** Callbacks for received changes. */
export interface ChangeListener {
  /** Writes in the order in which they were reported. */
  changed(changes: readonly Change[]): void;
  /** Any item may have been written meanwhile. */
  missed(reason: string): void;
}

export interface ChangeReceiverParts {
  readonly bus: Pick<MessageBus, 'onResumed'> & {
    subscribe(
      topic: 'items.changed',
      handler: (message: Messages['items.changed']) => void,
    ): () => void;
  };
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly log: Log;
}

export class ChangeReceiver {
  readonly #parts: ChangeReceiverParts;
  readonly #listener: ChangeListener;
  readonly #ends: readonly (() => void)[];
  readonly #closing = new AbortController();
  /** The message number last received from each process. */
  readonly #senders = new Map<string, number>();
  /** Processes that announced their end. */
  readonly #ended = new Set<string>();
  /** The processes in the registry at the last read. */
  #members: ReadonlySet<string> = new Set();

  constructor(parts: ChangeReceiverParts, listener: ChangeListener) {
    this.#parts = parts;
    this.#listener = listener;
    this.#ends = [
      parts.bus.subscribe('items.changed', ({ changes, sender }) => this.#hear(changes, sender)),
      parts.bus.onResumed(() => this.#miss('the connection for messages was interrupted')),
    ];
    void this.#watch();
  }

  close(): void {
    this.#closing.abort();
    for (const end of this.#ends) end();
  }

  #hear(changes: readonly Change[], sender: Sender | undefined): void {
    if (sender !== undefined && !this.#isNext(changes, sender)) return;
    if (changes.length > 0) this.#listener.changed(changes);
  }

  /** Whether to deliver a message: not if its number shows that another one was missed. */
  #isNext(changes: readonly Change[], { id, sent, ended }: Sender): boolean {
    const known = this.#senders.get(id);
    if (ended) {
      this.#senders.delete(id);
      this.#ended.add(id);
    } else {
      // A message that is resent on a new connection may be an earlier one.
      this.#senders.set(id, Math.max(sent, known ?? 0));
    }
    if (known === undefined) return true;
    const expected = changes.length > 0 ? known + 1 : known;
    if (sent > expected) this.#miss('a message was lost');
    return sent === expected;
  }

  #miss(reason: string): void {
    this.#listener.missed(reason);
  }

  /** Processes that disappeared may not have published their last writes. */
  async #watch(): Promise<void> {
    const { signal } = this.#closing;
    const warn = warnThrottled(this.#parts.log, 'processes that vanished cannot be looked for');
    while (!signal.aborted) {
      try {
        await this.look();
      } catch (error) {
        if (!signal.aborted) warn(error instanceof Error ? error : new Error(String(error)));
      }
      await delay(LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /**
   * Finds processes that disappeared.
   * @returns the number of processes in the registry
   */
  async look(): Promise<number> {
    const { pool, schema } = this.#parts;
    const { rows } = await pool.query<{ id: string }>(
      render(sql`SELECT id FROM ${systemTable(schema, 'members')}
        WHERE kind IN ('edge', 'worker') AND expires > clock_timestamp()`),
    );
    const members = new Set(rows.map(({ id }) => id));
    const gone = [...this.#members].filter((id) => !members.has(id));
    this.#members = members;
    const silent = gone.filter((id) => !this.#ended.delete(id));
    for (const id of gone) this.#senders.delete(id);
    if (silent.length > 0) this.#miss('a process ended without a word');
    return members.size;
  }
}
