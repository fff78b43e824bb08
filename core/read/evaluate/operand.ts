/**
 * Checks that the operands of a validation fit their field. An unfitting operand would never equal
 * a value, so that a rule against equality would let every value pass.
 */
import { ANONYMOUS } from '#core/access/grants.ts';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import { reasonOf } from '#core/base/errors/reason-of-error.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { type Operator, operandShape } from '#core/query/operator.ts';
import type { Filter } from '#core/query/query.ts';
import { isRecordPath } from '../plan/caller-record-path.ts';
import { geometryOf, isGeometry } from '../plan/geometry.ts';
import { operandOf } from '../plan/operand.ts';
import { NO_VALUE, resolveVariable } from '../plan/variable.ts';
import { hasDatabaseSpellings } from './compare.ts';
import { isCheckableByDatabase } from './operation.ts';

type Operation = Extract<Filter, { kind: 'operation' }>;

const KEY = '00000000-0000-4000-8000-000000000000';
/** A caller and a time for which every variable has a value. */
const BINDING = {
  caller: { ...ANONYMOUS, user: KEY, role: KEY, roles: [KEY], policies: [KEY] },
  now: new Date(0),
};

const EQUAL: ReadonlySet<Operator> = new Set<Operator>(['_eq', '_in']);
const LISTS: ReadonlySet<Operator> = new Set<Operator>(['_in', '_nin', '_between', '_nbetween']);
const SINGLE: ReadonlySet<Operator> = new Set<Operator>([
  ...(['_eq', '_neq', '_lt', '_lte', '_gt', '_gte'] as const),
]);

function entriesOf({ operator, value }: Operation): readonly unknown[] {
  if (!LISTS.has(operator)) return [value];
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') {
    return value.startsWith('$') ? [value] : value.split(',').map((entry) => entry.trim());
  }
  return typeof value === 'object' && value !== null ? Object.values(value) : [value];
}

/** The values of an operand; empty when they depend on the caller's records. */
function meaningsOf(entry: unknown): readonly unknown[] {
  if (typeof entry !== 'string') return [entry];
  if (isRecordPath(entry)) return [];
  const found = resolveVariable(BINDING, entry);
  if (found === NO_VALUE) return [];
  return Array.isArray(found) ? found : [found];
}

/** The fault of a condition on the item's own field that only PostgreSQL can evaluate. */
function opaqueFault({ type }: ColumnField, { operator, value, place }: Operation): Reason | null {
  const isShape = isGeometry({ type }) && operandShape(operator) !== 'flag' && value !== null;
  return isShape ? faultOf(() => geometryOf({ value, place, spelled: false })) : null;
}

function faultOf(look: () => void): Reason | null {
  try {
    look();
    return null;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return reasonOf(error);
  }
}

/**
 * @param field null for the result of a function, which is an integer
 * @param isOwn it is a field of the item itself, which PostgreSQL can evaluate
 */
export function operandFault(
  field: ColumnField | null,
  operation: Operation,
  isOwn: boolean,
): Reason | null {
  const { operator, place } = operation;
  if (
    isOwn &&
    field !== null &&
    hasDatabaseSpellings(field) &&
    isCheckableByDatabase(field, operator)
  ) {
    return opaqueFault(field, operation);
  }
  if (!LISTS.has(operator) && !SINGLE.has(operator)) return null;
  if (field !== null && (field.type === 'json' || field.type === 'hash')) return null;
  const values = entriesOf(operation).filter((entry) => entry !== null);
  if (field !== null && hasDatabaseSpellings(field)) {
    if (EQUAL.has(operator) || values.length === 0) return null;
    return reason('validation_by_database_only', { place, name: field.name });
  }
  return faultOf(() => {
    for (const value of values.flatMap(meaningsOf)) {
      operandOf(field, value, { place, spelled: false });
    }
  });
}
