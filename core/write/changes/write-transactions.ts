/**
 * Runs the transactions that write items. Their changes are collected while they run, reported to
 * the caches before COMMIT and again before the answer, and then published.
 */

import { isLostSession } from '#core/database/failure.ts';
import { type Client, type Connections, transaction } from '#core/database/pool.ts';
import type { OnConnection } from '#core/database/write-connection.ts';
import type { WaitForEdges } from '#core/model/catalog/wait-for-edges.ts';
import type { OpenWrite, WriteGuard } from '../cache/write-guard.ts';
import type { Change } from './change.ts';
import type { ChangeFeed, PendingPublication } from './change-feed.ts';

export interface WriteTransactionsParts {
  readonly writes: Pick<WriteGuard, 'open'>;
  readonly feed: Pick<ChangeFeed, 'begin'>;
  /**
   * Writes of permissions wait until each edge has applied them; null where they are never written.
   */
  readonly access: AccessWrites | null;
  /** For tests: stops at `change.committed`, between COMMIT and answer, when FAILPOINT names it. */
  readonly failpoint: (name: string) => Promise<void>;
}

/** How to handle writes that can change permissions. */
export interface AccessWrites {
  influences(changes: readonly Pick<Change, 'collection' | 'action'>[]): boolean;
  readonly confirm: WaitForEdges;
}

/** Adds a change to a transaction. */
export type RecordChange = (change: Change) => void;

/** Changes before their COMMIT. */
export interface AnnouncedChanges {
  /**
   * After COMMIT and before the answer.
   * @throws ServiceError SERVICE_UNAVAILABLE when a cache may still serve older data
   */
  committed(): Promise<void>;
  /**
   * When COMMIT failed or its answer was lost. The changes are published as uncertain, unless the
   * error proves that they did not happen.
   */
  failed(error: unknown): Promise<void>;
}

/** The result of the work, and its changes. */
interface Done<T> {
  readonly result: T;
  readonly changes: readonly Change[];
}

/** Statements that PostgreSQL runs as one transaction, including the commit. */
export interface SingleRoundTripWrite<T> {
  /** All collections that the running transactions write. */
  readonly collections: ReadonlySet<string>;
  /** How many rows they write, without history. */
  readonly rows: number;
  run(client: Client): Promise<Done<T>>;
  /**
   * Does the same without waiting for a lock, or does nothing; undefined where that is impossible.
   * @returns null when it did nothing
   */
  readonly runUnlessLocked?: ((client: Client) => Promise<Done<T> | null>) | undefined;
}

export class WriteTransactions {
  readonly #parts: WriteTransactionsParts;

  constructor(parts: WriteTransactionsParts) {
    this.#parts = parts;
  }

  /** Runs `work` in a transaction and reports its changes; reports nothing when it throws. */
  async transaction<T>(
    connections: Connections,
    work: (client: Client, note: RecordChange) => Promise<T>,
  ): Promise<T> {
    const changes: Change[] = [];
    const announced: AnnouncedChanges[] = [];
    const run = async (client: Client) => {
      const result = await work(client, (change) => changes.push(change));
      if (changes.length > 0) announced.push(await this.announce(changes));
      return result;
    };
    const result = await transaction(connections, run).catch(async (error: unknown) => {
      await Promise.all(announced.map((announcement) => announcement.failed(error)));
      throw error;
    });
    await this.#parts.failpoint('change.committed');
    await Promise.all([
      this.#confirmed(changes),
      ...announced.map((announcement) => announcement.committed()),
    ]);
    return result;
  }

  /** Runs work that commits itself, and reports its changes. */
  async runInOneRoundTrip<T>(
    onConnection: OnConnection,
    work: SingleRoundTripWrite<T>,
  ): Promise<T> {
    const done = await this.#atOnce(onConnection, work.collections, (client) => work.run(client));
    return done.result;
  }

  /** The same for work that never waits for a lock; null when it did nothing. */
  async runInOneRoundTripUnlessLocked<T>(
    onConnection: OnConnection,
    { collections, runUnlessLocked }: SingleRoundTripWrite<T>,
  ): Promise<{ readonly result: T } | null> {
    if (!runUnlessLocked) return null;
    return this.#atOnce(onConnection, collections, runUnlessLocked);
  }

  async #atOnce<D extends Done<unknown> | null>(
    onConnection: OnConnection,
    collections: ReadonlySet<string>,
    run: (client: Client) => Promise<D>,
  ): Promise<D> {
    const { writes, feed, failpoint } = this.#parts;
    let opened: OpenWrite | null = null;
    let telling: PendingPublication | null = null;
    const committed = () => opened?.committed();
    const work = async (client: Client) => {
      opened = await writes.open(collections);
      telling = feed.begin();
      return run(client);
    };
    const tell = (told: readonly Change[]) => telling?.publish(told);
    const done = await onConnection(work).catch(async (error: unknown) => {
      try {
        await committed();
      } finally {
        if (isLostSession(error)) telling?.publishAsUncertain(anything(collections));
        else tell([]);
      }
      throw error;
    });
    try {
      if (done !== null) await failpoint('change.committed');
      await Promise.all([done === null ? null : this.#confirmed(done.changes), committed()]);
    } finally {
      // It is committed, even if other notifications were late.
      tell(done?.changes ?? []);
    }
    return done;
  }

  async #confirmed(changes: readonly Change[]): Promise<void> {
    const { access } = this.#parts;
    if (access?.influences(changes)) await access.confirm();
  }

  /** For callers that end their transaction themselves. Call it after the last write. */
  async announce(changes: readonly Change[]): Promise<AnnouncedChanges> {
    const { writes, feed } = this.#parts;
    const write = await writes.open(new Set(changes.map(({ collection }) => collection)));
    const telling = feed.begin();
    return {
      async committed() {
        try {
          await write.committed();
        } finally {
          telling.publish(changes);
        }
      },
      async failed(error) {
        try {
          await write.committed();
        } finally {
          if (isLostSession(error)) telling.publishAsUncertain(changes);
          else telling.publish([]);
        }
      },
    };
  }
}

/** Changes of unknown items, of every kind. */
function anything(collections: ReadonlySet<string>): Change[] {
  return [...collections].flatMap((collection) =>
    (['import', 'delete'] as const).map((action) => ({
      collection,
      action,
      keys: null,
      user: null,
    })),
  );
}
