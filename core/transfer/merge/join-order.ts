/**
 * Has PostgreSQL merge large files in the order of their keys. Rows that come as a hash table gives
 * them are found in the table's index, and put there, in no order at all, which takes up to twice
 * as long (figures: ops/docs/decisions/transfer.md).
 */
import { quote, type Sql, sql } from '#core/database/sql.ts';
import type { ImportConnection } from '../target/import-connection.ts';
import type { ImportTarget } from '../target/import-target.ts';

const STAGED = 'pg_temp.sluice_import';

/** Types that are sorted as fast as they are hashed; texts of most languages are not. */
const SORTED_FAST = new Set([
  ...['int2', 'int4', 'int8', 'uuid', 'date', 'time', 'timestamp', 'timestamptz'],
]);

/** Bytes of the smallest staging table that is worth a thought. */
const LEAST_BYTES = 1024 * 1024;
/** Tables that are larger than this many times the staging table are not read whole. */
const LARGER_MAX = 2;

/** The joins that PostgreSQL thinks best, again. */
export const DEFAULT_JOINS: Sql = sql`
  SET LOCAL enable_hashjoin TO DEFAULT; SET LOCAL enable_nestloop TO DEFAULT`;

/**
 * Has the next statements join by order where that is faster: the sizes decide, not the statistics,
 * which may be wrong. Lasts until {@link DEFAULT_JOINS}, or a rollback to a savepoint before it.
 * @returns whether it did
 */
export async function joinInKeyOrder(
  connection: ImportConnection,
  { table, key }: ImportTarget,
): Promise<boolean> {
  // What they ask would be joined so, too.
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
