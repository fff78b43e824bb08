/**
 * Operators on lists inside one value: PostgreSQL's arrays, and arrays in JSON. A condition asks for
 * an element that meets it; a null list meets none, negated or not.
 */
import type { ColumnField } from '#core/catalog/catalog.ts';
import { typing } from '#core/catalog/field-type.ts';
import { bareType } from '#core/database/column-type.ts';
import { join, type Sql, sql } from '#core/database/sql.ts';
import { invalidQuery } from '#core/errors/service-error.ts';
import { textChecker } from '#core/mutation/value.ts';
import type { Operator } from '../operator.ts';
import { compileOperation, flagOf, type Operation, type Subject } from './comparison.ts';
import { memberText } from './document.ts';
import { operandOf, scalarText } from './operand.ts';
import { loosely, none, type Predicate, strictly, VOID } from './predicate.ts';
import type { Context } from './scope.ts';
import { isVariable } from './variable.ts';

/** How elements are got at, and what one of them is. */
interface Elements {
  readonly from: Sql;
  readonly element: Subject;
}

/** Nothing outside can have this name: tables are `t` with a number. */
const ELEMENT = sql`e.v`;

function isArray({ column }: ColumnField): boolean {
  return column.elementType !== null;
}

/** The field of one element, as if it were a column. */
function elementField(field: ColumnField): ColumnField {
  const { column } = field;
  const single = { ...column, typeName: column.elementType ?? '', elementType: null };
  const own = { ...single, typeText: single.typeName, enumValues: null };
  return { ...field, column: own, special: [], ...typing(own, []) };
}

function documentOf({ sql: value }: Subject): Sql {
  return sql`(${value})::jsonb`;
}

function elementsOf(subject: Subject, field: ColumnField): Elements {
  const shown = { concealed: false, guard: null };
  if (isArray(field)) {
    const one = elementField(field);
    const element = { ...shown, sql: ELEMENT, type: one.type, field: one };
    return { from: sql`unnest(${subject.sql}) AS e(v)`, element };
  }
  const document = documentOf(subject);
  const list = sql`CASE jsonb_typeof(${document}) WHEN 'array' THEN ${document} ELSE '[]' END`;
  return {
    from: sql`jsonb_array_elements(${list}) AS e(v)`,
    element: { ...shown, sql: memberText(ELEMENT), type: 'member', field: null, member: ELEMENT },
  };
}

/** Whether the value is a document or an array that the caller may look into. */
export function mayBeList({ type, concealed, field }: Subject): boolean {
  return type === 'json' && !concealed && field !== null;
}

function fieldOf({ field }: Subject): ColumnField {
  if (field === null) throw new TypeError('a list has a field behind it');
  return field;
}

function seen({ guard }: Subject, test: Sql): Sql {
  return guard === null ? test : sql`(${guard} AND ${test})`;
}

/** Whether some element, or none, meets a condition. */
export function quantified(
  subject: Subject,
  isNone: boolean,
  compile: (element: Subject) => Predicate,
): Predicate {
  const { from, element } = elementsOf(subject, fieldOf(subject));
  const inner = compile(element);
  const exists = sql`EXISTS (SELECT FROM ${from} WHERE ${inner.sql})`;
  if (!isNone) {
    return { sql: seen(subject, exists), strict: true, void: inner.void };
  }
  const { sql: without } = none(exists, inner.void);
  if (inner.void === true) return VOID;
  const test = sql`(${subject.sql} IS NOT NULL AND ${without})`;
  return { sql: seen(subject, test), strict: true, void: inner.void };
}

/** Types whose arrays PostgreSQL cannot search by `@>`, or not by what is written. */
const UNSEARCHED: ReadonlySet<string> = new Set(['unknown', 'json', 'geometry', 'binary']);

/** The JSON values that a text stands for where everything is text. */
function spellings(text: string): unknown[] {
  const isNumber = /^-?(0|[1-9]\d{0,15})(\.\d{1,15})?$/.test(text);
  if (isNumber && Math.abs(Number(text)) <= Number.MAX_SAFE_INTEGER) return [text, Number(text)];
  return text === 'true' || text === 'false' ? [text, text === 'true'] : [text];
}

/** Whether a value that is known is an element, in the form that a GIN index serves; else null. */
function holds(subject: Subject, { value, place, spelled = false }: Operation): Sql | null {
  const field = fieldOf(subject);
  if (typeof value === 'object' || value === undefined) return null;
  if (typeof value === 'string' && isVariable(value)) return null;
  if (!isArray(field)) {
    const wanted = typeof value === 'string' && spelled ? spellings(value) : [value];
    if (typeof value === 'number') scalarText(value, place);
    const tests = wanted.map((one) => {
      const text = JSON.stringify([one]);
      if (text.includes('\\u0000')) throw invalidQuery(`"${place}" holds a NUL character.`);
      return sql`${documentOf(subject)} @> ${text}::jsonb`;
    });
    return tests.length === 1 ? join(tests) : sql`(${join(tests, ' OR ')})`;
  }
  const one = elementField(field);
  if (UNSEARCHED.has(one.type)) return null;
  const { text } = operandOf(one, value, { place, spelled });
  const fault = textChecker(one)(text);
  if (fault !== null) throw invalidQuery(`"${place}": ${fault.reason}`);
  return sql`${subject.sql} @> ${[text]}::text[]::${bareType(field.column)}`;
}

/** `_icontains` asks for an element that is equal whatever the case. */
const OF_ELEMENT: Readonly<Record<string, Operator>> = {
  _contains: '_eq',
  _icontains: '_ieq',
  _starts_with: '_starts_with',
  _istarts_with: '_istarts_with',
  _ends_with: '_ends_with',
  _iends_with: '_iends_with',
  _ieq: '_ieq',
};

/** A list without elements is as empty as null, and so is a document that holds nothing. */
function emptiness(subject: Subject, operation: Operation): Predicate {
  const wantsEmpty = flagOf(operation) === (operation.operator === '_empty');
  const filled = isArray(fieldOf(subject))
    ? sql`cardinality(${subject.sql}) > 0`
    : sql`${documentOf(subject)} NOT IN ('[]', '{}', '""', 'null')`;
  const test = seen(subject, filled);
  return wantsEmpty ? loosely(sql`(${test}) IS NOT TRUE`) : strictly(test);
}

/** Compiles an operator that asks for elements; null for one that asks for the value as a whole. */
export function compileListOperation(
  context: Context,
  subject: Subject,
  operation: Operation,
): Predicate | null {
  const { operator } = operation;
  if (operator === '_empty' || operator === '_nempty') return emptiness(subject, operation);
  const positive = `_${operator.slice(2)}`;
  const negated = operator.startsWith('_n') && Object.hasOwn(OF_ELEMENT, positive);
  const asked = negated ? positive : operator;
  const ofElement = OF_ELEMENT[asked];
  if (ofElement === undefined) return null;
  const found = asked === '_contains' ? holds(subject, operation) : null;
  if (found !== null) return strictly(seen(subject, negated ? sql`NOT ${found}` : found));
  return quantified(subject, negated, (element) => {
    // Elements that are no texts are compared as what PostgreSQL prints of them.
    const isText = ofElement !== '_eq' && element.field !== null;
    const judged: Subject = isText ? { ...element, type: 'text' } : element;
    return compileOperation(context, judged, { ...operation, operator: ofElement });
  });
}
