/** Plans `search`: searches for a term in the collection's own columns that the caller may see. */
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import { floatFault } from '#core/model/values/number.ts';
import type { Operator } from '#core/query/operator.ts';
import { type Condition, combineConditions, type ValueOperand } from './condition.ts';
import type { Column } from './plan.ts';
import { columnReference, type Scope, visibleColumns } from './scope.ts';

const CANONICAL_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const RANGE: Readonly<Record<string, bigint>> = {
  int2: 2n ** 15n,
  int4: 2n ** 31n,
  int8: 2n ** 63n,
};

function fitsInteger(term: string, typeName: string): boolean {
  if (!/^-?(0|[1-9]\d{0,18})$/.test(term)) return false;
  const limit = RANGE[typeName] ?? 0n;
  const value = BigInt(term);
  return value >= -limit && value < limit;
}

/** Compared as the column rounds it; a number beyond its range does not match. */
function floatTest({ column }: ColumnField, term: string): readonly [Operator, string] | null {
  const type = column.typeName === 'float4' ? 'float4' : 'float8';
  return floatFault(term, type === 'float4' ? 4 : 8) === null ? ['_eq', type] : null;
}

/** The test of a column, and the type of the term; null when the column cannot contain the term. */
function testOf({ field }: Column, term: string): readonly [Operator, string] | null {
  switch (field.type) {
    case 'string':
    case 'text':
      return ['_icontains', 'text'];
    case 'integer':
    case 'bigInteger':
      return fitsInteger(term, field.column.typeName) ? ['_eq', 'int8'] : null;
    case 'float':
      return CANONICAL_NUMBER.test(term) && term.length < 100 ? floatTest(field, term) : null;
    case 'decimal':
      return CANONICAL_NUMBER.test(term) && term.length < 100 ? ['_eq', 'numeric'] : null;
    case 'uuid':
      return UUID.test(term) ? ['_eq', 'uuid'] : null;
    default:
      return null;
  }
}

/** Matches rows in which any column contains the term; no rows when no column can. */
export function planSearch(scope: Scope, term: string): Condition {
  scope.context.notes.conditions = true;
  const tests = visibleColumns(scope).flatMap((own): Condition[] => {
    if (isConcealed(own) || own.meta?.searchable === false) return [];
    const column = columnReference(scope, own);
    const { field, guard } = column;
    const [operator, type] = testOf(column, term) ?? [];
    if (operator === undefined || type === undefined) return [];
    const value = { kind: 'column', column } as const;
    const subject = { value, type: field.type, field, concealed: false, guard };
    const operands: readonly ValueOperand[] = [{ kind: 'value', type, text: term }];
    return [{ kind: 'test', operator, subject, operands, strict: true, void: false }];
  });
  return combineConditions('or', tests);
}
