/**
 * Publishes committed writes to all processes: at once, or in batches of some milliseconds when
 * there are many. A message can be lost; the database is authoritative. Messages are numbered, so
 * that a receiver detects a loss.
 */
import type { Log } from '#core/base/log/log.ts';
import { warnThrottled } from '#core/base/log/throttled-warning.ts';
import type { MessageBus } from '#core/messaging/bus.ts';
import { type Change, mergeChanges } from './change.ts';

/**
 * How long (ms) after a message changes are batched, because a message costs as much as a write.
 */
const GATHER_MS = 10;
/** How long (ms) after its last message a process repeats its message count. */
const CONFIRM_MS = 500;
/**
 * How long (ms) until uncertain changes are published again. PostgreSQL may have been frozen in
 * their COMMIT; by then it has ended the session of a dead process.
 */
const DOUBT_MS = 60_000;
/** The maximum size in bytes of the changes in one message, so that it fits into NOTIFY. */
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

/** A write that may be committed from now on, until its result is known. */
export interface PendingPublication {
  /** Publishes its committed changes; pass an empty list after a rollback. */
  publish(changes: readonly Change[]): void;
  /** Publishes changes for which it is unknown whether they are or will be committed. */
  publishAsUncertain(changes: readonly Change[]): void;
}

export class ChangeFeed {
  readonly #bus: Pick<MessageBus, 'publish'>;
  readonly #id: string;
  readonly #warn: (error: Error) => void;
  #waiting: Change[] = [];
  /** Cancels the next scheduled message. */
  #cancel: (() => void) | null = null;
  #confirmation: NodeJS.Timeout | null = null;
  #flushed = Number.NEGATIVE_INFINITY;
  #sent = 0;
  /** The number of writes that may be committed and are not published yet. */
  #untold = 0;
  #isClosed = false;
  readonly #doubts = new Set<NodeJS.Timeout>();

  /** @param id the id of this process in the registry of processes */
  constructor(bus: Pick<MessageBus, 'publish'>, id: string, log: Log) {
    this.#bus = bus;
    this.#id = id;
    this.#warn = warnThrottled(log, 'changes of items could not be published to other processes');
  }

  /** Publishes committed changes, at most some milliseconds later. */
  publish(changes: readonly Change[]): void {
    for (const change of changes) this.#waiting.push(change);
    if (this.#waiting.length === 0 || this.#cancel !== null) return;
    const pause = GATHER_MS - (performance.now() - this.#flushed);
    const flush = () => void this.#flush();
    if (pause > 0) {
      const timer = setTimeout(flush, pause);
      this.#cancel = () => clearTimeout(timer);
    } else {
      const turn = setImmediate(flush);
      this.#cancel = () => clearImmediate(turn);
    }
  }

  /** Call it before a write is committed. */
  begin(): PendingPublication {
    this.#untold += 1;
    const publish = (changes: readonly Change[]) => {
      this.#untold -= 1;
      this.publish(changes);
    };
    return {
      publish: publish,
      publishAsUncertain: (changes) => {
        publish(changes);
        const timer = setTimeout(() => {
          this.#doubts.delete(timer);
          this.publish(changes);
        }, DOUBT_MS).unref();
        this.#doubts.add(timer);
      },
    };
  }

  /** Publishes waiting changes, and that no more follow unless a write is still unpublished. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#flush();
    if (this.#confirmation !== null) clearTimeout(this.#confirmation);
    const isOver = this.#untold === 0 && this.#doubts.size === 0;
    for (const timer of this.#doubts) clearTimeout(timer);
    await this.#publish([], isOver);
  }

  async #flush(): Promise<void> {
    this.#cancel?.();
    this.#cancel = null;
    this.#flushed = performance.now();
    const changes = this.#waiting;
    this.#waiting = [];
    const messages = packed(mergeChanges(changes));
    if (messages.length === 0) return;
    this.#confirmLater();
    await Promise.all(messages.map((message) => this.#publish(message)));
  }

  #confirmLater(): void {
    if (this.#confirmation !== null) clearTimeout(this.#confirmation);
    this.#confirmation = setTimeout(() => void this.#confirm(), CONFIRM_MS).unref();
  }

  /** Sends the message count, and repeats it until it is sent. */
  async #confirm(): Promise<void> {
    const isSent = await this.#publish([]);
    if (!isSent && !this.#isClosed) this.#confirmLater();
  }

  /** @returns whether it was sent */
  async #publish(changes: Change[], ended = false): Promise<boolean> {
    if (changes.length > 0) this.#sent += 1;
    const sender = { id: this.#id, sent: this.#sent, ...(ended ? { ended } : {}) };
    try {
      await this.#bus.publish('items.changed', { changes, sender });
      return true;
    } catch (error) {
      this.#warn(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  }
}
