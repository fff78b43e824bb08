/** The other forms of images that were made, and the reasons why some cannot be. */
import type { Pool } from '#core/database/pool.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { Place } from './unclaimed-content.ts';

/** Variants that one file may have; the oldest ones make room for more. */
const MOST_PER_FILE = 500;
/** After so many minutes it is tried again to make what could not be made. */
const REFUSED_MINUTES = 10;

/** What became of a variant is known: it is there, or could not be made a short time ago. */
const IS_KNOWN = sql`(reason IS NULL
  OR made_on > clock_timestamp() - make_interval(mins => ${REFUSED_MINUTES}))`;

/** A variant that is stored. */
export interface FileVariant extends Place {
  readonly type: string;
  readonly bytes: number;
  /** SHA-256 in hexadecimal. */
  readonly sha256: string;
  readonly made: Date;
}

/** The file of a variant, with the bytes of which it is made. */
export interface VariantSource extends Place {
  /** The key of the file. */
  readonly file: string;
}

/** A row as it is read; driver types are those of `pg`. */
interface Row {
  readonly storage: string;
  readonly name: string | null;
  readonly type: string;
  readonly bytes: string;
  readonly sha256: string;
  readonly reason: string | null;
  readonly made_on: Date;
}

export class FileVariants {
  readonly #pool: Pool;
  readonly #schema: string;

  /** @param schema that of the system tables */
  constructor(pool: Pool, schema: string) {
    this.#pool = pool;
    this.#schema = schema;
  }

  /**
   * What became of a variant.
   * @returns the variant, the reason why it cannot be made, or null when nobody has tried lately
   */
  async find(file: string, key: string): Promise<FileVariant | string | null> {
    const { rows } = await this.#pool.query<Row>(
      render(sql`SELECT storage, name, type, bytes, sha256, reason, made_on
        FROM ${this.#variants}
        WHERE file = ${file} AND key = ${key} AND ${IS_KNOWN}`),
    );
    const [row] = rows;
    if (row === undefined) return null;
    const { storage, name, type, sha256 } = row;
    if (name === null) return row.reason;
    return { storage, name, type, sha256, bytes: Number(row.bytes), made: row.made_on };
  }

  /** Those of some variants of which it is known what became of them. */
  async known(file: string, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.#pool.query<{ key: string }>(
      render(sql`SELECT key FROM ${this.#variants}
        WHERE file = ${file} AND key = ANY(${keys}::text[]) AND ${IS_KNOWN}`),
    );
    return new Set(rows.map(({ key }) => key));
  }

  /**
   * Adds a variant that has arrived in its storage.
   * @returns false when the file has other bytes by now, the variant was made by somebody else, or its
   *   bytes were given up: they are still unclaimed then
   */
  async add(
    source: VariantSource,
    key: string,
    { storage, name, type, bytes, sha256 }: Omit<FileVariant, 'made'>,
  ): Promise<boolean> {
    const unclaimed = systemTable(this.#schema, 'unclaimed_content');
    const { rowCount } = await this.#pool.query(
      render(sql`WITH arrived AS (SELECT FROM ${unclaimed}
            WHERE storage = ${storage} AND name = ${name} AND state = 'arriving' FOR UPDATE),
          ${this.#oldest(source)},
          added AS (INSERT INTO ${this.#variants} AS v
              (file, key, storage, name, type, bytes, sha256)
            SELECT f.id, ${key}, ${storage}, ${name}, ${type}, ${bytes}, ${sha256}
              FROM ${this.#sourceOf(source)} AS f, arrived
            ON CONFLICT (file, key) DO UPDATE SET storage = excluded.storage, name = excluded.name,
                type = excluded.type, bytes = excluded.bytes, sha256 = excluded.sha256,
                reason = NULL, made_on = excluded.made_on
              WHERE v.reason IS NOT NULL
            RETURNING name)
        DELETE FROM ${unclaimed} AS u USING added
          WHERE u.storage = ${storage} AND u.name = added.name`),
    );
    return rowCount === 1;
  }

  /** Notes why a variant cannot be made. */
  async refuse(source: VariantSource, key: string, reason: string): Promise<void> {
    await this.#pool.query(
      render(sql`WITH ${this.#oldest(source)}
        INSERT INTO ${this.#variants} AS v (file, key, reason)
          SELECT f.id, ${key}, ${reason} FROM ${this.#sourceOf(source)} AS f
          ON CONFLICT (file, key) DO UPDATE SET reason = excluded.reason, made_on = excluded.made_on
            WHERE v.reason IS NOT NULL`),
    );
  }

  get #variants(): Sql {
    return systemTable(this.#schema, 'file_variants');
  }

  /** The file, as long as it has the bytes of which a variant is made. */
  #sourceOf({ file, storage, name }: VariantSource): Sql {
    return sql`(SELECT id FROM ${systemTable(this.#schema, 'files')} WHERE id = ${file}
      AND storage = ${storage} AND filename_disk = ${name} FOR SHARE)`;
  }

  /** Removes variants to make room for one more. */
  #oldest({ file }: VariantSource): Sql {
    return sql`oldest AS (DELETE FROM ${this.#variants} WHERE file = ${file} AND key IN (
      SELECT key FROM ${this.#variants} WHERE file = ${file}
        ORDER BY made_on DESC OFFSET ${MOST_PER_FILE - 1}))`;
  }
}
