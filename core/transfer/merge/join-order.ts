/**
 * Makes PostgreSQL merge large files in key order. Rows in the order of a hash table access the
 * table's index and heap randomly, which takes up to twice as long (figures:
 * ops/docs/decisions/transfer.md).
 */
import { quote, type Sql, sql } from '#core/database/sql.ts';
import type { ImportConnection } from '../target/import-connection.ts';
import type { ImportTarget } from '../target/import-target.ts';

const STAGED = 'pg_temp.sluice_import';

/** Types that sort as fast as they hash; texts of most languages do not. */
const SORTED_FAST = new Set([
  ...['int2', 'int4', 'int8', 'uuid', 'date', 'time', 'timestamp', 'timestamptz'],
]);

/** The minimum size in bytes of a staging table for this optimization. */
const LEAST_BYTES = 1024 * 1024;
/** Tables larger than this multiple of the staging table are not scanned completely. */
const LARGER_MAX = 2;

/** Restores PostgreSQL's choice of joins. */
export const DEFAULT_JOINS: Sql = sql`
  SET LOCAL enable_hashjoin TO DEFAULT; SET LOCAL enable_nestloop TO DEFAULT`;

/**
 * Makes the next statements use merge joins if that is faster. Sizes decide, not the statistics,
 * which may be wrong. Lasts until {@link DEFAULT_JOINS}, or a rollback to an earlier savepoint.
 * @returns whether it did
 */
export async function joinInKeyOrder(
  connection: ImportConnection,
  { table, key }: ImportTarget,
): Promise<boolean> {
  // The settings would also affect the triggers' own queries.
  if (table.userTriggers) return false;
  if (!key.every(({ column }) => SORTED_FAST.has(column.typeName))) return false;
  const relation = sql`${`${quote(table.schema)}.${quote(table.name)}`}::text::regclass`;
  const { rows } = await connection.run(sql`
    SELECT set_config(s.name, 'off', true)
    FROM (VALUES ('enable_hashjoin'), ('enable_nestloop')) s (name),
      (SELECT pg_relation_size(${STAGED}::regclass) AS "bytes") f,
      (SELECT coalesce(sum(pg_relation_size(c.oid)), 0) AS "bytes" FROM pg_class c
       WHERE c.oid = ${relation} OR c.oid IN (SELECT relid FROM pg_partition_tree(${relation}))) t
    WHERE f.bytes >= ${LEAST_BYTES} AND t.bytes <= ${LARGER_MAX} * f.bytes`);
  return rows.length > 0;
}
