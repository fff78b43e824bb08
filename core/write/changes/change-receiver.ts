/**
 * Hears the committed writes of all processes, and notices when some may have been missed: a message
 * was lost, the connection was interrupted, or a process ended before it could tell what it wrote.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '#core/base/log/log.ts';
import { warnThrottled } from '#core/base/log/throttled-warning.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import type { MessageBus, Messages, Sender } from '#core/messaging/bus.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { Change } from './change.ts';

/** Pauses (ms) between two looks into the registry of processes. */
const LOOK_MS = 2_000;

/** What a listener is told. */
export interface ChangeListener {
  /** Writes in the order in which they were reported. */
  changed(changes: readonly Change[]): void;
  /** Anything may have been written meanwhile. */
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
  /** How many messages of a process were heard. */
  readonly #senders = new Map<string, number>();
  /** Processes that said that they end. */
  readonly #ended = new Set<string>();
  /** The processes that were there when somebody last looked. */
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

  /** Whether a message is to be told: it is not when it says that others were missed. */
  #isNext(changes: readonly Change[], { id, sent, ended }: Sender): boolean {
    const known = this.#senders.get(id);
    if (ended) {
      this.#senders.delete(id);
      this.#ended.add(id);
    } else {
      // A message that is sent again on a new connection may be an earlier one.
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

  /** What processes that vanished wrote last may not have been told. */
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
   * Looks for processes that vanished.
   * @returns how many there are
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
