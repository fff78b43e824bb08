/**
 * A short text that changes whenever the served tables change. PostgreSQL stamps every row of its
 * catalogs with the transaction that wrote it (xmin), so the number of rows and the sum of their
 * stamps tell a change without reading what the rows say. Temporary tables are in no served schema.
 */
import { type Sql, sql } from '#core/database/sql.ts';

/** Rows and stamps of one catalog table. */
const STAMPS = sql`concat(count(*), '.', sum(x.xmin::text::bigint))`;

/**
 * pg_class by value, because TRUNCATE, VACUUM FULL and REINDEX rewrite its rows without any
 * change to what the catalog describes.
 */
const CLASSES = sql`
  SELECT concat(count(*), '.', sum(hashtextextended(concat_ws(' ', oid, relname, relnamespace,
    relkind, relowner, relacl, relispartition, relhastriggers), 0)))
  FROM relation`;

/** What has columns. */
const TABLE_KINDS = sql`('r', 'p', 'v', 'm', 'f')`;

/**
 * The fingerprint as a scalar expression. Rights that come by membership in roles are not part of
 * it.
 */
export function fingerprint(schemas: readonly string[]): Sql {
  return sql`(
    WITH served AS MATERIALIZED (
      SELECT n.oid, n.xmin, n.nspname FROM pg_namespace n
      WHERE n.nspname = ANY (${schemas}::text[])),
    relation AS MATERIALIZED (
      SELECT c.oid, c.relname, c.relnamespace, c.relkind, c.relowner, c.relacl, c.relispartition,
        c.relhastriggers
      FROM pg_class c WHERE c.relnamespace IN (SELECT oid FROM served)),
    tables AS MATERIALIZED (SELECT oid FROM relation WHERE relkind IN ${TABLE_KINDS})
    SELECT concat_ws(' ',
      (SELECT ${STAMPS} FROM served x),
      (${CLASSES}),
      (SELECT ${STAMPS} FROM pg_attribute x JOIN tables r ON r.oid = x.attrelid
        WHERE x.attnum > 0),
      (SELECT ${STAMPS} FROM pg_attrdef x JOIN tables r ON r.oid = x.adrelid),
      (SELECT ${STAMPS} FROM pg_index x JOIN tables r ON r.oid = x.indrelid),
      (SELECT ${STAMPS} FROM pg_constraint x
        WHERE x.connamespace IN (SELECT oid FROM served) OR x.contypid <> 0),
      (SELECT ${STAMPS} FROM pg_trigger x JOIN tables r ON r.oid = x.tgrelid
        WHERE NOT x.tgisinternal),
      (SELECT ${STAMPS} FROM pg_description x JOIN tables r ON r.oid = x.objoid
        WHERE x.classoid = 'pg_class'::regclass),
      (SELECT ${STAMPS} FROM pg_enum x),
      (SELECT ${STAMPS} FROM pg_type x WHERE x.typtype IN ('d', 'e'))))`;
}
