/** The table of uploads that arrive in pieces: how far each is, and who adds to it. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from '#core/database/pool.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';

/** What the client says of a file; null for a name without a value. */
export type Metadata = Readonly<Record<string, string | null>>;

/** An upload as it is recorded. */
export interface ResumableUpload {
  readonly id: string;
  readonly user: string | null;
  readonly metadata: Metadata;
  readonly storage: string;
  readonly name: string;
  /** Null until the client tells it. */
  readonly length: number | null;
  readonly offset: number;
  readonly pieces: string | null;
  readonly hash: Buffer | null;
  readonly file: string | null;
  readonly created: Date;
  readonly expires: Date;
}

/** How far an upload has come. */
export interface Progress {
  readonly offset: number;
  readonly pieces: string | null;
  readonly hash: Uint8Array;
}

/** For so long (s) a process that adds pieces counts as alive after its last sign. */
const LOCK_S = 6;
/** How often (ms) it gives one. */
const SIGN_MS = 1_500;
/** How often (ms) who waits looks, and for how long. */
const LOOK_MS = 200;
const WAIT_MS = 12_000;

interface Row extends Omit<ResumableUpload, 'length' | 'offset'> {
  readonly length: string | null;
  readonly offset: string;
}

/** A lock that is held until it is released, or its process dies. */
export interface UploadLock {
  /** Whether the request that had it before may still be writing: it released nothing, or was unsure. */
  readonly isTakenOver: boolean;
  /** @param isSettled false when a write may still reach the storage later */
  release(isSettled: boolean): Promise<void>;
}

export class ResumableUploadTable {
  readonly #pool: Pool;
  readonly #uploads: Sql;
  readonly #unclaimed: Sql;
  /** Milliseconds after the last piece. */
  readonly #lifetime: number;

  constructor(pool: Pool, schema: string, lifetime: number) {
    this.#pool = pool;
    this.#uploads = systemTable(schema, 'resumable_uploads');
    this.#unclaimed = systemTable(schema, 'unclaimed_content');
    this.#lifetime = lifetime;
  }

  /** Milliseconds after the last piece at which an upload is given up. */
  get lifetime(): number {
    return this.#lifetime;
  }

