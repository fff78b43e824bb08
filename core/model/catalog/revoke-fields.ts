/**
 * Removes fields from permissions, so that the permissions do not apply to a later field of the
 * same name.
 */
import { type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '../system/system-table.ts';

/**
 * The statement that removes fields from the lists of all permissions that name them.
 * @param gone selects `collection` and `field`
 */
export function withoutFields(system: string, gone: Sql): Sql {
  return sql`
    WITH gone AS (${gone})
    UPDATE ${systemTable(system, 'permissions')} AS p SET fields = (
      SELECT string_agg(f.name, ',' ORDER BY f.n)
      FROM unnest(string_to_array(p.fields, ',')) WITH ORDINALITY AS f (name, n)
      WHERE (p.collection, btrim(f.name)) NOT IN (SELECT collection, field FROM gone))
    WHERE EXISTS (
      SELECT FROM unnest(string_to_array(p.fields, ',')) AS f (name)
      WHERE (p.collection, btrim(f.name)) IN (SELECT collection, field FROM gone))`;
}
