/**
 * Counts the rows of joined tables when PostgreSQL's statistics are wrong. They may be missing, or
 * far off after a restore or a mass deletion, and then a merge of a million rows can take hours.
 */
import { identifier, join, quote, raw, render, type Sql, sql } from '#core/database/sql.ts';
import type { ImportRun } from '../run/import-run.ts';
import { STAGING } from './staging-table.ts';

/** The number of pages of a table to sample. */
const SAMPLED_PAGES = 16;
/** The accepted ratio between the counted rows and the statistics. */
const TOLERANCE = 4;
/** A tenth of the usual sample, because only the number of rows matters. */
const TARGET = sql`SET LOCAL default_statistics_target = 10`;
/** Limits the wait for another ANALYZE of the table, or for a change of its schema. */
const LIMITS = sql`SET LOCAL lock_timeout = '1s'; SET LOCAL statement_timeout = '10s'`;
/** The number of partitions of one table to check: the largest ones. */
const PARTITIONS_MAX = 256;

interface Table {
  readonly name: Sql;
  /** Columns whose values the import compares. */
  readonly columns: Sql;
  readonly pages: number;
  /** Rows per page, by PostgreSQL's statistics. */
  readonly rows: number;
}

/**
 * The tables that store a table's rows, itself or its partitions, if they may be read: a foreign
 * key needs no permission to read its target.
 */
async function leavesOf(
  { connection }: ImportRun,
  { schema, name, columns }: { schema: string; name: string; columns: readonly string[] },
): Promise<Table[]> {
  const relation = sql`${`${quote(schema)}.${quote(name)}`}::text::regclass`;
  // Without statistics PostgreSQL estimates by size, which is good enough for small tables.
  const { rows } = await connection.run(sql`
    SELECT n.nspname AS "schema", c.relname AS "name", pg_relation_size(c.oid) / 8192 AS "pages",
      greatest(c.reltuples, 0) / greatest(c.relpages, 1) AS "rows"
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r'
      AND (c.relpages > 0 OR pg_relation_size(c.oid) / 8192 > ${SAMPLED_PAGES})
      AND (c.oid = ${relation}
        OR c.oid IN (SELECT relid FROM pg_partition_tree(${relation}) WHERE isleaf))
      AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
    ORDER BY c.relpages DESC LIMIT ${PARTITIONS_MAX}`);
  return rows.map((row) => ({
    name: identifier(String(row.schema), String(row.name)),
    columns: join(columns.map((column) => identifier(column))),
    pages: Number(row.pages),
    rows: Number(row.rows),
  }));
}

/** The tables that have far more or fewer rows than their statistics say. */
async function miscounted({ connection }: ImportRun, tables: readonly Table[]): Promise<Table[]> {
  const filled = tables.filter(({ pages }) => pages > 0);
  if (filled.length === 0) return [];
  const counts = filled.map(({ name, pages }, index) => {
    const percent = raw(String((100 * Math.min(pages, SAMPLED_PAGES)) / pages));
    return sql`SELECT ${raw(String(index))} AS "table", count(*) AS "rows"
      FROM ${name} TABLESAMPLE SYSTEM (${percent})`;
  });
  const { rows } = await connection.run(join(counts, ' UNION ALL '));
  const counted = new Map(rows.map((row) => [Number(row.table), Number(row.rows)]));
  return filled.filter((table, index) => {
    const found = (counted.get(index) ?? 0) / Math.min(table.pages, SAMPLED_PAGES);
    return found > TOLERANCE * table.rows || TOLERANCE * found < table.rows;
  });
}

/**
 * Analyzes the staged rows, and also the target and its referenced tables if their statistics are
 * wrong. Without permission for that, because another role owns them, the import continues with the
 * existing statistics.
 */
export async function refreshStatistics(run: ImportRun): Promise<void> {
  const { connection, target, options } = run;
  await connection.run(sql`${TARGET}; ANALYZE ${STAGING}`);
  // Cached plans of earlier imports on this connection, for example of foreign keys, may be for
  // small tables.
  await connection.run(sql`DISCARD PLANS`);
  const { schema, name, foreignKeys } = target.table;
  const joined = [
    { schema, name, columns: target.key.map((field) => field.name) },
    ...foreignKeys.map(({ targetSchema, targetTable, targetColumns }) => {
      return { schema: targetSchema, name: targetTable, columns: targetColumns };
    }),
  ];
  for (const table of joined) {
    for (const leaf of await miscounted(run, await leavesOf(run, table))) {
      const analyze = sql`ANALYZE (SKIP_LOCKED) ${leaf.name} (${leaf.columns})`;
      // Several statements in one message form one transaction.
      await options.analyze(render(sql`${TARGET}; ${LIMITS}; ${analyze}`).text);
    }
  }
}