  /** How many uploads an owner has that are not complete. */
  async openOf(holder: string): Promise<number> {
    const { rows } = await this.#pool.query<{ count: number }>(
      render(sql`SELECT count(*)::int AS count FROM ${this.#uploads}
        WHERE holder = ${holder} AND file IS NULL AND expires_on > clock_timestamp()`),
    );
    return rows[0]?.count ?? 0;
  }

  /**
   * Records an upload whose content is noted already.
   * @param holder whose uploads are counted together
   */
  async create(
    upload: Pick<ResumableUpload, 'id' | 'user' | 'metadata' | 'storage' | 'name' | 'length'>,
    holder: string,
  ): Promise<void> {
    const { id, user, metadata, storage, name, length } = upload;
    await this.#pool.query(
      render(sql`WITH kept AS (UPDATE ${this.#unclaimed} SET expires_on = ${this.#end()}
          WHERE storage = ${storage} AND name = ${name})
        INSERT INTO ${this.#uploads} (id, "user", holder, metadata, storage, name, length, expires_on)
        VALUES (${id}, ${user}, ${holder}, ${JSON.stringify(metadata)}::jsonb, ${storage}, ${name}, ${length},
          ${this.#end()})`),
    );
  }

  /** @returns null when there is none, or it has expired */
  async find(id: string): Promise<ResumableUpload | null> {
    const { rows } = await this.#pool.query<Row>(
      render(sql`SELECT id, "user", metadata, storage, name, length, "offset", pieces, hash, file,
          created_on AS created, expires_on AS expires
        FROM ${this.#uploads} WHERE id = ${id} AND expires_on > clock_timestamp()`),
    );
    const [row] = rows;
    if (row === undefined) return null;
    const length = row.length === null ? null : Number(row.length);
    return { ...row, length, offset: Number(row.offset) };
  }

  async setLength(id: string, length: number): Promise<void> {
    await this.#pool.query(
      render(
        sql`UPDATE ${this.#uploads} SET length = ${length} WHERE id = ${id} AND length IS NULL`,
      ),
    );
  }

  /**
   * Records what has arrived, unless somebody else has taken over.
   * @param lock of who adds it
   * @returns whether it is recorded
   */
  async advance(id: string, lock: string, { offset, pieces, hash }: Progress): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      render(sql`WITH u AS (UPDATE ${this.#uploads}
          SET "offset" = ${offset}, pieces = ${pieces}, hash = ${Buffer.from(hash)},
            expires_on = ${this.#end()}, locked_until = clock_timestamp() + make_interval(secs => ${LOCK_S})
          WHERE id = ${id} AND lock = ${lock} RETURNING storage, name),
        noted AS (UPDATE ${this.#unclaimed} AS c
          SET expires_on = ${this.#end()}, bytes = greatest(c.bytes, ${offset})
          FROM u WHERE c.storage = u.storage AND c.name = u.name)
        SELECT FROM u`),
    );
    return rowCount === 1;
  }

  /** Records the file that an upload has become. */
  async finish(id: string, file: string): Promise<void> {
    await this.#pool.query(
      render(sql`UPDATE ${this.#uploads} SET file = ${file} WHERE id = ${id}`),
    );
  }

  async remove(id: string): Promise<void> {
    await this.#pool.query(render(sql`DELETE FROM ${this.#uploads} WHERE id = ${id}`));
  }

  /** Removes the records of uploads that have expired; their content is swept. */
  async removeExpired(): Promise<number> {
    const { rowCount } = await this.#pool.query(
      render(sql`DELETE FROM ${this.#uploads} WHERE expires_on < clock_timestamp()`),
    );
    return rowCount ?? 0;
  }

  /**
   * Waits until nobody else adds to an upload. Whoever does is asked to stop.
   * @param lock a new UUID
   * @param stop called when somebody else wants to go on
   * @returns null when the other one does not stop in time
   */
  async lock(
    id: string,
    lock: string,
    stop: () => void,
    signal: AbortSignal,
  ): Promise<UploadLock | null> {
    const end = performance.now() + WAIT_MS;
    let taken = await this.#take(id, lock);
    while (!taken.had) {
      if (performance.now() > end) return null;
      await delay(LOOK_MS, null, { signal });
      taken = await this.#take(id, lock);
    }
    const timer = setInterval(() => {
      this.#sign(id, lock).then(
        (goesOn) => {
          if (!goesOn) stop();
        },
        () => undefined,
      );
    }, SIGN_MS);
    return {
      isTakenOver: taken.former,
      release: async (isSettled) => {
        clearInterval(timer);
        const ended = isSettled
          ? sql`lock = NULL, locked_until = NULL`
          : sql`locked_until = '-infinity'`;
        await this.#pool.query(
          render(sql`UPDATE ${this.#uploads} SET ${ended}, contended = false
            WHERE id = ${id} AND lock = ${lock}`),
        );
      },
    };
  }

  /**
   * Whether the lock is had, or there is nothing to lock; and whether another request never gave it back.
   * A request that got it since the statement began has it: neither part then touches the row.
   */
  async #take(id: string, lock: string): Promise<{ had: boolean; former: boolean }> {
    const { rows } = await this.#pool.query<{ had: boolean; former: boolean }>(
      render(sql`WITH free AS (SELECT id, lock IS NOT NULL AS former FROM ${this.#uploads}
          WHERE id = ${id} AND (lock IS NULL OR locked_until < clock_timestamp()) FOR UPDATE),
        taken AS (UPDATE ${this.#uploads} AS u
          SET lock = ${lock}, contended = false,
            locked_until = clock_timestamp() + make_interval(secs => ${LOCK_S})
          FROM free WHERE u.id = free.id RETURNING free.former),
        asked AS (UPDATE ${this.#uploads} SET contended = true
          WHERE id = ${id} AND lock IS NOT NULL AND locked_until >= clock_timestamp() RETURNING id)
        SELECT EXISTS (SELECT FROM taken)
          OR NOT EXISTS (SELECT FROM ${this.#uploads} WHERE id = ${id}) AS had,
          EXISTS (SELECT FROM taken WHERE former) AS former`),
    );
    return rows[0] ?? { had: false, former: false };
  }

  /** Says that this process is alive. @returns whether it may go on */
  async #sign(id: string, lock: string): Promise<boolean> {
    const { rows } = await this.#pool.query<{ contended: boolean }>(
      render(sql`UPDATE ${this.#uploads}
        SET locked_until = clock_timestamp() + make_interval(secs => ${LOCK_S})
        WHERE id = ${id} AND lock = ${lock} RETURNING contended`),
    );
    return rows[0]?.contended === false;
  }

  #end(): Sql {
    return sql`clock_timestamp() + make_interval(secs => ${this.#lifetime / 1_000})`;
  }
}
