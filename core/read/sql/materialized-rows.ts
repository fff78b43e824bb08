/**
 * The materialized rows of a level (`WITH … AS MATERIALIZED`). One subquery per relation finds the
 * related items of all rows, which are then joined to the rows.
 */
import { join, raw, type Sql, sql } from '#core/database/sql.ts';

/** Generates aliases of subselects, which differ from the `t1` and so on of tables. */
export class Aliases {
  #count = 0;

  next(): string {
    this.#count += 1;
    return `s${this.#count}`;
  }
}

/** The column with the position of a row in the order of its level. */
export const POSITION = raw('position');

/** The columns of a subquery that identify the owner of its items. */
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

  /** Computes a value for each row of the level; returns an expression for it beside the page. */
  keep(value: Sql): Sql {
    const column = raw(`c${this.#kept.length}`);
    this.#kept.push(sql`${value} AS ${column}`);
    return sql`${this.name}.${column}`;
  }

  /**
   * Reads related data for all rows at once.
   * @param keys values of a row that identify its related data
   * @param query builds the subquery from the select of all keys. Its rows have the columns of
   * {@link ownerColumns}, which equal the keys, each combination at most once, and `value`
   * @returns the row's value; null where the subquery has no row
   */
  read(keys: readonly Sql[], query: (keys: Sql) => Sql): Sql {
    const kept = keys.map((key) => this.keep(key));
    const alias = raw(this.#aliases.next());
    const found = query(sql`SELECT ${join(kept)} FROM ${this.name}`);
    const owners = ownerColumns(keys.length);
    const matches = kept.map((key, index) => sql`${alias}.${owners[index]} = ${key}`);
    // If it were inlined, the planner might run the subquery again for each row.
    this.#reads.push(sql`, ${alias} AS MATERIALIZED (${found})`);
    this.#joins.push(sql` LEFT JOIN ${alias} ON ${join(matches, ' AND ')}`);
    return sql`${alias}.value`;
  }

  /** The columns of a page row, for its select. */
  get columns(): Sql {
    return join(this.#kept);
  }

  /** The WITH clause: the SELECT of the page's rows and the subqueries. */
  with(rows: Sql): Sql {
    return sql`WITH ${this.name} AS MATERIALIZED (${rows})${join(this.#reads, '')}`;
  }

  /** The page joined with all its related data, for `FROM`. */
  get from(): Sql {
    return sql`${this.name}${join(this.#joins, '')}`;
  }
}
