/**
 * The rows of a level, written down once (`WITH … AS MATERIALIZED`), so that the related items of
 * all of them can be found by one sub-query for each relation and joined to them.
 */
import { join, raw, type Sql, sql } from '#core/database/sql.ts';

/** Gives out names for sub-selects, beside the `t1` and so on of tables. */
export class Aliases {
  #count = 0;

  next(): string {
    this.#count += 1;
    return `s${this.#count}`;
  }
}

/** Name of the column that says where a row stands in the order of its level. */
export const POSITION = raw('position');

/** The names of the columns in which a sub-query tells whose items a row holds. */
export function ownerColumns(count: number): Sql[] {
  return Array.from({ length: count }, (_, index) => raw(`owner${index}`));
}

export class MaterializedRows {
  readonly name: Sql;
  readonly #aliases: Aliases;
  readonly #kept: Sql[] = [];
  readonly #reads: Sql[] = [];
  readonly #joins: Sql[] = [];

  constructor(aliases: Aliases) {
    this.#aliases = aliases;
    this.name = raw(aliases.next());
  }

  /** Computes a value for each row of the level; returns what stands for it beside the page. */
  keep(value: Sql): Sql {
    const column = raw(`c${this.#kept.length}`);
    this.#kept.push(sql`${value} AS ${column}`);
    return sql`${this.name}.${column}`;
  }

  /**
   * Reads something for all rows at once.
   * @param keys values of a row by which what belongs to it is found
   * @param query makes the sub-query from the select of all keys; its rows have the columns of
   *   {@link ownerColumns}, which are equal to the keys, each at most once, and `value`
   * @returns the row's value; null where the sub-query has none
   */
  read(keys: readonly Sql[], query: (keys: Sql) => Sql): Sql {
    const kept = keys.map((key) => this.keep(key));
    const alias = raw(this.#aliases.next());
    const found = query(sql`SELECT ${join(kept)} FROM ${this.name}`);
    const owners = ownerColumns(keys.length);
    const matches = kept.map((key, index) => sql`${alias}.${owners[index]} = ${key}`);
    // Without its own name the planner might run the sub-query again for each row.
    this.#reads.push(sql`, ${alias} AS MATERIALIZED (${found})`);
    this.#joins.push(sql` LEFT JOIN ${alias} ON ${join(matches, ' AND ')}`);
    return sql`${alias}.value`;
  }

  /** What a row of the page holds, for its select. */
  get columns(): Sql {
    return join(this.#kept);
  }

  /** The select of the page's rows and the sub-queries beside it, to stand before a `SELECT`. */
  with(rows: Sql): Sql {
    return sql`WITH ${this.name} AS MATERIALIZED (${rows})${join(this.#reads, '')}`;
  }

  /** The page with all that was read for it, for `FROM`. */
  get from(): Sql {
    return sql`${this.name}${join(this.#joins, '')}`;
  }
}
