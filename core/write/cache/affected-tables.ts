/**
 * Determines which tables a write to one table can change: through cascading foreign keys,
 * partitions and inheritance; with triggers or rules, any table. Read from PostgreSQL itself,
 * because cascades also go through tables that are not served.
 */
import type { Pool } from '#core/database/pool.ts';
import { quote } from '#core/database/sql.ts';
import { EVERY_TABLE } from './table-versions.ts';

/** One table of the database. */
export interface TableNode {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  /** Its content depends only on written data, not on the reader. */
  readonly plain: boolean;
  /** Writes to it run triggers or rules. */
  readonly programmed: boolean;
}

/** From one table to another, by oid. */
export type TableEdge = readonly [number, number];

/** The tables of the database and their dependencies. */
export interface TableGraph {
  readonly tables: readonly TableNode[];
  /** Foreign keys that change the second table when the first is written. */
  readonly cascades: readonly TableEdge[];
  /** Tables with their partitions, or with tables that inherit from them. */
  readonly parts: readonly TableEdge[];
}

const STATEMENT = `
  WITH relation AS MATERIALIZED (
    SELECT c.oid, n.nspname, c.relname, c.relkind, c.relrowsecurity,
      EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid = c.oid AND NOT g.tgisinternal
        AND g.tgname NOT LIKE 'system\\_count\\_change%')
      OR EXISTS (SELECT FROM pg_rewrite w WHERE w.ev_class = c.oid) AS programmed
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'f') AND n.nspname NOT LIKE 'pg\\_%'
      AND n.nspname <> 'information_schema')
  SELECT
    (SELECT coalesce(json_agg(json_build_object('oid', oid::int8, 'schema', nspname,
      'name', relname, 'plain', relkind <> 'f' AND NOT relrowsecurity AND NOT programmed,
      'programmed', programmed)), '[]') FROM relation) AS tables,
    (SELECT coalesce(json_agg(DISTINCT array[confrelid::int8, conrelid::int8]), '[]')
      FROM pg_constraint
      WHERE contype = 'f' AND (confdeltype IN ('c', 'n', 'd') OR confupdtype IN ('c', 'n', 'd'))
    ) AS cascades,
    (SELECT coalesce(json_agg(array[inhparent::int8, inhrelid::int8]), '[]')
      FROM pg_inherits WHERE inhparent IN (SELECT oid FROM relation)) AS parts`;

/** The name under which the version of a table is stored. */
export function tableName(table: { readonly schema: string; readonly name: string }): string {
  return `${quote(table.schema)}.${quote(table.name)}`;
}

type Graph = ReadonlyMap<number, readonly number[]>;

function graphOf(edges: readonly TableEdge[]): Graph {
  const graph = new Map<number, number[]>();
  for (const [source, target] of edges) {
    const targets = graph.get(source) ?? [];
    graph.set(source, targets);
    targets.push(target);
  }
  return graph;
}

export class AffectedTables {
  readonly #tables: ReadonlyMap<number, TableNode>;
  readonly #byName: ReadonlyMap<string, TableNode>;
  readonly #parts: Graph;
  readonly #written: Graph;
  readonly #plain = new Map<string, boolean>();
  readonly #affected = new Map<string, readonly string[]>();

  constructor({ tables, cascades, parts }: TableGraph) {
    this.#tables = new Map(tables.map((table) => [table.oid, table]));
    this.#byName = new Map(tables.map((table) => [tableName(table), table]));
    this.#parts = graphOf(parts);
    // A write to a partition changes the whole table, and a write to the whole table its
    // partitions.
    const wholes = parts.map(([whole, part]): TableEdge => [part, whole]);
    this.#written = graphOf([...cascades, ...parts, ...wholes]);
  }

  /** Whether a cached answer from this table stays valid until a write affects the table. */
  isPlain(name: string): boolean {
    const known = this.#plain.get(name);
    if (known !== undefined) return known;
    const all = this.#from(name, this.#parts);
    const plain = all.length > 0 && all.every((table) => table.plain);
    this.#plain.set(name, plain);
    return plain;
  }

  /**
   * The tables that a write to this one can change; only {@link EVERY_TABLE} when it can be any.
   */
  of(name: string): readonly string[] {
    const known = this.#affected.get(name);
    if (known !== undefined) return known;
    const all = this.#from(name, this.#written);
    const any = all.length === 0 || all.some(({ programmed }) => programmed);
    const affected = any ? [EVERY_TABLE] : all.map(tableName);
    this.#affected.set(name, affected);
    return affected;
  }

  /** A table and all tables reachable in the graph; empty when the table is unknown. */
  #from(name: string, graph: Graph): readonly TableNode[] {
    const table = this.#byName.get(name);
    if (table === undefined) return [];
    const seen = new Set([table.oid]);
    // A Set iterates over values that are added during the iteration.
    for (const oid of seen) for (const target of graph.get(oid) ?? []) seen.add(target);
    return [...seen].flatMap((oid) => this.#tables.get(oid) ?? []);
  }
}

/** Reads the current graph of all tables. */
export async function readAffectedTables(pool: Pool): Promise<AffectedTables> {
  const { rows } = await pool.query<TableGraph>(STATEMENT);
  return new AffectedTables(rows[0] ?? { tables: [], cascades: [], parts: [] });
}
