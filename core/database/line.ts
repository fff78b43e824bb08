/** Pipelined connections: what is under way on each, and which one comes to a statement first. */
import type { Socket } from 'node:net';
import type pg from 'pg';

/** Statements under way on one pipelined connection; past it the pool takes over. */
const MAX_IN_FLIGHT = 64;
/** Writes that are lent one pipelined connection at a time, each behind the other. */
const MAX_LENT = 4;
/** A write that takes longer than this (ms) may wait for a lock: no more are lent meanwhile. */
const STUCK_MS = 20;
/** A cancellation may strike so much later (ms): a read is asked again then, a write is not. */
const STRIKE_MS = 1_000;
/** A statement that takes PostgreSQL longer (ms) leaves the first pipelined connection to others. */
const QUICK_MS = 20;

/** One statement under way on a pipelined connection. */
export interface Turn {
  readonly signal: AbortSignal | undefined;
  /** How long it is expected to take (ms). */
  readonly time: number;
  /** A cancellation was sent, or the connection was given up, that may have been for another one. */
  disturbed: boolean;
}

/** One pipelined connection with what is prepared and under way on it. */
export interface Line {
  readonly client: pg.Client;
  readonly socket: Socket;
  corked: boolean;
  /** How many writes it is lent to; nothing is read on it meanwhile. */
  lent: number;
  /** When the first of them became the first. */
  lentSince: number;
  readonly prepared: Set<string>;
  /** In the order in which PostgreSQL runs them. */
  readonly turns: Turn[];
  /** How long those are expected to take together (ms). */
  load: number;
  /** When the first of them became the first. */
  turned: number;
  cancelling: boolean;
  /** When the last cancellation had been sent. */
  cancelled: number;
}

export function newLine(client: pg.Client, socket: Socket): Line {
  const unused = { corked: false, lent: 0, lentSince: 0, load: 0, turned: 0, cancelling: false };
  const cancelled = Number.NEGATIVE_INFINITY;
  return { ...unused, client, socket, prepared: new Set(), turns: [], cancelled };
}

function leastLoaded(lines: readonly (Line | null)[]): Line | null {
  let best: Line | null = null;
  for (const line of lines) {
    if (!line || line.lent > 0 || line.turns.length >= MAX_IN_FLIGHT) continue;
    if (line.load < (best?.load ?? Number.POSITIVE_INFINITY)) best = line;
  }
  return best;
}

/**
 * The connection that is likely to come to a statement first; null: that of the pool.
 * @param time how long the statement takes PostgreSQL (ms)
 */
export function lineFor(lines: readonly (Line | null)[], time: number): Line | null {
  if (time <= QUICK_MS) return leastLoaded(lines);
  const [first, ...others] = lines;
  const isIdle = first?.lent === 0 && first.turns.length === 0;
  return leastLoaded(others) ?? (isIdle ? first : null);
}

/**
 * The connection that a write may have; null when somebody reads, a write is stuck or there is none.
 * @param returned when one came back last
 */
export function spareLine(lines: readonly (Line | null)[], returned: number): Line | null {
  const [kept, ...others] = lines;
  const now = performance.now();
  const isStuck = (line: Line) => line.lent > 0 && now - line.lentSince > STUCK_MS;
  const isNeeded = (line: Line | null) => line && (line.turns.length > 0 || isStuck(line));
  if (!kept || lines.some(isNeeded)) return null;
  const most = now - returned < STUCK_MS ? MAX_LENT : 1;
  let best: Line | null = null;
  for (const line of others) {
    if (!line || line.cancelling || now - line.cancelled < STRIKE_MS) continue;
    if (line.lent < (best?.lent ?? most)) best = line;
  }
  return best;
}
