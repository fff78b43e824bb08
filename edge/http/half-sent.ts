/**
 * Bounds what WebSockets hold whose messages have arrived in part. The library keeps such parts outside
 * of the heap and does not report them, but a client in the middle of a frame cannot answer a ping
 * (RFC 6455, 5.5.2), and a client between the frames of a message cannot send another message (5.4).
 * When a process holds much that nothing accounts for, it pings all connections. Where the silent ones
 * explain too little, it asks again by messages of the protocols, which only a whole message answers.
 * It ends connections without an answer, those of the holder with the most of them first.
 */
import type { Log } from '#core/base/log/log.ts';
import { metrics } from '#core/base/metrics/metrics.ts';
import { heapLimit } from '#core/base/process/heap-size.ts';

/** The part of the heap's size that may be held so. */
const PART = 0.25;
/** How often (ms) memory is measured. */
const PERIOD_MS = 250;
/** How long (ms) clients have to answer. */
const PATIENCE_MS = 2_000;
/** How long (ms) nothing is asked again after answers that explain nothing. */
const PAUSE_MS = 10_000;
/** Messages must explain this part of what is too much, before anything is ended. */
const EXPLAINED = 0.5;

/** How a connection is asked, or has answered: by a frame of its own, or by a whole message. */
export type Sign = 'frame' | 'message';

/** A connection that can be asked. */
export interface AskedConnection {
  readonly holder: string;
  /** Longest message of its client, in bytes. */
  readonly messageLimit: number;
  /** Sends a ping, or a message that clients answer; whether its protocol has one. */
  ask(by: Sign): boolean;
  /** Says why, and ends the connection at once. */
  cut(reason: string): void;
}

/** Connections that were asked and have not answered. */
interface Round {
  readonly by: Sign;
  /** Whether the time for answers is over; those that a busy process has not read yet count, too. */
  isOver: boolean;
  readonly silent: Set<AskedConnection>;
}

export interface HalfSentOptions {
  /** Those that are open. */
  readonly connections: () => Iterable<AskedConnection>;
  readonly log: Log;
  /** Bytes that may be held; by default a quarter of the heap's size. */
  readonly limit?: number;
  /** Bytes of the process that nothing accounts for; measured by default. */
  readonly unaccounted?: () => number;
  /** The time in milliseconds; that of the process by default. */
  readonly now?: () => number;
}

/** Bytes of this process that are neither of the heap nor of buffers. */
function unaccountedBytes(): number {
  const { rss, heapTotal, external } = process.memoryUsage();
  return rss - heapTotal - external;
}

export class HalfSentMessages {
  readonly #options: HalfSentOptions;
  readonly #limit: number;
  readonly #unaccounted: () => number;
  readonly #now: () => number;
  /** What the process holds while nothing arrives. */
  readonly #least: number;
  /** Null when no connection was asked. */
  #round: Round | null = null;
  /** When the answers are counted; while no connection was asked, when the next may be. */
  #due = 0;
  /** Bytes that were too much when they were asked. */
  #excess = 0;
  readonly #ended = metrics.counter('sluice_websockets_half_sent_total', {});
  readonly #timer: NodeJS.Timeout;

  constructor(options: HalfSentOptions) {
    this.#options = options;
    const { limit = PART * heapLimit(), unaccounted = unaccountedBytes } = options;
    this.#limit = limit;
    this.#unaccounted = unaccounted;
    this.#now = options.now ?? (() => performance.now());
    this.#least = unaccounted();
    this.#timer = setInterval(() => this.look(), PERIOD_MS).unref();
  }

  /** A connection answers a ping, sends a whole message (which answers both), or is closed. */
  heard(connection: AskedConnection, sign: Sign): void {
    if (this.#round?.by === 'frame' || sign === 'message') this.#round?.silent.delete(connection);
  }

  /** Measures, and asks or ends where too much is held. */
  look(): void {
    const now = this.#now();
    if (now < this.#due) return;
    const excess = this.#unaccounted() - this.#least - this.#limit;
    if (excess <= 0) this.#round = null;
    else if (this.#round === null) this.#ask('frame', excess, now);
    else if (this.#round.isOver) this.#count(this.#round, excess, now);
    else this.#round.isOver = true;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #ask(by: Sign, excess: number, now: number): void {
    this.#excess = excess;
    const silent = new Set(this.#options.connections());
    this.#round = { by, isOver: false, silent };
    for (const connection of silent) if (!connection.ask(by)) silent.delete(connection);
    this.#due = now + PATIENCE_MS;
  }

  /** Ends silent connections if they explain the excess; else asks again, or pauses. */
  #count({ by, silent }: Round, excess: number, now: number): void {
    this.#round = null;
    let possible = 0;
    const byHolder = new Map<string, AskedConnection[]>();
    for (const connection of silent) {
      possible += connection.messageLimit;
      const own = byHolder.get(connection.holder) ?? [];
      byHolder.set(connection.holder, own);
      own.push(connection);
    }
    // Memory is not always given back, and a client without an answer may only be far away.
    if (possible < EXPLAINED * Math.min(excess, this.#excess)) {
      if (by === 'frame') this.#ask('message', excess, now);
      else this.#due = now + PAUSE_MS;
      return;
    }
    let left = excess;
    let ended = 0;
    for (const own of [...byHolder.values()].sort((a, b) => b.length - a.length)) {
      for (const connection of own) {
        left -= connection.messageLimit;
        ended += 1;
        connection.cut('Messages that arrive in part hold too much memory; send them faster.');
      }
      if (left <= 0) break;
    }
    this.#ended.value += ended;
    this.#options.log.warn(
      { ended, excess },
      'half-sent messages of WebSockets held too much memory',
    );
  }
}
