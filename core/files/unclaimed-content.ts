/**
 * Records content in storages that no file refers to. Arriving content is recorded before its first
 * byte, and claimed in the transaction that writes its file. A trigger records content that a file
 * no longer refers to, regardless of the client that deletes or replaces it. So the leftovers of
 * crashed processes are recorded, and only recorded content is removed.
 */

import { reason } from '#core/base/errors/reason.ts';
import { quotaExceeded, unavailable } from '#core/base/errors/service-error.ts';
import type { Client, Pool } from '#core/database/pool.ts';
import { transaction, withConnection } from '#core/database/pool.ts';
import { simpleQuery } from '#core/database/simple-query.ts';
import { quotaLock, render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { AmpleQuota } from './ample-quota.ts';

/** The position of content. */
export interface Place {
  /** The name of its storage location. */
  readonly storage: string;
  /** As in `filename_disk`. */
  readonly name: string;
}

/** Removes content from its storage; does nothing when it does not exist. */
export type RemoveContent = (place: Place) => Promise<void>;

/** The callbacks for removing content. */
export interface Removal {
  readonly remove: RemoveContent;
  /** Called for content that cannot be removed now. */
  readonly failed: (error: unknown, place: Place) => void;
}

/** Maximum and minimum bytes that are reserved at a time for content of unknown length. */
const GRAIN = 16 * 1024 * 1024;
const LEAST_GRAIN = 256 * 1024;
/** Interval (ms) of the heartbeats of slowly arriving content. */
const SIGN_MS = 60_000;
/** Minutes without a heartbeat after which content counts as abandoned. */
const FORGOTTEN_MINUTES = 10;
/** Maximum contents that are removed in one transaction. */
const AT_ONCE = 50;

/**
 * Assigns arrived content to the files of a transaction.
 * @throws ServiceError SERVICE_UNAVAILABLE when some content was abandoned because its process sent
 *   no heartbeat
 */
export async function claimContent(
  client: Client,
  schema: string,
  places: readonly Place[],
): Promise<void> {
  const [storages, names] = [places.map(({ storage }) => storage), places.map(({ name }) => name)];
  const { rowCount } = await client.query(
    render(sql`DELETE FROM ${systemTable(schema, 'unclaimed_content')} AS u
      USING unnest(${storages}::text[], ${names}::text[]) AS c(storage, name)
      WHERE u.storage = c.storage AND u.name = c.name AND u.state = 'arriving'`),
  );
  if (rowCount === places.length) return;
  throw unavailable('storage', reason('content_too_slow'));
}

/** The amount of content in a storage that no file refers to. */
export interface UnclaimedAmount {
  readonly storage: string;
  /** Uploads that arrive, or may be resumed. */
  readonly arriving: { readonly files: number; readonly bytes: number };
  /** Content that is to be removed. */
  readonly left: { readonly files: number; readonly bytes: number };
}

export interface UnclaimedContentOptions {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  /** FILES_MAX_PER_USER: bytes of all files of one user; undefined: no limit. */
  readonly maxPerUser: number | undefined;
}

export class UnclaimedContent {
  readonly #options: UnclaimedContentOptions;
  readonly #ample = new AmpleQuota();

  constructor(options: UnclaimedContentOptions) {
    this.#options = options;
  }

  /**
   * Records content before it arrives.
   * @param holder the user whose quota counts it; null without a quota
   * @param announced its length, if declared
   * @throws ServiceError REQUESTS_EXCEEDED when it exceeds the quota
   */
  async begin(place: Place, holder: string | null, announced = 0): Promise<Arrival> {
    const arrival = new Arrival(this.#options, this.#ample, place, holder);
    await arrival.note(announced);
    return arrival;
  }

  /**
   * Removes content that was stored for files that were not written. It waits for a transaction
   * that may still write them.
   */
  async giveUp({ storage, name }: Place, remove: RemoveContent): Promise<void> {
    const { pool, schema } = this.#options;
    const unclaimed = systemTable(schema, 'unclaimed_content');
    const isIt = sql`storage = ${storage} AND name = ${name}`;
    await transaction(pool, async (client) => {
      const { rows } = await client.query(
        render(sql`SELECT FROM ${unclaimed} WHERE ${isIt} FOR UPDATE`),
      );
      if (rows.length === 0 && (await this.#isClaimed({ storage, name }, client))) return;
      await remove({ storage, name });
      await client.query(render(sql`DELETE FROM ${unclaimed} WHERE ${isIt}`));
    });
  }

  /**
   * Removes content that no file refers to, and leftovers of processes that have ended.
   * @param storages the names of the available storages
   * @returns the number of removed contents
   */
  async sweep(storages: readonly string[], removal: Removal): Promise<number> {
    let removed = 0;
    for (let last: Place | null = { storage: '', name: '' }; last !== null; ) {
      const found = await this.#sweepSome(storages, last, removal);
      removed += found.removed;
      last = found.last;
    }
    return removed;
  }

  /** Whether there is content to sweep. */
  async isAny(storages: readonly string[]): Promise<boolean> {
    const { pool, schema } = this.#options;
    const { rows } = await pool.query(
      render(sql`SELECT FROM ${systemTable(schema, 'unclaimed_content')}
        WHERE ${isLeft(storages)} LIMIT 1`),
    );
    return rows.length > 0;
  }

  /** The amounts of content that no file refers to; storages without any are omitted. */
  async amounts(storages: readonly string[]): Promise<UnclaimedAmount[]> {
    const { pool, schema } = this.#options;
    const amount = (condition: Sql) => sql`json_build_object(
      'files', count(*) FILTER (WHERE ${condition}),
      'bytes', coalesce(sum(bytes) FILTER (WHERE ${condition}), 0))`;
    const left = isLeft(storages);
    const { rows } = await pool.query<UnclaimedAmount>(
      render(sql`SELECT storage, ${amount(sql`NOT (${left})`)} AS arriving, ${amount(left)} AS left
        FROM ${systemTable(schema, 'unclaimed_content')}
        WHERE storage = ANY(${storages}::text[]) GROUP BY storage`),
    );
    return rows;
  }

  async #sweepSome(
    storages: readonly string[],
    { storage, name }: Place,
    { remove, failed }: Removal,
  ): Promise<{ readonly removed: number; readonly last: Place | null }> {
    const { pool, schema } = this.#options;
    const unclaimed = systemTable(schema, 'unclaimed_content');
    return await transaction(pool, async (client) => {
      const { rows } = await client.query<Place>(
        render(sql`SELECT storage, name FROM ${unclaimed}
          WHERE ${isLeft(storages)} AND (storage, name) > (${storage}, ${name})
          ORDER BY storage, name LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED`),
      );
      const gone: Place[] = [];
      for (const place of rows) {
        try {
          await remove(place);
          gone.push(place);
        } catch (error) {
          failed(error, place);
        }
      }
      await client.query(
        render(sql`DELETE FROM ${unclaimed} AS u
          USING unnest(${gone.map((one) => one.storage)}::text[], ${gone.map((one) => one.name)}::text[])
            AS c(storage, name)
          WHERE u.storage = c.storage AND u.name = c.name`),
      );
      return { removed: gone.length, last: rows.at(-1) ?? null };
    });
  }

  /** Whether a file, or a variant of one, refers to content. */
  async #isClaimed(place: Place, client: Client): Promise<boolean> {
    if ((await this.fileOf(place, client)) !== null) return true;
    const { rowCount } = await client.query(
      render(sql`SELECT FROM ${systemTable(this.#options.schema, 'file_variants')}
        WHERE name = ${place.name} AND storage = ${place.storage}`),
    );
    return rowCount !== 0;
  }

  /** The key of the file that content belongs to; null without one. */
  async fileOf(place: Place, client: Client = this.#options.pool): Promise<string | null> {
    const { rows } = await client.query<{ id: string }>(
      render(sql`SELECT id FROM ${systemTable(this.#options.schema, 'files')}
        WHERE filename_disk = ${place.name} AND storage = ${place.storage} LIMIT 1`),
    );
    return rows[0]?.id ?? null;
  }
}

/** Matches content that has no sender and no file. */
function isLeft(storages: readonly string[]): Sql {
  return sql`storage = ANY(${storages}::text[]) AND (state = 'unused'
    OR coalesce(expires_on, seen_on + make_interval(mins => ${FORGOTTEN_MINUTES})) < clock_timestamp())`;
}

/** Content that is arriving. */
export class Arrival {
  readonly #options: UnclaimedContentOptions;
  readonly #ample: AmpleQuota;
  readonly #place: Place;
  readonly #holder: string | null;
  #noted = 0;
  #signed = 0;

  constructor(
    options: UnclaimedContentOptions,
    ample: AmpleQuota,
    place: Place,
    holder: string | null,
  ) {
    this.#options = options;
    this.#ample = ample;
    this.#place = place;
    this.#holder = holder;
  }

  /** Passes the content on, as long as it is within the quota. */
  async *counted(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const isCounted = this.#options.maxPerUser !== undefined && this.#holder !== null;
    let bytes = 0;
    for await (const piece of content) {
      bytes += piece.length;
      if (isCounted && bytes > this.#noted) await this.note(bytes, GRAIN);
      else if (performance.now() - this.#signed > SIGN_MS) await this.note(this.#noted);
      yield piece;
    }
    if (isCounted && bytes !== this.#noted) await this.note(bytes);
  }

  /**
   * Records a number of bytes.
   * @param more additional bytes to reserve at most, as far as the quota allows
   * @throws ServiceError REQUESTS_EXCEEDED when the bytes exceed the quota
   */
  async note(bytes: number, more = 0): Promise<void> {
    const { maxPerUser } = this.#options;
    if (maxPerUser === undefined || this.#holder === null) await this.#noteAll(bytes);
    else if (this.#ample.take(this.#holder, bytes + more - this.#noted)) {
      await this.#noteAll(bytes + more);
    } else this.#noted = await this.#noteWithin(maxPerUser, this.#holder, { bytes, more });
    this.#signed = performance.now();
  }

  async #noteAll(bytes: number): Promise<void> {
    const { storage, name } = this.#place;
    const values = sql`VALUES (${storage}, ${name}, 'arriving', ${this.#holder}, ${bytes})`;
    await this.#options.pool.query(render(this.#insertion(values)));
    this.#noted = bytes;
  }

  #insertion(values: Sql): Sql {
    return sql`INSERT INTO ${systemTable(this.#options.schema, 'unclaimed_content')}
      (storage, name, state, holder, bytes) ${values}
      ON CONFLICT (storage, name) DO UPDATE SET bytes = excluded.bytes, seen_on = clock_timestamp()
      RETURNING bytes`;
  }

  /**
   * @returns the recorded bytes: fewer when little quota remains, so that other uploads can
   *   continue
   */
  async #noteWithin(
    max: number,
    user: string,
    { bytes, more }: { readonly bytes: number; readonly more: number },
  ): Promise<number> {
    const { pool, schema } = this.#options;
    const { storage, name } = this.#place;
    const room = sql`SELECT ${max - bytes}
        - coalesce((SELECT sum(filesize) FROM ${systemTable(schema, 'files')}
            WHERE uploaded_by = ${user}), 0)
        - coalesce((SELECT sum(bytes) FROM ${systemTable(schema, 'unclaimed_content')}
            WHERE holder = ${user} AND (storage, name) <> (${storage}, ${name})), 0) AS bytes`;
    const reserved = sql`least(${more}, room.bytes, greatest(${LEAST_GRAIN}, floor(room.bytes / 4)))`;
    // One message, so that a process that disconnects does not retain the user's quota lock.
    const results = await withConnection(pool, (client) =>
      simpleQuery<{ bytes: string; room: string }>(client, [
        quotaLock(`files of ${user}`),
        sql`WITH room AS (${room}), noted AS (${this.#insertion(
          sql`SELECT ${storage}, ${name}, 'arriving', ${user}, ${bytes} + ${reserved}
            FROM room WHERE room.bytes >= 0`,
        )}) SELECT noted.bytes, room.bytes AS room FROM noted, room`,
      ]),
    );
    const [row] = results.at(-1)?.rows ?? [];
    if (row !== undefined) {
      this.#ample.note(user, Number(row.room));
      return Number(row.bytes);
    }
    throw quotaExceeded('FILES_MAX_PER_USER', max, reason('user_files_too_large', { max }));
  }
}
