/**
 * Validations as conditions on the staged rows: where one holds for a row, the row passes. Where it
 * does not hold, or where PostgreSQL and the payload validation may differ, the payload validation
 * decides.
 */

import { ServiceError } from '#core/base/errors/service-error.ts';
import { type Sql, sql } from '#core/database/sql.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { columnOf } from '#core/model/catalog/catalog.ts';
import type { FieldType } from '#core/model/catalog/field-type.ts';
import { parseFunctionCall } from '#core/query/function-call.ts';
import type { Operator } from '#core/query/operator.ts';
import type { Filter } from '#core/query/query.ts';
import { rowsWithRuleResults } from '#core/read/sql/table-rows.ts';
import type { WriteContext } from '#core/write/write-context.ts';
import { all, any, type Condition, not } from './condition.ts';
import type { RowSource } from './row-source.ts';

type FieldFilter = Extract<Filter, { kind: 'field' }>;
type Operation = Extract<Filter, { kind: 'operation' }>;

/** Types that PostgreSQL orders like the payload validation. */
const ORDERED: ReadonlySet<FieldType> = new Set<FieldType>([
  ...(['integer', 'bigInteger', 'decimal', 'float'] as const),
  ...(['date', 'time', 'dateTime', 'timestamp'] as const),
]);
const ORDERING: ReadonlySet<Operator> = new Set<Operator>([
  ...(['_lt', '_lte', '_gt', '_gte', '_between', '_nbetween'] as const),
]);
/** With a variable without a value in their list, no value passes. */
const FORBIDDING: ReadonlySet<Operator> = new Set<Operator>(['_nin', '_nbetween']);
const PRESENCE: ReadonlySet<unknown> = new Set([true, 'true', 1, '1', '']);

/** Replaces the staged rows while a condition is compiled. */
const ROWS = sql`(SELECT)`;

function targetOf({ target, collection }: WriteContext) {
  return { ...target, collection: collection.name };
}

/** The alias of the staged rows in conditions. */
export function aliasOf(write: WriteContext): string {
  return rowsWithRuleResults(targetOf(write), [], write.now, ROWS).table.alias;
}

/** Whether PostgreSQL and the payload validation agree on an operator. */
function isAgreed({ type, column }: ColumnField, { operator, value }: Operation, isCall: boolean) {
  if (type === 'json' || type === 'hash' || type === 'csv' || column.elementType !== null)
    return false;
  if (ORDERING.has(operator) && !isCall && !ORDERED.has(type)) return false;
  return !(FORBIDDING.has(operator) && JSON.stringify(value ?? null).includes('"$'));
}

export class RuleConditions {
  readonly #write: WriteContext;
  readonly #source: RowSource;

  constructor(write: WriteContext, source: RowSource) {
    this.#write = write;
    this.#source = source;
  }

  /** Holds only for rows that pass a validation. */
  passes(filter: Filter): Condition {
    if (filter.kind === 'group') {
      const parts = filter.filters.map((part) => this.passes(part));
      return filter.connective === 'or' ? any(parts) : all(parts);
    }
    if (filter.kind !== 'field') return false;
    const call = parseFunctionCall(filter.key);
    const field = columnOf(this.#write.collection, call?.field ?? filter.key);
    return field === null ? false : this.#value(filter, field, filter.filter);
  }

  #value(own: FieldFilter, field: ColumnField, filter: Filter): Condition {
    switch (filter.kind) {
      case 'group': {
        const parts = filter.filters.map((part) => this.#value(own, field, part));
        return filter.connective === 'or' ? any(parts) : all(parts);
      }
      case 'operation':
        return any([not(this.#source.isSubmitted(field.name)), this.#holds(own, field, filter)]);
      case 'field':
        return this.#isSubmitted(field, filter);
      default:
        return false;
    }
  }

  #isSubmitted({ name }: ColumnField, { key, filter }: FieldFilter): Condition {
    if (key !== '_submitted' || filter.kind !== 'operation') return false;
    return PRESENCE.has(filter.value) ? this.#source.isSubmitted(name) : false;
  }

  #holds(own: FieldFilter, field: ColumnField, operation: Operation): Sql | false {
    if (!isAgreed(field, operation, parseFunctionCall(own.key) !== null)) return false;
    const leaf: Filter = { ...own, filter: operation };
    try {
      const [verdict] = rowsWithRuleResults(
        targetOf(this.#write),
        [leaf],
        this.#write.now,
        ROWS,
      ).verdicts;
      this.#source.show(field);
      return verdict ?? false;
    } catch (error) {
      if (error instanceof ServiceError) return false;
      throw error;
    }
  }
}
