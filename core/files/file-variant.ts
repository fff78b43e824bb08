/** The stored variants of images, and the reasons why some cannot be made. */
import type { Pool } from '#core/database/pool.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { Place } from './unclaimed-content.ts';

/** Maximum variants of one file; new ones replace the oldest. */
const MOST_PER_FILE = 500;
/** Minutes after which a failed variant is tried again. */
const REFUSED_MINUTES = 10;

/** Matches variants that are stored, or whose failure is recent. */
const IS_KNOWN = sql`(reason IS NULL
  OR made_on > clock_timestamp() - make_interval(mins => ${REFUSED_MINUTES}))`;

/** A stored variant. */
export interface FileVariant extends Place {
  readonly type: string;
  readonly bytes: number;
  /** SHA-256 in hexadecimal. */
  readonly sha256: string;
  readonly made: Date;
}

/** The file of a variant, with the content from which it is made. */
export interface VariantSource extends Place {
  /** The key of the file. */
  readonly file: string;
}

/** A row of the query, with the types of the `pg` driver. */
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

  /** @param schema of the system tables */
  constructor(pool: Pool, schema: string) {
    this.#pool = pool;
    this.#schema = schema;
  }

  /**
   * The result of a variant.
   * @returns the variant, the reason why it cannot be made, or null when no recent attempt exists
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

  /** The keys among the given ones that have a stored variant or a recent failure. */
  async known(file: string, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.#pool.query<{ key: string }>(
      render(sql`SELECT key FROM ${this.#variants}
        WHERE file = ${file} AND key = ANY(${keys}::text[]) AND ${IS_KNOWN}`),
    );
    return new Set(rows.map(({ key }) => key));
  }

  /**
   * Adds a variant whose content has arrived in its storage.
   * @returns false when the file's content has changed, another process has added the variant, or
   *   its content was abandoned; the content then remains unclaimed
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

  /** Records why a variant cannot be made. */
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

  /** The file, while it has the content from which a variant is made. */
  #sourceOf({ file, storage, name }: VariantSource): Sql {
    return sql`(SELECT id FROM ${systemTable(this.#schema, 'files')} WHERE id = ${file}
      AND storage = ${storage} AND filename_disk = ${name} FOR SHARE)`;
  }

  /** Removes the oldest variants to make room for one more. */
  #oldest({ file }: VariantSource): Sql {
    return sql`oldest AS (DELETE FROM ${this.#variants} WHERE file = ${file} AND key IN (
      SELECT key FROM ${this.#variants} WHERE file = ${file}
        ORDER BY made_on DESC OFFSET ${MOST_PER_FILE - 1}))`;
  }
}
