/** The conditions of a query for jobs, each with the ways an index can serve it. */
import { type Sql, sql } from '#core/database/sql.ts';
import type { Operator } from '#core/query/operator.ts';
import type { Filter } from '#core/query/query.ts';
import { FIELDS } from './job-collection.ts';
import { startsWith } from './job-page.ts';

/** A condition that every job of a list must satisfy. */
export interface JobCondition {
  readonly condition: Sql;
  /** The only column of the condition; null for several. */
  readonly column: string | null;
  /**
   * Alternatives that together find the jobs, each served by an index; empty without such an index.
   */
  readonly branches: readonly Sql[];
  /** An index contains these jobs in the order of the column. */
  readonly isRange: boolean;
  /** The condition fixes the column to one value. */
  readonly isEqual: boolean;
  /** Only jobs with a file satisfy it. */
  readonly hasFile: boolean;
}

/** A condition without an index that serves it. */
export const UNPROBED = { branches: [], isRange: false, isEqual: false, hasFile: false } as const;

const RANGES: ReadonlySet<Operator> = new Set<Operator>([
  ...([
    '_eq',
    '_null',
    '_nnull',
    '_lt',
    '_lte',
    '_gt',
    '_gte',
    '_between',
    '_starts_with',
  ] as const),
]);
const INDEXED: ReadonlySet<Operator> = new Set<Operator>([
  ...RANGES,
  ...(['_in', '_istarts_with'] as const),
]);

/** The parts of a filter that must all hold. */
export function partsOf(filter: Filter | null): readonly Filter[] {
  if (filter === null) return [];
  if (filter.kind !== 'group' || filter.connective !== 'and') return [filter];
  return filter.filters.flatMap(partsOf);
}

function operatorsOf(filter: Filter): readonly Operator[] | null {
  if (filter.kind === 'operation') return [filter.operator];
  if (filter.kind !== 'group' || filter.connective !== 'and') return null;
  const lists = filter.filters.map(operatorsOf);
  return lists.every((list) => list !== null) ? lists.flat() : null;
}

/** Operators that no null value satisfies. */
const SET: ReadonlySet<Operator> = new Set<Operator>([
  ...(['_lt', '_lte', '_gt', '_gte', '_between', '_starts_with', '_istarts_with'] as const),
  ...(['_contains', '_icontains', '_ends_with', '_iends_with'] as const),
]);

function isOfFiles(column: string, filter: Filter): boolean {
  if (filter.kind === 'group') return filter.filters.some((one) => isOfFiles(column, one));
  if (filter.kind !== 'operation') return false;
  const { operator, value } = filter;
  if (column === 'kind') return operator === '_eq' && value === 'import';
  if (column !== 'file_name' && column !== 'file_size') return false;
  return SET.has(operator) || (operator === '_eq' && value !== null);
}

/** A case-insensitive prefix in the form that an index serves, which the general one has not. */
function servedForm(filter: Filter, column: Sql): Sql | null {
  if (filter.kind !== 'operation' || filter.operator !== '_istarts_with') return null;
  return typeof filter.value === 'string' ? startsWith(column, filter.value) : null;
}

/** Adds a case-insensitive prefix condition, which has an index in every collation. */
function prefixForm(filter: Filter, column: Sql, condition: Sql): Sql {
  if (filter.kind !== 'operation' || filter.operator !== '_starts_with') return condition;
  return sql`(${startsWith(column, String(filter.value))} AND ${condition})`;
}

/**
 * @param given the filter as SQL
 * @param named a column in the same statement
 */
export function jobCondition(
  filter: Filter,
  given: Sql,
  named: (name: string) => Sql,
): JobCondition {
  const operators = filter.kind === 'field' ? operatorsOf(filter.filter) : null;
  const field = filter.kind === 'field' ? filter.key : '';
  const column = Object.entries(FIELDS).find(([name]) => name === field)?.[1][0] ?? null;
  if (filter.kind !== 'field' || operators === null || column === null) {
    return { ...UNPROBED, condition: given, column: null };
  }
  const condition = servedForm(filter.filter, named(column)) ?? given;
  const isIndexed = operators.some((operator) => INDEXED.has(operator));
  return {
    ...{ condition, column },
    branches: isIndexed ? [prefixForm(filter.filter, named(column), condition)] : [],
    isRange: operators.every((operator) => RANGES.has(operator)),
    isEqual: operators.length === 1 && operators[0] === '_eq',
    hasFile: isOfFiles(column, filter.filter),
  };
}
