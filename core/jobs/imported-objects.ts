/** Remembers the objects of locations that imports have taken, so that each is imported once. */
import type { Client, Pool } from '#core/database/pool.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { isOpen } from './job.ts';

/** The content of an object of a location, and the collection of its import. */
export interface ObjectImport {
  readonly location: string;
  readonly collection: string;
  readonly key: string;
  readonly etag: string;
}

/** The state of an object that was taken earlier. */
export type TakenObject = 'imported' | 'running';

/** Seconds after which a claim without a job belongs to a request that has ended. */
const CLAIM_S = 60;

function isThis({ location, collection, key, etag }: ObjectImport): Sql {
  return sql`location = ${location} AND collection = ${collection} AND key = ${key} AND etag = ${etag}`;
}

export class ImportedObjects {
  readonly #pool: Pool;
  readonly #schema: string;

  constructor(pool: Pool, schema: string) {
    this.#pool = pool;
    this.#schema = schema;
  }

  /** The objects that are imported, or whose import is open, by their keys. */
  async taken(
    location: string,
    collection: string,
    objects: readonly { readonly key: string; readonly etag: string }[],
  ): Promise<ReadonlyMap<string, TakenObject>> {
    const { rows } = await this.#pool.query<{ key: string; state: TakenObject }>(
      render(sql`SELECT o.key, CASE WHEN o.imported_on IS NULL THEN 'running' ELSE 'imported' END
          AS state
        FROM unnest(${objects.map(({ key }) => key)}::text[],
          ${objects.map(({ etag }) => etag)}::text[]) AS one(key, etag)
        JOIN ${this.#table} o ON o.location = ${location} AND o.collection = ${collection}
          AND o.key = one.key AND o.etag = one.etag
        WHERE o.imported_on IS NOT NULL OR ${this.#hasOpenJob(sql`o`)}`),
    );
    return new Map(rows.map(({ key, state }) => [key, state]));
  }

  /**
   * Claims an object for a job that is about to be submitted.
   * @returns false when it is imported, or another request has claimed it
   */
  async claim({ location, collection, key, etag }: ObjectImport): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      render(sql`INSERT INTO ${this.#table} AS o (location, collection, key, etag)
        VALUES (${location}, ${collection}, ${key}, ${etag})
        ON CONFLICT (collection, location, key, etag)
          DO UPDATE SET job = NULL, claimed_on = clock_timestamp()
          WHERE o.imported_on IS NULL AND NOT ${this.#hasOpenJob(sql`o`)}
            AND (o.job IS NOT NULL
              OR o.claimed_on < clock_timestamp() - make_interval(secs => ${CLAIM_S}))`),
    );
    return rowCount === 1;
  }

  /** Records the job of a claimed object. */
  async submitted(object: ObjectImport, job: string): Promise<void> {
    await this.#pool.query(
      render(sql`UPDATE ${this.#table} SET job = ${job}::uuid WHERE ${isThis(object)}`),
    );
  }

  /** Gives a claim up, because its job was refused. */
  async release(object: ObjectImport): Promise<void> {
    await this.#pool.query(
      render(sql`DELETE FROM ${this.#table}
        WHERE ${isThis(object)} AND job IS NULL AND imported_on IS NULL`),
    );
  }

  get #table(): Sql {
    return systemTable(this.#schema, 'import_objects');
  }

  #hasOpenJob(object: Sql): Sql {
    return sql`EXISTS (SELECT FROM ${systemTable(this.#schema, 'jobs')}
      WHERE id = ${object}.job AND ${isOpen})`;
  }
}

/**
 * Records in the transaction of an import that it imports an object. Another transaction that
 * records the same object waits for the end of this one.
 * @returns false when another import has recorded it before
 */
export async function recordImported(
  client: Client,
  schema: string,
  { location, collection, key, etag }: ObjectImport,
  job: string,
): Promise<boolean> {
  const { rowCount } = await client.query(
    render(sql`INSERT INTO ${systemTable(schema, 'import_objects')} AS o
        (location, collection, key, etag, job, imported_on)
      VALUES (${location}, ${collection}, ${key}, ${etag}, ${job}::uuid, clock_timestamp())
      ON CONFLICT (collection, location, key, etag)
        DO UPDATE SET job = excluded.job, imported_on = excluded.imported_on
        WHERE o.imported_on IS NULL`),
  );
  return rowCount === 1;
}
