/**
 * Plans one operator on one value of a row: the test, and its operands. Only this module converts
 * operands to values of the field's type.
 */

import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import { type Operator, operandShape, operatorsOf } from '#core/query/operator.ts';
import { allValues, isRecordPath, resolveRecordPath, singleValue } from './caller-record-path.ts';
import {
  anyVoid,
  type Condition,
  type ListOperand,
  type Operand,
  type PathOperand,
  type RecordPath,
  type Subject,
  UNKNOWN,
  type ValueOperand,
  VOID,
} from './condition.ts';
import { geometryOf, isGeometry } from './geometry.ts';
import { operandOf, representableOperands, scalarText, type TypedValue } from './operand.ts';
import { type BindingContext, Placeholder } from './placeholder.ts';
import type { PlanContext } from './scope.ts';
import { isTimestampVariable, isVariable, NO_VALUE, resolveVariable } from './variable.ts';

/** An operator with its operand, as it was written. */
export interface Operation {
  readonly operator: Operator;
  readonly value: unknown;
  readonly place: string;
  /** Texts represent values of other types, as in URLs. */
  readonly spelled?: boolean;
}

interface Comparison extends Operation {
  readonly subject: Subject;
  readonly context: PlanContext;
  /** The resolved paths of variables among the operands, by their texts. */
  readonly records: ReadonlyMap<unknown, RecordPath | typeof NO_VALUE>;
}

/** Texts in a URL that represent values of other types. */
const SPELLINGS: ReadonlyMap<unknown, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
  ['NULL', null],
]);

/**
 * The value of an entry: the entry itself, its spelled value, or a variable's value; paths are not
 * resolved.
 */
function literalOf({ spelled }: Operation, binding: BindingContext, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const meant = spelled ? SPELLINGS.get(value) : undefined;
  return meant === undefined ? resolveVariable(binding, value) : meant;
}

/** In a URL all values are text: `1` and `0` are true and false, and an empty value is true. */
const SPELLED_FLAGS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ['', true],
  ['true', true],
  ['1', true],
  [1, true],
  ['false', false],
  ['0', false],
  [0, false],
]);

/** `true` applies the operator as named; `false` applies its opposite. */
export function operatorByFlag({ value, place, spelled }: Operation): boolean {
  if (typeof value === 'boolean') return value;
  const meant = spelled ? SPELLED_FLAGS.get(value) : undefined;
  if (meant !== undefined) return meant;
  throw invalidQuery(reason('boolean_expected', { place }));
}

/** The entries of an operand: the operand itself, or the members of a list in any spelling. */
function entriesOf(value: unknown): readonly unknown[] {
  return typeof value === 'string' && !value.startsWith('$')
    ? value.split(',').map((entry) => entry.trim())
    : Array.isArray(value)
      ? value
      : typeof value === 'object' && value !== null
        ? Object.values(value)
        : [value];
}

function listOf({ value, place }: Operation): readonly unknown[] {
  const entries = entriesOf(value);
  if (entries.length === 0) throw invalidQuery(reason('list_empty', { place }));
  return entries;
}

/** A test that is never true for nulls. */
function strictly({ operator, subject }: Comparison, operands: readonly Operand[]): Condition {
  const paths = operands.filter((operand) => operand.kind === 'path');
  const isVoid = anyVoid(paths.map((path) => [path]));
  return { kind: 'test', operator, subject, operands, strict: true, void: isVoid };
}

const SET: ReadonlySet<Operator> = new Set<Operator>(['_nnull', '_nempty']);

/** A test whether a value is set; a hidden value is not. */
export function presencePredicate(subject: Subject, operator: Operator): Condition {
  const strict = SET.has(operator);
  return { kind: 'test', operator, subject, operands: [], strict, void: false };
}

const OPPOSITE: Readonly<Partial<Record<Operator, Operator>>> = {
  _null: '_nnull',
  _nnull: '_null',
  _empty: '_nempty',
  _nempty: '_empty',
};

function flagTest(comparison: Comparison): Condition {
  const { operator, subject } = comparison;
  return presencePredicate(
    subject,
    operatorByFlag(comparison) ? operator : (OPPOSITE[operator] ?? operator),
  );
}

/** A text, which may not contain NUL, because PostgreSQL cannot store it. */
function textOf(value: unknown, place: string): string {
  const text = scalarText(value, place);
  if (text.includes('\0')) throw invalidQuery(reason('contains_nul', { place }));
  return text;
}

/**
 * A value in the type of its comparison; members of documents vary in type, and compare as text.
 */
function typed({ subject, place, spelled }: Comparison, value: unknown): TypedValue {
  if (subject.type === 'member') return { type: 'text', text: textOf(value, place) };
  return operandOf(subject.field, value, { place, spelled: spelled === true });
}

