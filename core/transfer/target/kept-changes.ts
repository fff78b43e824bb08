/**
 * What an import keeps of the rows that it changes, so that it can be undone: their keys, hashes of
 * the rows as it left them, and the rows as they were before. The statements that change rows keep
 * them too, many in each row of the system table, which costs little beside the import.
 */
import { bareType } from '#core/database/column-type.ts';
import { empty, identifier, join, quote, raw, type Sql, sql } from '#core/database/sql.ts';
import type { ColumnDescriptor, TableDescriptor } from '#core/model/catalog/descriptor.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { ImportConnection } from './import-connection.ts';

/** Who keeps the changes, and where. */
export interface KeepOptions {
  /** The id of the import's job. */
  readonly job: string;
  /** The account whose quota counts them; null without one. */
  readonly holder: string | null;
  /** The schema of the system tables. */
  readonly schema: string;
}

/** Types whose hash distinguishes all values; others are hashed as texts. */
const HASHED = new Set([
  ...['bool', 'int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'date', 'time'],
  ...['timestamp', 'timestamptz', 'uuid'],
]);

/** Bytes of kept rows in one row of the system table. */
const CHUNK = raw(String(128 * 1024));
/** Pages of copied rows whose keys are in one row of the system table: at most 7,275. */
const PAGES = raw('25');
/** Estimated bytes of a kept row without its former values. */
const ROW = raw('64');

/** The columns of a table that can be restored and compared. */
export function storedColumns({ columns }: TableDescriptor): readonly ColumnDescriptor[] {
  return columns.filter(({ generatedExpression }) => generatedExpression === null);
}

/** The hash of the row `alias`. */
export function rowHash(alias: string, columns: readonly ColumnDescriptor[]): Sql {
  const values = columns.map(({ name, typeName, domain }) => {
    const value = identifier(alias, name);
    const isHashed = domain === null && HASHED.has(typeName);
    return isHashed ? value : sql`CAST(${value} AS text) COLLATE pg_catalog."C"`;
  });
  return sql`hash_record_extended(ROW(${join(values)}), 0)`;
}

/** The key of the row `alias` as a text. */
export function keyText(alias: string, key: readonly ColumnDescriptor[]): Sql {
  const texts = key.map(({ name }) => sql`CAST(${identifier(alias, name)} AS text)`);
  const [only, ...more] = texts;
  if (only !== undefined && more.length === 0) return only;
  return sql`CAST(jsonb_build_array(${join(texts)}) AS text)`;
}

/** The values of the key columns in a {@link keyText}. */
export function keyValues(text: Sql, key: readonly ColumnDescriptor[]): Sql[] {
  if (key.length === 1) return key.map((column) => sql`CAST(${text} AS ${bareType(column)})`);
  return key.map(
    (column, place) => sql`CAST((${text}::jsonb ->> ${raw(String(place))}) AS ${bareType(column)})`,
  );
}

/** The row `alias` as a text. */
function rowText(alias: string, columns: readonly ColumnDescriptor[]): Sql {
  const values = columns.map(({ name }) => identifier(alias, name));
  return sql`CAST(ROW(${join(values)}) AS text)`;
}

/** The table whose changes are kept. */
export interface KeptTable {
  readonly collection: string;
  readonly table: TableDescriptor;
  /** Columns of the primary key. */
  readonly key: readonly ColumnDescriptor[];
  /** RETURNING has the rows before the statement (PostgreSQL 18). */
  readonly oldReturning: boolean;
}

export class KeptChanges {
  readonly #options: KeepOptions;
  readonly #of: KeptTable;
  readonly #columns: readonly ColumnDescriptor[];
  readonly #changes: Sql;
  readonly #undos: Sql;
  readonly #name: Sql;
  #written: readonly string[] = [];

  constructor(options: KeepOptions, of: KeptTable) {
    this.#options = options;
    this.#of = of;
    this.#columns = storedColumns(of.table);
    this.#changes = systemTable(options.schema, 'import_changes');
    this.#undos = systemTable(options.schema, 'import_undos');
    this.#name = identifier(of.table.schema, of.table.name);
  }

  /** Whether a statement can return the rows before it. */
  get oldReturning(): boolean {
    return this.#of.oldReturning;
  }

  /** Notes the columns of the file. */
  write(columns: readonly { readonly name: string }[]): void {
    this.#written = columns.map(({ name }) => name);
  }

  /** `"key"` and `"hash"` of the written row `t`, for RETURNING. */
  get returning(): Sql {
    return sql`${keyText('t', this.#of.key)} AS "key", ${rowHash('t', this.#columns)} AS "hash"`;
  }

  /** The same without any row. */
  get noRow(): Sql {
    return sql`SELECT NULL::text AS "key", NULL::int8 AS "hash", NULL::text AS "old" WHERE FALSE`;
  }

  /** The former row, with which RETURNING ends; empty where it has none. */
  get oldReturned(): Sql {
    return this.oldReturning ? sql`, ${rowText('old', this.#columns)} AS "old"` : empty;
  }

  /** The former row of a MERGE, which inserts rows too. */
  get oldMerged(): Sql {
    return sql`CASE WHEN merge_action() = 'UPDATE' THEN ${rowText('old', this.#columns)} END AS "old"`;
  }

  /** `"key"` and `"old"` of the rows `t` before a statement changes them. */
  get before(): Sql {
    return sql`${keyText('t', this.#of.key)} AS "key", ${rowText('t', this.#columns)} AS "old"`;
  }

  /**
   * Keeps rows.
   * @param rows a source of `"isNew"`, `"key"`, `"hash"`, `"old"`
   * @returns a statement that returns `is_new` and `"rows"`, their number, several times
   */
  keep(rows: Sql): Sql {
    return sql`INSERT INTO ${this.#changes} (import, is_new, keys, hashes, olds)
      SELECT ${this.#options.job}::uuid, k."isNew", array_agg(k."key"), array_agg(k."hash"),
        CASE WHEN NOT k."isNew" THEN array_agg(k."old") END
      FROM (SELECT r.*, sum(${ROW} + coalesce(octet_length(r."old"), 0))
          OVER (ROWS UNBOUNDED PRECEDING) / ${CHUNK} AS "chunk" FROM ${rows} r) k
      GROUP BY k."isNew", k."chunk" RETURNING is_new, cardinality(keys) AS "rows"`;
  }

  /**
   * Begins to keep. Before PostgreSQL 18 no other transaction may change the rows between the
   * statement's look at them and their change.
   */
  async begin(connection: ImportConnection): Promise<void> {
    if (!this.oldReturning) {
      await connection.run(sql`LOCK TABLE ${this.#name} IN SHARE ROW EXCLUSIVE MODE`);
    }
    await this.mark(connection);
  }

  /** Marks the present subtransaction. @returns its id, which the rows that it writes contain */
  async mark(connection: ImportConnection): Promise<string> {
    const { job, holder } = this.#options;
    const { rows } =
      await connection.run(sql`INSERT INTO ${this.#undos} (import, holder, collection)
      VALUES (${job}, ${holder}, ${this.#of.collection})
      ON CONFLICT (import) DO UPDATE SET collection = excluded.collection RETURNING xmin::text AS "id"`);
    return String(rows[0]?.id);
  }

  /** Keeps the rows that a marked subtransaction copied into the table. */
  async keepCopied(connection: ImportConnection, mark: string): Promise<void> {
    const { schema, name } = this.#of.table;
    const table = `${quote(schema)}.${quote(name)}`;
    // Neighbouring pages share a row; to number the rows instead would take a third longer.
    const pages = sql`SELECT array_agg(format('(%s,0)', n)::tid) FROM generate_series(${PAGES},
      pg_relation_size(${table}::text::regclass) / current_setting('block_size')::int, ${PAGES}) n`;
    await connection.run(sql`INSERT INTO ${this.#changes} (import, is_new, keys, hashes)
      SELECT ${this.#options.job}::uuid, TRUE, array_agg(${keyText('t', this.#of.key)}),
        array_agg(${rowHash('t', this.#columns)})
      FROM ${this.#name} t WHERE t.xmin = ${mark}::xid
      GROUP BY width_bucket(t.ctid, coalesce((${pages}), '{}'))`);
  }

  /** Ends the keeping: its facts and its size are known. */
  async end(connection: ImportConnection): Promise<void> {
    const { job } = this.#options;
    if (this.#of.table.userTriggers) await this.#hashAgain(connection);
    const columns = this.#columns.map(({ name, typeText }) => ({ name, type: typeText }));
    const counted = (isNew: Sql) =>
      sql`coalesce(sum(cardinality(keys)) FILTER (WHERE ${isNew}), 0)`;
    const key = this.#of.key.map(({ name }) => name);
    await connection.run(sql`UPDATE ${this.#undos} u
      SET columns = ${JSON.stringify(columns)}::jsonb, "key" = ${key}::text[], written = ${this.#written}::text[],
        inserted = c.inserted, updated = c.updated, bytes = c.bytes
      FROM (SELECT ${counted(sql`is_new`)} AS inserted, ${counted(sql`NOT is_new`)} AS updated,
          coalesce(sum(pg_column_size(keys) + pg_column_size(hashes)
            + coalesce(pg_column_size(olds), 0)), 0) AS bytes
        FROM ${this.#changes} WHERE import = ${job}) c
      WHERE u.import = ${job}`);
  }

  /** Triggers may have changed rows after the statement that wrote them. */
  async #hashAgain(connection: ImportConnection): Promise<void> {
    const key = this.#of.key.map(({ name }) => identifier('t', name));
    const values = keyValues(sql`k."key"`, this.#of.key);
    const same = key.map((column, place) => sql`${column} = ${values[place] ?? empty}`);
    await connection.run(sql`UPDATE ${this.#changes} c
      SET hashes = (SELECT array_agg(CASE WHEN ${key[0] ?? empty} IS NULL THEN k."hash"
          ELSE ${rowHash('t', this.#columns)} END ORDER BY k."n")
        FROM unnest(c.keys, c.hashes) WITH ORDINALITY k ("key", "hash", "n")
          LEFT JOIN ${this.#name} t ON ${join(same, ' AND ')})
      WHERE c.import = ${this.#options.job}`);
  }
}
