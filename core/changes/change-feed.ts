/**
 * Publishes committed writes to all processes, those of some milliseconds together. A message can
 * be lost; the database has the truth.
 */
import type { Log } from '#core/log/log.ts';
import { warnThrottled } from '#core/log/throttled-warning.ts';
import type { MessageBus } from '#core/messages/bus.ts';
import { type Change, gathered } from './change.ts';

/** How long (ms) a change waits for others, because a message costs as much as a write. */
const GATHER_MS = 20;
/** Bytes of the changes in one message, so that it fits into NOTIFY. */
const MESSAGE_BYTES = 7_500;

/** Packs changes into as few messages as possible, in order. */
function packed(changes: readonly Change[]): Change[][] {
  const messages: Change[][] = [];
  let room = 0;
  for (const change of changes) {
    const bytes = Buffer.byteLength(JSON.stringify(change)) + 1;
    if (bytes > room) {
      messages.push([]);
      room = MESSAGE_BYTES;
    }
    messages.at(-1)?.push(change);
    room -= bytes;
  }
  return messages;
}

export class ChangeFeed {
  readonly #bus: MessageBus;
  readonly #warn: (error: Error) => void;
  #waiting: Change[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(bus: MessageBus, log: Log) {
    this.#bus = bus;
    this.#warn = warnThrottled(log, 'changes of items could not be published to other processes');
  }

  /** Publishes committed changes some milliseconds later. */
  publish(changes: readonly Change[]): void {
    for (const change of changes) this.#waiting.push(change);
    if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => void this.#flush(), GATHER_MS);
  }

  /**
   * Calls the listener for writes of any process, including this one, until the returned function
   * is called.
   */
  subscribe(handler: (changes: readonly Change[]) => void): () => void {
    return this.#bus.subscribe('items.changed', ({ changes }) => handler(changes));
  }

  /** Publishes what still waits. */
  async close(): Promise<void> {
    await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const changes = this.#waiting;
    this.#waiting = [];
    const sent = packed(gathered(changes)).map((message) =>
      this.#bus.publish('items.changed', { changes: message }),
    );
    for (const { status, ...rest } of await Promise.allSettled(sent)) {
      if (status === 'rejected' && 'reason' in rest) this.#warn(asError(rest.reason));
    }
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