/**
 * A value computed from the operand: now, or on each execution if it depends on the caller or the
 * time.
 */
function perBinding<T>(
  { context }: Comparison,
  varies: boolean,
  make: (binding: BindingContext) => T,
): T | Placeholder<T> {
  const now = make(context);
  return varies && context.usesPlaceholders ? new Placeholder(make) : now;
}

function varies(entry: unknown): boolean {
  return typeof entry === 'string' && isVariable(entry);
}

/** One value that is not null. */
function single(comparison: Comparison, written: unknown): ValueOperand {
  const { context } = comparison;
  const make = (binding: BindingContext) =>
    typed(comparison, literalOf(comparison, binding, written));
  const text = perBinding(comparison, varies(written), (binding) => make(binding).text);
  return { kind: 'value', type: make(context).type, text };
}

function pathAmong({ records, subject, place }: Comparison, written: unknown): RecordPath | null {
  const path = records.get(written);
  if (path === undefined || path === NO_VALUE) return null;
  if (subject.type !== 'member') return path;
  throw invalidQuery(reason('variable_path_with_document', { place }));
}

/** The current value of an entry: a path, or the value that it represents. */
function valueNow(comparison: Comparison, written: unknown): unknown {
  const { records, context } = comparison;
  return records.get(written) ?? literalOf(comparison, context, written);
}

function operandFor(comparison: Comparison, written: unknown): ValueOperand | PathOperand {
  const path = pathAmong(comparison, written);
  return path === null ? single(comparison, written) : singleValue(path, comparison.subject.field);
}

function orderTest(comparison: Comparison): Condition {
  const { operator, place, value: written } = comparison;
  const value = valueNow(comparison, written);
  if (value === NO_VALUE) return VOID;
  if (value === null) {
    if (operator === '_eq') return presencePredicate(comparison.subject, '_null');
    if (operator === '_neq') return presencePredicate(comparison.subject, '_nnull');
    throw invalidQuery(reason('null_not_allowed', { place }));
  }
  if (value === '' && operator !== '_eq' && operator !== '_neq') {
    throw invalidQuery(reason('empty_text_not_allowed', { place }));
  }
  return strictly(comparison, [operandFor(comparison, written)]);
}

/** The members of a list except paths, with list variables expanded in their place. */
function literals(comparison: Comparison, binding: BindingContext, written: readonly unknown[]) {
  const values: unknown[] = [];
  for (const entry of written) {
    const value = literalOf(comparison, binding, entry);
    if (Array.isArray(value)) values.push(...value);
    else if (value !== null && value !== NO_VALUE) values.push(value);
  }
  return values;
}

/** Null when the list is known to be empty. */
function listOperand(comparison: Comparison, written: readonly unknown[]): ListOperand | null {
  const { context, subject } = comparison;
  const make = (binding: BindingContext) => {
    const values = literals(comparison, binding, written);
    return representableOperands(
      subject.field,
      values.map((value) => typed(comparison, value)),
    );
  };
  const { type, texts } = make(context);
  if (texts.length === 0) return null;
  const isSlot = context.usesPlaceholders && written.some(varies);
  return {
    kind: 'list',
    type,
    texts: isSlot ? new Placeholder((binding) => make(binding).texts) : texts,
  };
}

/** Document members are also compared as numbers, if the operands are known at planning time. */
function listsOf(comparison: Comparison, written: readonly unknown[]): ListOperand[] {
  const parts =
    comparison.subject.type === 'member'
      ? [written.filter((entry) => !varies(entry)), written.filter(varies)]
      : [written];
  return parts.flatMap((part) => listOperand(comparison, part) ?? []);
}

/**
 * A null in the list is SQL's NULL: it matches nothing, and no value passes `_nin` with it. Only a
 * null for `_eq` and `_neq` tests whether a value is set.
 */
function membershipTest(comparison: Comparison): Condition {
  const { subject, operator, records } = comparison;
  const written = listOf(comparison);
  const negated = operator === '_nin';
  const entries = new Entries();
  // Lists may be long, so each entry is visited once.
  for (const entry of written) entries.note(valueNow(comparison, entry));
  const isVoid = entries.hasVoid || entries.count === 0;
  if (isVoid && (negated || entries.values === 0)) return VOID;
  const isUnknown = entries.values === 0 || (negated && entries.values < entries.count);
  if (isUnknown) return UNKNOWN;
  const paths =
    records.size === 0 ? [] : written.flatMap((entry) => pathAmong(comparison, entry) ?? []);
  const others = records.size === 0 ? written : written.filter((entry) => !records.has(entry));
  const found = strictly(comparison, [
    ...paths.map((path) => allValues(path, subject.field)),
    ...listsOf(comparison, others),
  ]);
  return { ...found, void: anyVoid([isVoid, found.void]) };
}

