/**
 * The transactions that write items: what they change is noted while they run, told to the caches
 * before they are committed and again before anybody is answered, and then to whoever listens.
 */
import type { OpenWrite, WriteGuard } from '#core/cache/write-guard.ts';
import type { Confirm } from '#core/catalog/wait-for-edges.ts';
import type { Lend } from '#core/database/lender.ts';
import { type Client, type Pool, transaction } from '#core/database/pool.ts';
import type { Change } from './change.ts';
import type { ChangeFeed } from './feed.ts';

export interface JournalParts {
  readonly writes: WriteGuard;
  readonly feed: Pick<ChangeFeed, 'publish'>;
  /** Those of rights wait until every edge knows; null where nothing of the kind is written. */
  readonly access: AccessWrites | null;
  /** Stops at `change.committed`, between commit and answer, when a test names it. */
  readonly failpoint: (name: string) => Promise<void>;
}

/** What is to be known of writes that may change who may do what. */
export interface AccessWrites {
  influences(changes: readonly Pick<Change, 'collection' | 'action'>[]): boolean;
  readonly confirm: Confirm;
}

/** Notes a change as part of a transaction. */
export type Note = (change: Change) => void;

/** Changes that are about to be committed. */
export interface Announcement {
  /**
   * After COMMIT and before anybody is answered.
   * @throws ServiceError SERVICE_UNAVAILABLE when a cache may still show what was before
   */
  committed(): Promise<void>;
  /** When COMMIT failed, or its answer was lost: it may have happened, and nobody is told. */
  doubtful(): Promise<void>;
}

/** What was done, and what changed by it. */
interface Done<T> {
  readonly result: T;
  readonly changes: readonly Change[];
}

/** Statements that PostgreSQL takes for one transaction, with which they are also committed. */
export interface AtOnce<T> {
  /** All collections that they write to. */
  readonly collections: ReadonlySet<string>;
  /** How many rows they write, without those of the history. */
  readonly rows: number;
  run(client: Client): Promise<Done<T>>;
}

export class ChangeJournal {
  readonly #parts: JournalParts;

  constructor(parts: JournalParts) {
    this.#parts = parts;
  }

  /** Runs `work` in a transaction and tells of the changes that it notes; none when it throws. */
  async transaction<T>(pool: Pool, work: (client: Client, note: Note) => Promise<T>): Promise<T> {
    const changes: Change[] = [];
    const announced: Announcement[] = [];
    const run = async (client: Client) => {
      const result = await work(client, (change) => changes.push(change));
      if (changes.length > 0) announced.push(await this.announce(changes));
      return result;
    };
    const result = await transaction(pool, run).catch(async (error: unknown) => {
      await Promise.all(announced.map((announcement) => announcement.doubtful()));
      throw error;
    });
    await this.#parts.failpoint('change.committed');
    await Promise.all([
      this.#confirmed(changes),
      ...announced.map((announcement) => announcement.committed()),
    ]);
    return result;
  }

  /** Runs what commits itself, and tells of its changes. */
  async atOnce<T>(lend: Lend, { collections, run }: AtOnce<T>): Promise<T> {
    const { writes, feed, failpoint } = this.#parts;
    const opened: OpenWrite[] = [];
    const work = async (client: Client) => {
      opened.push(await writes.open(collections));
      return run(client);
    };
    const committed = () => Promise.all(opened.map((write) => write.committed()));
    const { result, changes } = await lend(work).catch(async (error: unknown) => {
      await committed();
      throw error;
    });
    await failpoint('change.committed');
    await Promise.all([this.#confirmed(changes), committed()]);
    feed.publish(changes);
    return result;
  }

  async #confirmed(changes: readonly Change[]): Promise<void> {
    const { access } = this.#parts;
    if (access?.influences(changes)) await access.confirm();
  }

  /** For those who end their transaction themselves; call it when all is written. */
  async announce(changes: readonly Change[]): Promise<Announcement> {
    const { writes, feed } = this.#parts;
    const write = await writes.open(new Set(changes.map(({ collection }) => collection)));
    return {
      async committed() {
        await write.committed();
        feed.publish(changes);
      },
      doubtful: () => write.committed(),
    };
  }
}
