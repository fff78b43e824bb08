/** The conditions of a page of jobs: after a given job, and by a prefix. */
import { join, type Sql, sql } from '#core/database/sql.ts';
import type { SortTerm } from '#core/query/query.ts';

/** The position of the job after which a page begins. */
export interface Anchor {
  readonly sequence: string;
  /** The value of the sort field as text. */
  readonly value: string | null;
}

/** A column of the table of jobs. */
type Named = (name: string) => Sql;

/** Whether any of the conditions holds; false without conditions. */
export function either(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`false` : sql`(${join(conditions, ' OR ')})`;
}

/** The smallest and largest id with a prefix; null when no id can have it. */
function idRange(text: string): readonly [string, string] | null {
  if (!/^[0-9a-f-]{1,36}$/i.test(text)) return null;
  const filled = (digit: string) =>
    text
      .replaceAll('-', '')
      .padEnd(32, digit)
      .toLowerCase()
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
  const [first, last] = [filled('0'), filled('f')];
  return first.startsWith(text.toLowerCase()) ? [first, last] : null;
}

/** Whether a text has a prefix, ignoring case; the prefix indexes serve it. */
export function startsWith(column: Sql, text: string): Sql {
  const pattern = `${text.replace(/[\\%_]/g, '\\$&')}%`;
  // Both sides use the collation of the database, which may support only ASCII letters.
  return sql`lower(${column}) LIKE lower(${pattern})`;
}

/**
 * The conditions for jobs whose file name, collection or id has a prefix; a job must satisfy one of
 * them.
 */
export function prefixConditions(text: string, named: Named): readonly Sql[] {
  const range = idRange(text);
  return [
    startsWith(named('file_name'), text),
    startsWith(named('collection'), text),
    ...(range === null ? [] : [sql`${named('id')} BETWEEN ${range[0]} AND ${range[1]}`]),
  ];
}

/**
 * The ranges of the jobs after one, each with its conditions, in their order: nulls are last, or
 * first in a descending order.
 * @param column the column of the only sort field; null for the default order
 */
export function rangesAfter(
  [term]: readonly SortTerm[],
  { sequence, value }: Anchor,
  column: Sql | null,
  named: Named,
): readonly (readonly Sql[])[] {
  const place = named('sequence');
  if (term === undefined || column === null) return [[sql`${place} < ${sequence}`]];
  const isNull = sql`${column} IS NULL`;
  const isSet = sql`${column} IS NOT NULL`;
  if (term.descending) {
    if (value === null) return [[isNull, sql`${place} < ${sequence}`], [isSet]];
    return [[sql`(${column}, ${place}) < (${value}, ${sequence})`]];
  }
  if (value === null) return [[isNull, sql`${place} > ${sequence}`]];
  return [[sql`(${column}, ${place}) > (${value}, ${sequence})`], [isNull]];
}
