/**
 * Masks concealed values in history when their field is deleted. Otherwise a plain field of the
 * same name could show them later.
 */

import { CONCEALED } from '#core/catalog/concealed-field.ts';
import { type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/system/system-table.ts';

function masked(row: Sql, fields: readonly string[]): Sql {
  const value = sql`CASE WHEN m.key = ANY (${fields}::text[]) AND json_typeof(m.value) <> 'null' THEN to_json(${CONCEALED}::text) ELSE m.value END`;
  return sql`CASE json_typeof(${row}) WHEN 'object' THEN (
    SELECT coalesce(json_object_agg(m.key, ${value} ORDER BY m.n), '{}')
    FROM json_each(${row}) WITH ORDINALITY AS m (key, value, n)) ELSE ${row} END`;
}

/** The statement that masks the fields in all revisions of a collection. */
export function maskInHistory(schema: string, collection: string, fields: readonly string[]): Sql {
  const mask = sql`${CONCEALED}::text`;
  return sql`
    UPDATE ${systemTable(schema, 'revisions')} AS r
    SET data = ${masked(sql`r.data`, fields)}, delta = ${masked(sql`r.delta`, fields)}
    WHERE r.collection = ${collection} AND EXISTS (
      SELECT FROM unnest(${fields}::text[]) AS f (name)
      WHERE coalesce(r.data ->> f.name, ${mask}) <> ${mask}
        OR coalesce(r.delta ->> f.name, ${mask}) <> ${mask})`;
}
