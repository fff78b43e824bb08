/** Staged rows as the items that a client would send. */

import { isJsonObject } from '#core/base/json/json-object.ts';
import { identifier, join, type Sql, sql } from '#core/database/sql.ts';
import { decodedColumn } from '#core/model/catalog/column-codec.ts';
import { outputOf } from '#core/read/sql/output.ts';
import type { Item } from '#core/write/payload.ts';
import { STAGING, type Staged, stagingColumn } from '../copy/staging-table.ts';
import type { ImportConnection } from '../target/import-connection.ts';

/** A staged row as JSON: each column in its output format, as a client would send it again. */
function itemSql({ columns }: Staged): Sql {
  const members = columns.map(({ field }, place) => {
    const value = decodedColumn(field, sql`s.${stagingColumn(place)}`);
    // A concealed value is validated as it was sent.
    const shown = {
      ...field,
      special: [],
      type: field.type === 'hash' ? ('string' as const) : field.type,
    };
    return sql`${outputOf(shown, value)} AS ${identifier(field.name)}`;
  });
  return sql`(SELECT row_to_json(i) FROM (SELECT ${join(members)}) i)::text`;
}

function itemOf(text: unknown, absent: unknown, { columns }: Staged): Item {
  const members: unknown = JSON.parse(String(text));
  if (!isJsonObject(members)) return {};
  const lacks = typeof absent === 'string' ? absent : '';
  const given = columns.filter((_, place) => lacks[place] !== '1');
  return Object.fromEntries(given.map(({ name }) => [name, members[name]]));
}

/** The items of some rows, in the order of their numbers. */
export async function stagedItems(
  connection: ImportConnection,
  staged: Staged,
  numbers: readonly number[],
): Promise<Item[]> {
  const { rows } = await connection.run(sql`
    SELECT ${itemSql(staged)} AS "item", s."absent"::text AS "absent"
    FROM ${STAGING} s JOIN unnest(${numbers.map(String)}::int8[]) WITH ORDINALITY AS u("row", n)
      ON u."row" = s."row" ORDER BY u.n`);
  return rows.map(({ item, absent }) => itemOf(item, absent, staged));
}
