/**
 * Stamps: short texts that change whenever PostgreSQL's own catalogs change. PostgreSQL marks each
 * row of its catalogs with the transaction that wrote it (xmin), and a newer row has a later one.
 * So the number of rows and the sum of their xmin reveal a change without reading the content.
 */
import { join, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '../system/system-table.ts';
import type { CatalogSchemas } from './catalog.ts';

/**
 * The number of rows x of a group, and the sum of their xmin. Age is counted from a moving point,
 * so it is taken relative to that of the first transaction; frozen rows have none. Several times as
 * fast as reading xmin as text.
 */
export const STAMP: Sql = sql`concat(count(*), '.', sum(
  CASE age(x.xmin) WHEN 2147483647 THEN 0
    ELSE (age(x.xmin)::bigint - age('3'::xid)) & 4294967295 END))`;

/** Objects with a lower oid come with PostgreSQL and do not change. */
export const FIRST_USER_OID: Sql = sql`16384`;

/** The catalogs that descriptions of tables, and the names in them, come from. */
const CATALOGS = [
  sql`pg_namespace`,
  sql`pg_class`,
  sql`pg_attribute`,
  sql`pg_attrdef`,
  sql`pg_index`,
  sql`pg_constraint`,
  sql`pg_trigger`,
  sql`pg_description`,
  sql`pg_type`,
  sql`pg_enum`,
  sql`pg_depend`,
  sql`pg_proc`,
  sql`pg_operator`,
  sql`pg_collation`,
  sql`pg_ts_config`,
  sql`pg_auth_members`,
];

/**
 * An SQL expression that changes with everything that the catalog can depend on, and more, such as
 * temporary tables. Cheap enough for once a second. A closer comparison is needed only when it has
 * changed.
 */
export function databaseStamp({ schemas, system }: CatalogSchemas): Sql {
  const catalogs = CATALOGS.map((catalog) => sql`(SELECT ${STAMP} FROM ${catalog} x)`);
  return sql`concat_ws(' ', ${join(catalogs)}, ${JSON.stringify(schemas)}::text,
    (SELECT concat(rolname, rolsuper, rolinherit) FROM pg_roles WHERE rolname = current_user),
    (SELECT version FROM ${systemTable(system, 'state')} WHERE name = 'metadata'))`;
}
