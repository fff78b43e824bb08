/** The other forms of images that were made, and the reasons why some cannot be. */
import { type Client, type Pool, transaction } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/system/system-table.ts';
import { claimContent, type Place } from './unclaimed-content.ts';

/** Variants that one file may have; the oldest ones make room for more. */
const MOST_PER_FILE = 500;
/** After so many minutes it is tried again to make what could not be made. */
const REFUSED_MINUTES = 10;

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
        FROM ${systemTable(this.#schema, 'file_variants')}
        WHERE file = ${file} AND key = ${key} AND (reason IS NULL
          OR made_on > clock_timestamp() - make_interval(mins => ${REFUSED_MINUTES}))`),
    );
    const [row] = rows;
    if (row === undefined) return null;
    const { storage, name, type, sha256 } = row;
    if (name === null) return row.reason;
    return { storage, name, type, sha256, bytes: Number(row.bytes), made: row.made_on };
  }

  /**
   * Adds a variant that has arrived in its storage.
   * @returns false when the file has other bytes by now, or the variant was made by somebody else: its
   *   bytes are still unclaimed then
   */
  async add(
    source: VariantSource,
    key: string,
    { storage, name, type, bytes, sha256 }: Omit<FileVariant, 'made'>,
  ): Promise<boolean> {
    return await this.#record(source, key, async (client) => {
      const { rowCount } = await client.query(
        render(sql`INSERT INTO ${systemTable(this.#schema, 'file_variants')}
            (file, key, storage, name, type, bytes, sha256)
          VALUES (${source.file}, ${key}, ${storage}, ${name}, ${type}, ${bytes}, ${sha256})
          ON CONFLICT DO NOTHING`),
      );
      if (rowCount === 0) return false;
      await claimContent(client, this.#schema, [{ storage, name }]);
      return true;
    });
  }

  /** Notes why a variant cannot be made. */
  async refuse(source: VariantSource, key: string, reason: string): Promise<void> {
    await this.#record(source, key, async (client) => {
      await client.query(
        render(sql`INSERT INTO ${systemTable(this.#schema, 'file_variants')} (file, key, reason)
          VALUES (${source.file}, ${key}, ${reason}) ON CONFLICT DO NOTHING`),
      );
      return true;
    });
  }

  /** Writes a variant as long as its file has the bytes of which it is made. */
  async #record(
    { file, storage, name }: VariantSource,
    key: string,
    write: (client: Client) => Promise<boolean>,
  ): Promise<boolean> {
    const variants = systemTable(this.#schema, 'file_variants');
    return await transaction(this.#pool, async (client) => {
      const { rowCount } = await client.query(
        render(sql`SELECT FROM ${systemTable(this.#schema, 'files')}
          WHERE id = ${file} AND storage = ${storage} AND filename_disk = ${name} FOR SHARE`),
      );
      if (rowCount === 0) return false;
      await client.query(
        render(sql`DELETE FROM ${variants} WHERE file = ${file} AND (reason IS NOT NULL AND key = ${key}
          OR key IN (SELECT key FROM ${variants} WHERE file = ${file}
            ORDER BY made_on DESC OFFSET ${MOST_PER_FILE - 1}))`),
      );
      return await write(client);
    });
  }
}
