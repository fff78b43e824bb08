/** Members of rows of the metadata tables, as the statements that write them need them. */
import { raw, type Sql, sql } from '#core/database/sql.ts';
import { systemField } from '#core/system-collections/registry.ts';

/** The members of a row that are given. */
export function given(meta: object): [string, unknown][] {
  return Object.entries(meta).filter(([, value]) => value !== undefined);
}

/** A member's value in a statement. */
export function cell(table: 'collections' | 'fields', member: string, value: unknown): Sql {
  if (value === null || value === undefined) return raw('NULL');
  const isJson = systemField(table, member)?.type === 'json';
  return isJson ? sql`${JSON.stringify(value)}::json` : sql`${value}`;
}