/** Counts the entries of a list. */
class Entries {
  count = 0;
  /** Entries that are neither null nor a variable without a value. */
  values = 0;
  hasVoid = false;

  note(value: unknown): void {
    if (Array.isArray(value)) {
      for (const one of value) this.#noteOne(one);
    } else this.#noteOne(value);
  }

  #noteOne(value: unknown): void {
    this.count += 1;
    if (value === NO_VALUE) this.hasVoid = true;
    else if (value !== null) this.values += 1;
  }
}

/** Plans a range, which needs two values. */
function rangeTest(comparison: Comparison): Condition {
  const { place, context } = comparison;
  const written = listOf(comparison);
  const entries = written.flatMap((entry) => valueNow(comparison, entry));
  if (entries.includes(NO_VALUE)) return VOID;
  const isOpen = (entry: unknown) => entry === undefined || entry === null || entry === '';
  const [low, high] = entries;
  if (isOpen(low) || isOpen(high) || entries.length !== 2) {
    throw invalidQuery(reason('two_values_expected', { place }));
  }
  const bounds = written.flatMap((entry) => {
    const value = valueNow(comparison, entry);
    if (!Array.isArray(value)) return [entry];
    // The number of members of a list variable determines whether this is a range.
    context.notes.volatile = true;
    return value;
  });
  return strictly(
    comparison,
    bounds.map((bound) => operandFor(comparison, bound)),
  );
}

function patternText({ operator, place, spelled }: Comparison, value: unknown): string {
  if (value === null || typeof value === 'object' || (!spelled && typeof value !== 'string')) {
    throw invalidQuery(reason('text_expected', { place }));
  }
  const text = String(value);
  if (text === '' && !operator.endsWith('eq')) {
    throw invalidQuery(reason('empty_text_not_allowed', { place }));
  }
  if (text.includes('\0')) throw invalidQuery(reason('contains_nul', { place }));
  return text;
}

/** Plans substring, prefix and suffix tests and case-insensitive equality. */
function patternTest(comparison: Comparison): Condition {
  const { subject, value: written, records } = comparison;
  if (valueNow(comparison, written) === NO_VALUE) return VOID;
  const path = records.get(written);
  if (path !== undefined && path !== NO_VALUE) {
    return strictly(comparison, [singleValue(path, subject.field)]);
  }
  const text = perBinding(comparison, varies(written), (binding) =>
    patternText(comparison, literalOf(comparison, binding, written)),
  );
  return strictly(comparison, [{ kind: 'value', type: 'text', text }]);
}

/** Null is a literal, as for other operators; all other operands are geometries. */
function shapeTest(comparison: Comparison): Condition | null {
  const { operator, value, place, spelled = false } = comparison;
  const isNothing = value === null || (spelled && SPELLINGS.get(value) === null);
  if (isNothing || operator === '_null' || operator === '_nnull') return null;
  return strictly(comparison, [{ kind: 'geometry', shape: geometryOf({ value, place, spelled }) }]);
}

function plan(comparison: Comparison): Condition {
  const { operator, subject } = comparison;
  const { field } = subject;
  const found = field !== null && isGeometry(field) ? shapeTest(comparison) : null;
  if (found !== null) return found;
  switch (operandShape(operator)) {
    case 'flag':
      return flagTest(comparison);
    case 'list':
      return membershipTest(comparison);
    case 'pair':
      return rangeTest(comparison);
    default:
      return ORDERS.has(operator) ? orderTest(comparison) : patternTest(comparison);
  }
}

const ORDERS: ReadonlySet<Operator> = new Set<Operator>([
  ...(['_eq', '_neq', '_lt', '_lte', '_gt', '_gte'] as const),
]);

function takesList(operator: Operator): boolean {
  return operandShape(operator) === 'list' || operandShape(operator) === 'pair';
}

/**
 * Plans an operation on a value.
 * @throws ServiceError INVALID_QUERY when the type does not support the operator or the value
 */
export function planOperation(
  context: PlanContext,
  subject: Subject,
  operation: Operation,
): Condition {
  const { operator, place } = operation;
  if (!operatorsOf(subject.type, subject.concealed).includes(operator)) {
    const kind = subject.concealed ? 'concealed field' : `field of type ${subject.type}`;
    throw invalidQuery(reason('operator_misfits_field_kind', { place, kind, operator }));
  }
  const values = takesList(operator) ? entriesOf(operation.value) : [operation.value];
  const records = new Map<unknown, RecordPath | typeof NO_VALUE>();
  for (const text of values) {
    if (typeof text !== 'string' || !text.startsWith('$')) continue;
    if (isRecordPath(text)) records.set(text, resolveRecordPath(context, text, place));
    if (isTimestampVariable(text)) context.notes.fleeting = true;
  }
  return plan({ ...operation, subject, context, records });
}
