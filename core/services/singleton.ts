/** Singletons: finds their item, and shows defaults before the first write. */

import type { Client } from '#core/database/pool.ts';
import {
  identifier,
  join,
  raw,
  render,
  type Sql,
  type Statement,
  sql,
} from '#core/database/sql.ts';
import type { Collection, ColumnField, Field } from '#core/model/catalog/catalog.ts';
import { decodedColumn } from '#core/model/catalog/column-codec.ts';
import type { Key } from '#core/query/key.ts';
import type { Query } from '#core/query/query.ts';
import type { ReadTarget } from '#core/read/sql/compile.ts';
import { outputOf } from '#core/read/sql/output.ts';
import { objectSql } from '#core/read/sql/row.ts';

/**
 * Constants as PostgreSQL prints them. Reading must run no function, because a function may do
 * anything.
 */
const CONSTANT =
  /^(?:'(?:[^']|'')*'|\(?-?\d+(?:\.\d+)?\)?|true|false)(?:::(?:[\w ."]|\(\d+(?:,\d+)?\)|\[\])+)?$/;

function isShown(field: Field, query: Query): field is ColumnField {
  const asked = query.fields.some(([name, ...rest]) => {
    return rest.length === 0 && (name === '*' || name === field.name);
  });
  return asked && field.column !== null;
}

/** The members of a missing item: the key as null, and every default that is a constant. */
function members(target: ReadTarget, collection: Collection, query: Query): [string, Sql][] {
  const grant = target.grants.of(collection.name) ?? [];
  return [...collection.fields.values()].flatMap((field) => {
    const visible = grant.some(({ fields }) => fields === null || fields.has(field.name));
    if (!visible || !isShown(field, query)) return [];
    const { name } = field;
    if (collection.primaryKey.includes(field)) return [[name, sql`NULL`]];
    const { defaultExpression } = field.column;
    if (defaultExpression === null || !CONSTANT.test(defaultExpression)) return [];
    return [[name, outputOf(field, decodedColumn(field, raw(`(${defaultExpression})`)))]];
  });
}

/** Returns the JSON of a singleton that is not stored yet: its default values. */
export function defaultsText(target: ReadTarget, collection: Collection, query: Query): Statement {
  const shown = objectSql(members(target, collection, query));
  return render(sql`SELECT (${shown})::text`);
}

/**
 * The key of a singleton's item, null without one. The caller locks the collection until its
 * transaction ends, so that two requests do not both create the item.
 */
export async function firstKey(client: Client, collection: Collection): Promise<Key | null> {
  const { table, primaryKey } = collection;
  if (table === null) return null;
  const lock = `sluice singleton ${table.schema}.${table.name}`;
  await client.query(render(sql`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`));
  const columns = primaryKey.map((field) => identifier(field.column.name));
  const key = join(columns.map((column) => sql`${column}::text`));
  const { text, values } = render(
    sql`SELECT ${key} FROM ${identifier(table.schema, table.name)} ORDER BY ${join(columns)} LIMIT 1`,
  );
  const { rows } = await client.query<string[]>({ text, values, rowMode: 'array' });
  return rows[0] ?? null;
}
