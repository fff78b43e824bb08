/**
 * Finds half-open connections to PostgreSQL: no data arrives and no error, for example behind a
 * proxy or a firewall that dropped their state. Other timeouts do not detect this, because a
 * statement may take any time. Idle connections are tested with an empty query; the backend of a
 * waiting connection is looked up on the server, through a separate connection.
 */
import { Socket } from 'node:net';
import type pg from 'pg';
import {
  endBackends,
  type Finding,
  isLost,
  probeBackends,
  type Server,
  type Silence,
} from './probe.ts';

const TICK_MS = 1_000;
/** An idle connection is tested after this time (ms). */
const IDLE_MS = 3_000;
/** Silence (ms) after which the backend of a waiting connection is looked up. */
const SILENT_MS = 3_000;
/** Pause (ms) before the next lookup of a backend that was working. */
const AT_WORK_MS = 4_000;
/** The number of lookups that must find it lost: its answer may have been in transit. */
const LOOKS = 2;
/**
 * The maximum wait (ms) for the answer to an empty query, and for any from an unreachable server.
 */
const PATIENCE_MS = 10_000;
/** Time (ms) that the answer to a statement with a time limit may take beyond that limit. */
const GRACE_MS = 5_000;
/** Consecutive failed probes before the server counts as unreachable. */
const UNREACHABLE_PROBES = 3;
/** After this silence (ms) the server may not notice that a connection is closed. */
const UNHEARD_MS = 1_500;

export interface WatchdogOptions extends Server {
  /** The statement timeout on these connections in milliseconds; 0 for none. */
  readonly statementTimeout: number;
}

/** Internals of the driver, which its type declarations lack. */
interface Session {
  readonly connection: { readonly stream: Socket };
  readonly processID: number;
  /** No statement is running; undefined before the first time. */
  readonly readyForQuery?: boolean;
}

function isSession(client: object): client is Session {
  if (!('connection' in client && 'processID' in client)) return false;
  const { connection } = client;
  if (typeof connection !== 'object' || connection === null || !('stream' in connection)) {
    return false;
  }
  return connection.stream instanceof Socket && typeof client.processID === 'number';
}

/** Connections whose COPY data was sent completely. */
const endedCopies = new WeakSet<pg.ClientBase>();

/** Records that all COPY data was sent, so that PostgreSQL must answer from now on. */
export function expectCopyAnswer(client: pg.ClientBase): () => void {
  endedCopies.add(client);
  return () => endedCopies.delete(client);
}

interface Watched {
  readonly client: pg.ClientBase;
  readonly session: Session;
  readonly stream: Socket;
  readonly pipelined: boolean;
  /** When data last arrived, or the connection was last idle. */
  heard: number;
  /** Bytes that had been sent when data last arrived. */
  sentBefore: number;
  /** The test query of an idle connection is not answered yet. */
  asked: boolean;
  /** The earliest time of the next lookup. */
  due: number;
  lost: number;
  finding: Finding | null;
}

