/**
 * Short texts that change whenever something of PostgreSQL's own catalogs does. PostgreSQL stamps
 * every row of its catalogs with the transaction that wrote it (xmin), and a row that replaces
 * another has a later stamp: so the number of rows and the sum of their stamps tell a change
 * without reading what the rows say.
 */
import { join, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/system/table.ts';
import type { CatalogSchemas } from './catalog-schemas.ts';

/**
 * The number of the rows x of a group, and the sum of their stamps. Age is counted from a moving
 * point, so it is taken relative to that of the first transaction; rows frozen for good have none.
 * It is several times as fast as reading stamps as text.
 */
export const STAMP: Sql = sql`concat(count(*), '.', sum(
  CASE age(x.xmin) WHEN 2147483647 THEN 0
    ELSE (age(x.xmin)::bigint - age('3'::xid)) & 4294967295 END))`;

/** Objects with a lower oid come with PostgreSQL and do not change. */
export const FIRST_OWN: Sql = sql`16384`;

/** What a description of tables is made from, and what the names in it come from. */
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
 * A scalar expression that changes with everything that the catalog could depend on, and with a
 * good deal more, such as temporary tables: cheap enough to ask for every second. Only when it has
 * changed is it worth the while to look closer.
 */
export function gauge({ schemas, system }: CatalogSchemas): Sql {
  const catalogs = CATALOGS.map((catalog) => sql`(SELECT ${STAMP} FROM ${catalog} x)`);
  return sql`concat_ws(' ', ${join(catalogs)}, ${JSON.stringify(schemas)}::text,
    (SELECT concat(rolname, rolsuper, rolinherit) FROM pg_roles WHERE rolname = current_user),
    (SELECT version FROM ${systemTable(system, 'state')} WHERE name = 'metadata'))`;
}
