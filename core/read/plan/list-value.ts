/**
 * Operators on lists inside one value: PostgreSQL's arrays, and arrays in JSON. A condition tests
 * whether some element meets it; for a null list it never holds, negated or not.
 */

import { placed, reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { columnTyping } from '#core/model/catalog/column-typing.ts';
import { textChecker } from '#core/model/values/check-value.ts';
import type { Operator } from '#core/query/operator.ts';
import { type Condition, type Subject, VOID } from './condition.ts';
import { operandOf, scalarText } from './operand.ts';
import { type Operation, operatorByFlag, planOperation, presencePredicate } from './operation.ts';
import type { PlanContext } from './scope.ts';
import { isVariable } from './variable.ts';

/** Whether the field's values are arrays of PostgreSQL. */
export function isArray({ column }: ColumnField): boolean {
  return column.elementType !== null;
}

/** The field of one element, as if it were a column. */
function elementField(field: ColumnField): ColumnField {
  const { column } = field;
  const single = { ...column, typeName: column.elementType ?? '', elementType: null };
  const own = { ...single, typeText: single.typeName, enumValues: null };
  return { ...field, column: own, special: [], ...columnTyping(own, []) };
}

function elementOf(field: ColumnField): Subject {
  const shown = { concealed: false, guard: null };
  if (isArray(field)) {
    const one = elementField(field);
    return { ...shown, value: { kind: 'element', field: one }, type: one.type, field: one };
  }
  return { ...shown, value: { kind: 'element', field: null }, type: 'member', field: null };
}

/** Whether the value is a document or an array whose contents the caller may test. */
export function mayBeList({ type, concealed, field }: Subject): boolean {
  return type === 'json' && !concealed && field !== null;
}

function fieldOf({ field }: Subject): ColumnField {
  if (field === null) throw new TypeError('a list has a field behind it');
  return field;
}

/** Whether some element, or no element, meets a condition. */
export function quantifiedCondition(
  subject: Subject,
  none: boolean,
  plan: (element: Subject) => Condition,
): Condition {
  const condition = plan(elementOf(fieldOf(subject)));
  const { void: isVoid } = condition;
  if (none && isVoid === true) return VOID;
  return { kind: 'elements', subject, none, condition, strict: true, void: isVoid };
}

/** Types whose arrays PostgreSQL cannot search by `@>`, or not by the operand as written. */
const UNSEARCHED: ReadonlySet<string> = new Set(['unknown', 'json', 'geometry', 'binary']);

/** The JSON values that a text may represent in a URL, where all values are text. */
function spellings(text: string): unknown[] {
  const isNumber = /^-?(0|[1-9]\d{0,15})(\.\d{1,15})?$/.test(text);
  if (isNumber && Math.abs(Number(text)) <= Number.MAX_SAFE_INTEGER) return [text, Number(text)];
  return text === 'true' || text === 'false' ? [text, text === 'true'] : [text];
}

/** The texts of the searched element, where an index may serve; else null. */
function sought(field: ColumnField, operation: Operation): readonly string[] | null {
  const { value, place, spelled = false } = operation;
  if (typeof value === 'object' || value === undefined) return null;
  if (typeof value === 'string' && isVariable(value)) return null;
  if (!isArray(field)) {
    const wanted = typeof value === 'string' && spelled ? spellings(value) : [value];
    if (typeof value === 'number') scalarText(value, place);
    return wanted.map((one) => {
      const text = JSON.stringify([one]);
      if (text.includes('\\u0000')) throw invalidQuery(reason('contains_nul', { place }));
      return text;
    });
  }
  const one = elementField(field);
  if (UNSEARCHED.has(one.type)) return null;
  const { text } = operandOf(one, value, { place, spelled });
  const fault = textChecker(one)(text);
  if (fault !== null) throw invalidQuery(placed(`"${place}": `, fault.reason));
  return [text];
}

/** `_icontains` tests for an element that is equal case-insensitively. */
const OF_ELEMENT: Readonly<Record<string, Operator>> = {
  _contains: '_eq',
  _icontains: '_ieq',
  _starts_with: '_starts_with',
  _istarts_with: '_istarts_with',
  _ends_with: '_ends_with',
  _iends_with: '_iends_with',
  _ieq: '_ieq',
};

/** An empty list counts as null, like an empty document. */
function emptiness(subject: Subject, operation: Operation): Condition {
  const wantsEmpty = operatorByFlag(operation) === (operation.operator === '_empty');
  return presencePredicate(subject, wantsEmpty ? '_empty' : '_nempty');
}

/** Plans an operator that tests elements; null for one that tests the value as a whole. */
export function planListOperation(
  context: PlanContext,
  subject: Subject,
  operation: Operation,
): Condition | null {
  const { operator } = operation;
  if (operator === '_empty' || operator === '_nempty') return emptiness(subject, operation);
  const positive = `_${operator.slice(2)}`;
  const negated = operator.startsWith('_n') && Object.hasOwn(OF_ELEMENT, positive);
  const asked = negated ? positive : operator;
  const ofElement = OF_ELEMENT[asked];
  if (ofElement === undefined) return null;
  const texts = asked === '_contains' ? sought(fieldOf(subject), operation) : null;
  if (texts !== null) {
    return { kind: 'holds', subject, negated, texts, strict: true, void: false };
  }
  return quantifiedCondition(subject, negated, (element) => {
    // Other elements are compared in their text form, as PostgreSQL prints it.
    const isText = ofElement !== '_eq' && element.field !== null;
    const judged: Subject = isText ? { ...element, type: 'text' } : element;
    return planOperation(context, judged, { ...operation, operator: ofElement });
  });
}
