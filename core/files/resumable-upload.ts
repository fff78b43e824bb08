/**
 * The table of resumable uploads: the progress of each, and the lock of the process that writes to
 * it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from '#core/database/pool.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';

/** The client's metadata of a file; null for a name without a value. */
export type Metadata = Readonly<Record<string, string | null>>;

/** A recorded upload. */
export interface ResumableUpload {
  readonly id: string;
  readonly user: string | null;
  readonly metadata: Metadata;
  readonly storage: string;
  readonly name: string;
  /** Null until the client sends it. */
  readonly length: number | null;
  readonly offset: number;
  readonly pieces: string | null;
  readonly hash: Buffer | null;
  readonly file: string | null;
  readonly created: Date;
  readonly expires: Date;
}

/** The progress of an upload. */
export interface Progress {
  readonly offset: number;
  readonly pieces: string | null;
  readonly hash: Uint8Array;
}

/** Seconds after its last heartbeat for which the lock of a process is valid. */
const LOCK_S = 6;
/** Interval (ms) of the heartbeats. */
const SIGN_MS = 1_500;
/** Polling interval (ms) of a request that waits for a lock, and its maximum wait. */
const LOOK_MS = 200;
const WAIT_MS = 12_000;

interface Row extends Omit<ResumableUpload, 'length' | 'offset'> {
  readonly length: string | null;
  readonly offset: string;
}

/** A lock that is valid until it is released, or its process crashes. */
export interface UploadLock {
  /**
   * Whether the request that held it before may still be writing, because it did not release the
   * lock cleanly.
   */
  readonly isTakenOver: boolean;
  /** @param isSettled false when a write may still arrive at the storage later */
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

  /** Milliseconds after the last piece at which an upload expires. */
  get lifetime(): number {
    return this.#lifetime;
  }

  /** The number of incomplete uploads of a holder. */
  async openOf(holder: string): Promise<number> {
    const { rows } = await this.#pool.query<{ count: number }>(
      render(sql`SELECT count(*)::int AS count FROM ${this.#uploads}
        WHERE holder = ${holder} AND file IS NULL AND expires_on > clock_timestamp()`),
    );
    return rows[0]?.count ?? 0;
  }

  /**
   * Records an upload whose content is already recorded.
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

  /** @returns null when the upload does not exist or has expired */
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
   * Records the progress, unless another request has taken over the lock.
   * @param lock of the writing request
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

  /** Records the file that the completed upload created. */
  async finish(id: string, file: string): Promise<void> {
    await this.#pool.query(
      render(sql`UPDATE ${this.#uploads} SET file = ${file} WHERE id = ${id}`),
    );
  }

  async remove(id: string): Promise<void> {
    await this.#pool.query(render(sql`DELETE FROM ${this.#uploads} WHERE id = ${id}`));
  }

  /** Removes the records of expired uploads; a sweep removes their content. */
  async removeExpired(): Promise<number> {
    const { rowCount } = await this.#pool.query(
      render(sql`DELETE FROM ${this.#uploads} WHERE expires_on < clock_timestamp()`),
    );
    return rowCount ?? 0;
  }

  /**
   * Waits until no other request writes to an upload. A request that does is requested to stop.
   * @param lock a new UUID
   * @param stop called when another request waits for the lock
   * @returns null when the other request does not stop in time
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
      this.#renewLock(id, lock).then(
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
   * Tries to acquire the lock. `had`: it was acquired, or the upload does not exist. `former`: the
   * previous request never released it. A request that acquired it after the statement began keeps
   * it: neither update then matches the row.
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

  /**
   * Renews the lock of an upload.
   * @returns whether the request still has the lock, and no other request waits for it
   */
  async #renewLock(id: string, lock: string): Promise<boolean> {
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
