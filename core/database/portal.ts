/** A statement whose rows are fetched on demand; the remaining rows stay in PostgreSQL. */
import Cursor from 'pg-cursor';
import type { HeldConnection } from './held-connection.ts';
import { LOCK_MS } from './pipelined-connection.ts';
import type { PoolShares } from './pool-shares.ts';
import type { Statement } from './sql.ts';

/** Rows per fetch: few at first, then as many as fit into this number of characters. */
const FIRST_ROWS = 20;
const MOST_ROWS = 1_000;
const FETCH_LENGTH = 262_144;

export interface PortalOptions {
  readonly shares: PoolShares;
  /** The maximum time of one fetch in milliseconds; 0 for no limit. */
  readonly statementTimeout: number;
  /** The maximum time in milliseconds for which the portal may be open. */
  readonly maxTime: number;
}

export interface Opening {
  readonly statement: Statement;
  readonly kind: 'stream' | 'blocked';
  /** Without a limit; otherwise it fails when the wait takes too long. */
  readonly waitsForLocks: boolean;
}

/** The first column of a row as text. */
type Row = [string | null];

/**
 * PostgreSQL's timeout also counts the time between fetches, while the client reads. This process
 * therefore limits fetches, and PostgreSQL's timeout is only for the case that this process dies. A
 * transaction limits the setting to this statement, also behind a pooler.
 */
function begin({ statementTimeout, maxTime }: PortalOptions): string {
  const most = Math.min(statementTimeout + maxTime, 2_147_483_647);
  return `BEGIN; SET LOCAL statement_timeout = ${most}`;
}

export class Portal {
  readonly #options: PortalOptions;
  readonly #held: HeldConnection;
  readonly #cursor: Cursor<Row>;
  #count = FIRST_ROWS;

  /** @param signal closes the connection, with its statement, when it is aborted */
  static async open(
    options: PortalOptions,
    { kind, statement, waitsForLocks }: Opening,
    signal: AbortSignal | undefined,
  ): Promise<Portal> {
    const held = await options.shares.take(kind, signal);
    const locks = waitsForLocks ? '' : `; SET LOCAL lock_timeout = ${LOCK_MS}`;
    try {
      await held.run(held.client.query(begin(options) + locks));
      signal?.throwIfAborted();
    } catch (error) {
      held.giveBack(false);
      throw error;
    }
    return new Portal(options, held, statement);
  }

  private constructor(options: PortalOptions, held: HeldConnection, { text, values }: Statement) {
    this.#options = options;
    this.#held = held;
    this.#cursor = held.client.query(new Cursor<Row>(text, values, { rowMode: 'array' }));
  }

  /** The next rows; empty at the end. A fetch that exceeds its time is cancelled. */
  async fetch(): Promise<string[]> {
    const { statementTimeout } = this.#options;
    const late =
      statementTimeout === 0 ? undefined : setInterval(this.#held.cancel, statementTimeout);
    try {
      const rows = await this.#held.run(this.#cursor.read(this.#count));
      const texts = rows.map(([text]) => text ?? 'null');
      const length = texts.reduce((sum, text) => sum + text.length, 0);
      const fitting = Math.floor((FETCH_LENGTH * texts.length) / Math.max(length, 1));
      this.#count = Math.max(1, Math.min(fitting, texts.length * 4, MOST_ROWS));
      return texts;
    } finally {
      clearInterval(late);
    }
  }

  /** From now on it is a stream, for which the pool has another connection. */
  outgrow(): void {
    this.#held.outgrow();
  }

  /** Discards the remaining rows, so that the connection is reusable. */
  async leave(): Promise<void> {
    const left = await this.#cursor.close().then(
      () => true,
      () => false,
    );
    await this.close(left);
  }

  /**
   * Returns the connection.
   * @param ended all rows were fetched, or the statement failed. If the portal is still open, the
   * connection is closed, which is the safest way to close the portal
   */
  async close(ended: boolean): Promise<void> {
    const { pool } = this.#options.shares;
    let good = ended;
    if (good) {
      await this.#held.client.query('COMMIT').catch(() => {
        good = false;
      });
    }
    // The pool may have one connection too many, since this one was a stream's.
    this.#held.giveBack(good && pool.totalCount <= pool.options.max);
  }
}