export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #watched = new Set<Watched>();
  /** Backends of connections that were closed while they were silent. */
  readonly #left = new Set<number>();
  #timer: NodeJS.Timeout | null = null;
  #probing = false;
  /** Consecutive failed probes. */
  #unreachable = 0;

  constructor(options: WatchdogOptions) {
    this.#options = options;
  }

  /** Watches an open connection, until it ends. */
  add(client: pg.ClientBase): void {
    if (!isSession(client)) return;
    const { stream } = client.connection;
    if (stream.destroyed) return;
    const pipelined = 'pipeline' in client && client.pipeline === true;
    const watched: Watched = {
      ...{ client, session: client, stream, pipelined, heard: performance.now() },
      ...{ sentBefore: stream.bytesWritten, asked: false, due: 0, lost: 0, finding: null },
    };
    this.#watched.add(watched);
    // Before the driver, which may send at once in response to the data.
    stream.prependListener('data', () => {
      watched.heard = performance.now();
      watched.sentBefore = stream.bytesWritten;
      watched.asked = false;
    });
    stream.once('close', () => this.#onClose(watched));
    this.#timer ??= setInterval(() => void this.#tick(), TICK_MS).unref();
  }

  #onClose(watched: Watched): void {
    this.#watched.delete(watched);
    const { session, heard } = watched;
    const silent = session.readyForQuery !== true && performance.now() - heard >= UNHEARD_MS;
    // Its locks would otherwise be held until the server notices too.
    if (silent) this.#left.add(session.processID);
  }

  #rest(): void {
    if (this.#watched.size + this.#left.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  async #tick(): Promise<void> {
    const now = performance.now();
    const silent = [...this.#watched].filter((watched) => this.#isSilent(watched, now));
    if (silent.length === 0) this.#unreachable = 0;
    const due = silent.filter((watched) => watched.due <= now);
    this.#rest();
    if (this.#probing || due.length + this.#left.size === 0) return;
    this.#probing = true;
    await this.#endLeft();
    if (due.length > 0) await this.#look(due);
    this.#probing = false;
  }

  async #endLeft(): Promise<void> {
    const left = [...this.#left];
    if (left.length === 0 || !(await endBackends(this.#options, left))) return;
    for (const pid of left) this.#left.delete(pid);
  }

  /** Whether it has waited long for an answer; an idle connection is tested with a query. */
  #isSilent(watched: Watched, now: number): boolean {
    const { client, session, heard } = watched;
    const quiet = now - heard;
    if (session.readyForQuery === true) {
      watched.lost = 0;
      watched.finding = null;
      if (quiet < IDLE_MS) return false;
      watched.heard = now;
      watched.asked = true;
      // An empty query is also answered within a failed transaction.
      client.query('').catch(() => undefined);
      return false;
    }
    if (quiet >= SILENT_MS) return true;
    watched.lost = 0;
    watched.finding = null;
    watched.due = 0;
    return false;
  }

  async #look(silent: readonly Watched[]): Promise<void> {
    const heard = new Map(silent.map((watched) => [watched, watched.heard]));
    const probe = await probeBackends(
      this.#options,
      silent.map(({ session }) => session.processID),
    );
    this.#unreachable = probe.kind === 'unreachable' ? this.#unreachable + 1 : 0;
    for (const watched of silent) {
      const { session, stream } = watched;
      if (stream.destroyed || watched.heard !== heard.get(watched)) continue;
      if (probe.kind !== 'activities') {
        if (this.#isOverdue(watched)) this.#giveUp(watched);
        continue;
      }
      const activity = probe.activities.get(session.processID);
      const finding = { silence: silenceOf(watched), activity };
      const lost = isLost(finding, watched.finding);
      watched.finding = finding;
      watched.lost = lost ? watched.lost + 1 : 0;
      if (!lost) watched.due = performance.now() + AT_WORK_MS;
      if (watched.lost >= LOOKS) this.#giveUp(watched);
    }
  }

  /** Without a probe result: whether any answer should have arrived by now. */
  #isOverdue(watched: Watched): boolean {
    const quiet = performance.now() - watched.heard;
    if (watched.asked && quiet >= PATIENCE_MS) return true;
    const { statementTimeout } = this.#options;
    // A cursor may wait for this process to fetch.
    const waits = watched.pipelined || silenceOf(watched).unanswered;
    if (statementTimeout === 0 || !waits) return false;
    const away = this.#unreachable >= UNREACHABLE_PROBES && quiet >= PATIENCE_MS;
    return away || quiet >= statementTimeout + GRACE_MS;
  }

  #giveUp(watched: Watched): void {
    const silent = Math.round(performance.now() - watched.heard);
    const { log } = this.#options;
    log.warn({ backend: watched.session.processID, silent }, 'replacing a half-open connection');
    watched.stream.destroy(new Error('Connection terminated: no data arrives any more'));
  }
}

function silenceOf({ client, stream, sentBefore }: Watched): Silence {
  return {
    unanswered: stream.bytesWritten > sentBefore,
    copyEnded: endedCopies.has(client),
    sent: stream.bytesWritten,
    unsent: stream.writableLength,
    reads: !stream.isPaused(),
  };
}
