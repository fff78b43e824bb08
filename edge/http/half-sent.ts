/**
 * Limits the memory of partially received WebSocket messages. The library stores such parts outside
 * of the heap and does not report them. But a client in the middle of a frame cannot answer a ping
 * (RFC 6455, 5.5.2). A client between the frames of a message cannot send another message (5.4).
 * When a process has much unaccounted memory, it pings all connections. If the silent connections
 * explain too little of it, it also sends protocol messages, which only a whole message answers. It
 * then closes connections that did not answer, beginning with the holder that has the most.
 */
import type { Log } from '#core/base/log/log.ts';
import { metrics } from '#core/base/metrics/metrics.ts';
import { heapLimit } from '#core/base/process/heap-size.ts';

/** Maximum part of the heap's size that partial messages may use. */
const PART = 0.25;
/** Interval of the memory measurements, in milliseconds. */
const PERIOD_MS = 250;
/** How long (ms) clients have to answer. */
const PATIENCE_MS = 2_000;
/** How long (ms) probing pauses after answers that explain too little. */
const PAUSE_MS = 10_000;
/** Minimum part of the excess that messages must explain before a connection is closed. */
const EXPLAINED = 0.5;

/** How a connection is probed, or has answered: by a control frame, or by a whole message. */
export type Sign = 'frame' | 'message';

/** A connection that can be probed. */
export interface AskedConnection {
  readonly holder: string;
  /** Maximum length of a message from its client, in bytes. */
  readonly messageLimit: number;
  /**
   * Sends a ping, or a message that clients answer.
   * @returns whether the connection's protocol has such a message
   */
  ask(by: Sign): boolean;
  /** Closes the connection immediately, with a reason. */
  cut(reason: string): void;
}

/** Connections that were probed and have not answered. */
interface Round {
  readonly by: Sign;
  /**
   * Whether the time for answers is over. Answers that a busy process has not read yet still count.
   */
  isOver: boolean;
  readonly silent: Set<AskedConnection>;
}

export interface HalfSentOptions {
  /** The open connections. */
  readonly connections: () => Iterable<AskedConnection>;
  readonly log: Log;
  /** Maximum bytes of partial messages; by default a quarter of the heap's size. */
  readonly limit?: number;
  /** Bytes of the process that are not accounted for; measured by default. */
  readonly unaccounted?: () => number;
  /** The time in milliseconds; by default the process clock. */
  readonly now?: () => number;
}

/** Bytes of this process that belong neither to the heap nor to buffers. */
function unaccountedBytes(): number {
  const { rss, heapTotal, external } = process.memoryUsage();
  return rss - heapTotal - external;
}

export class HalfSentMessages {
  readonly #options: HalfSentOptions;
  readonly #limit: number;
  readonly #unaccounted: () => number;
  readonly #now: () => number;
  /** Unaccounted bytes of the process while no messages arrive. */
  readonly #least: number;
  /** Null while no probe is running. */
  #round: Round | null = null;
  /** When the answers are counted; while no probe is running, the earliest time of the next one. */
  #due = 0;
  /** Excess bytes when the probe began. */
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

  /**
   * A connection answers a ping, sends a whole message (which answers both probes), or is closed.
   */
  heard(connection: AskedConnection, sign: Sign): void {
    if (this.#round?.by === 'frame' || sign === 'message') this.#round?.silent.delete(connection);
  }

  /** Measures the memory, and probes or closes connections when it exceeds the limit. */
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

  /** Closes silent connections if they explain the excess; otherwise probes again, or pauses. */
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
    // Memory is not always returned to the system, and a silent client may only have a slow
    // network.
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
