/** Members of metadata rows for the statements that write them. */
import { raw, type Sql, sql } from '#core/database/sql.ts';
import { systemField } from '#core/model/system-collections/registry.ts';

/** The given members of a row. */
export function givenMembers(meta: object): [string, unknown][] {
  return Object.entries(meta).filter(([, value]) => value !== undefined);
}

/** A member's value in a statement. */
export function memberSql(table: 'collections' | 'fields', member: string, value: unknown): Sql {
  if (value === null || value === undefined) return raw('NULL');
  const isJson = systemField(table, member)?.type === 'json';
  return isJson ? sql`${JSON.stringify(value)}::json` : sql`${value}`;
}
