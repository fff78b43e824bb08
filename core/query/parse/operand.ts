/**
 * Checks the shape of an operand: present, complete, and supported by the operator. The fit with
 * the field is checked elsewhere.
 */

import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import { isJsonObject, type JsonObject } from '#core/base/json/json-object.ts';
import { type OperandShape, type Operator, operandShape } from '../operator.ts';

/** The spellings of true and false in a URL; an empty text is the operator without a value. */
const FLAGS: ReadonlySet<unknown> = new Set([
  ...[true, 'true', 1, '1', ''],
  ...[false, 'false', 0, '0'],
]);
const LIST_VARIABLES: ReadonlySet<unknown> = new Set(['$CURRENT_ROLES', '$CURRENT_POLICIES']);

/** Null values, also as text, because URLs have no other types. */
function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === 'null' || value === 'NULL';
}

/** Whether an object is a list written with numbered members. */
export function isNumbered(value: unknown): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => /^\d+$/.test(key));
}

/** A geometry in GeoJSON is the one object that is a single value. */
function isGeometry(value: unknown): boolean {
  return isJsonObject(value) && Object.hasOwn(value, 'type') && typeof value.type === 'string';
}

function entriesOf(value: unknown, place: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (isNumbered(value)) return Object.values(value);
  if (typeof value !== 'string') throw invalidQuery(reason('list_expected', { place }));
  if (value === '') return [];
  return value.startsWith('$') ? [value] : value.split(',').map((entry) => entry.trim());
}

function checkEntry(value: unknown, place: string): void {
  if (value !== undefined && (typeof value !== 'object' || value === null)) return;
  throw invalidQuery(reason('single_values_expected', { place }));
}

function checkList(value: unknown, place: string): void {
  const entries = entriesOf(value, place);
  if (entries.length === 0) throw invalidQuery(reason('list_empty', { place }));
  for (const entry of entries) checkEntry(entry, place);
}

function checkPair(value: unknown, place: string): void {
  const entries = entriesOf(value, place);
  for (const entry of entries) checkEntry(entry, place);
  const isOpen = (entry: unknown) => isNothing(entry) || entry === '' || LIST_VARIABLES.has(entry);
  if (entries.length === 2 && !entries.some(isOpen)) return;
  throw invalidQuery(reason('two_values_expected', { place }));
}

function checkSingle(value: unknown, place: string): void {
  if (typeof value !== 'object' || value === null || isGeometry(value)) return;
  throw invalidQuery(reason('single_value_expected', { place }));
}

/** Checks the operand of an ordering or substring operator: neither null nor an empty text. */
function checkFilled(value: unknown, place: string): void {
  if (isNothing(value)) throw invalidQuery(reason('null_not_allowed', { place }));
  if (typeof value === 'object') throw invalidQuery(reason('single_value_expected', { place }));
  if (value === '') throw invalidQuery(reason('empty_text_not_allowed', { place }));
}

function checkFlag(value: unknown, place: string, spelled: boolean): void {
  if (typeof value !== 'boolean' && !(spelled && FLAGS.has(value)))
    throw invalidQuery(reason('boolean_expected', { place }));
}

function checkText(value: unknown, place: string): void {
  if (typeof value === 'object') throw invalidQuery(reason('text_expected', { place }));
}

/** Checks for an object, or for the text of one. */
function checkGeometry(value: unknown, place: string): void {
  if (isGeometry(value) || (typeof value === 'string' && value.trim().startsWith('{'))) return;
  throw invalidQuery(reason('geometry_expected', { place }));
}

type Check = (value: unknown, place: string, spelled: boolean) => void;

const CHECKS: Readonly<Record<OperandShape, Check>> = {
  flag: checkFlag,
  list: checkList,
  pair: checkPair,
  single: checkSingle,
  filled: checkFilled,
  text: checkText,
  geometry: checkGeometry,
};

/**
 * Checks that an operator has exactly its operands.
 * @param spelled they come from a URL
 * @throws ServiceError INVALID_QUERY naming the place
 */
export function checkOperand(
  operator: Operator,
  value: unknown,
  place: string,
  spelled: boolean,
): void {
  CHECKS[operandShape(operator)](value, place, spelled);
}
