/**
 * Masks concealed values in history when their field is deleted. Otherwise a plain field of the
 * same name could show them later.
 */

import { type Sql, sql } from '#core/database/sql.ts';
import { CONCEALED } from '#core/model/catalog/catalog.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { isDecodable, membersOf } from '#core/read/sql/readable-json.ts';

function masked(row: Sql, fields: readonly string[]): Sql {
  const each = membersOf(row, isDecodable(row));
  const value = sql`CASE WHEN m.key = ANY (${fields}::text[]) AND json_typeof(m.value) <> 'null' THEN to_json(${CONCEALED}::text) ELSE ${each.value} END`;
  return sql`CASE json_typeof(${row}) WHEN 'object' THEN (
    SELECT coalesce(json_object_agg(m.key, ${value} ORDER BY m.n), '{}')
    FROM ${each.from} WHERE ${each.isNamed}) ELSE ${row} END`;
}

/**
 * Whether a row has an unmasked value in one of the fields, or a member name that cannot be
 * decoded.
 */
function tells(row: Sql, fields: readonly string[]): Sql {
  const each = membersOf(row, isDecodable(row));
  const isOpen = sql`m.key = ANY (${fields}::text[]) AND json_typeof(m.value) <> 'null' AND m.value::text <> to_json(${CONCEALED}::text)::text`;
  return sql`EXISTS (SELECT FROM ${each.from} WHERE NOT ${each.isNamed} OR (${isOpen}))`;
}

/** The statement that masks the fields in all revisions of a collection. */
export function maskRevisions(schema: string, collection: string, fields: readonly string[]): Sql {
  return sql`
    UPDATE ${systemTable(schema, 'revisions')} AS r
    SET data = ${masked(sql`r.data`, fields)}, delta = ${masked(sql`r.delta`, fields)}
    WHERE r.collection = ${collection}
      AND (${tells(sql`r.data`, fields)} OR ${tells(sql`r.delta`, fields)})`;
}
