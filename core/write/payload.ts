/** Converts the members of a payload to PostgreSQL's text format and validates each field. */

import { placed, type Reason, reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import { isJsonObject } from '#core/base/json/json-object.ts';
import type { Collection, ColumnField, Field } from '#core/model/catalog/catalog.ts';
import { CONCEALED, isConcealed } from '#core/model/catalog/catalog.ts';
import { textChecker } from '#core/model/values/check-value.ts';
import { compositeText, JsonText } from '#core/model/values/composite-text.ts';
import { isTemporal, kindFault, kindOf } from '#core/model/values/json-type.ts';
import { isRealExact, numberText } from '#core/model/values/number.ts';

/** An item as a client sends it. */
export type Item = Readonly<Record<string, unknown>>;

/** Stands for a value that is known only after another row is written. */
export const VALUE_PENDING: object = Object.freeze({});

/** An item ready to be written: the texts of its columns, by field; null stands for SQL's NULL. */
export type Row = ReadonlyMap<ColumnField, string | null>;

export type Action = 'create' | 'update';

/** An own member of the item; inherited properties were not sent. */
export function ownMember(item: Item, name: string): unknown {
  return Object.hasOwn(item, name) ? item[name] : undefined;
}

/** The name of a list item in error messages. */
export function itemPath(index: number): string {
  return `Item ${index + 1} of the body`;
}

/** @throws ServiceError INVALID_PAYLOAD when the value is no object */
export function parseItem(value: unknown, place: string): Item {
  if (!isJsonObject(value)) throw invalidPayload(reason('object_expected', { place }));
  return Object.fromEntries(Object.entries(value));
}

/** Types whose elements are written as objects. */
const OBJECTS = new Set(['json', 'jsonb', 'geometry', 'geography']);

/**
 * Whether an array contains objects (rows in arrays are read as such) although its elements take
 * only text.
 */
function holdsRows({ column }: ColumnField, value: object): boolean {
  if (column.elementType === null || OBJECTS.has(column.elementType)) return false;
  const isRow = (entry: unknown): boolean =>
    Array.isArray(entry) ? entry.some(isRow) : typeof entry === 'object' && entry !== null;
  return Array.isArray(value) && value.some(isRow);
}

/**
 * The error for a malformed value: FAILED_VALIDATION for a date, INVALID_PAYLOAD for other types.
 */
function misfit(collection: Collection, field: ColumnField, why: Reason): ServiceError {
  const place = { collection: collection.name, field: field.name };
  const full = placed(`Field "${field.name}": `, why);
  return isTemporal(field)
    ? new ServiceError('FAILED_VALIDATION', { ...place, path: [], type: 'format', reason: full })
    : invalidPayload(full, place);
}

/**
 * Whether the JSON text needs no further check. Only escapes can produce text that PostgreSQL
 * cannot store, and only `JsonText` can hold arbitrary numbers.
 */
function isSound({ type, column, codec }: ColumnField, value: object, text: string): boolean {
  const isDocument = (type === 'json' && column.elementType === null) || type === 'unknown';
  return isDocument && codec === null && !(value instanceof JsonText) && !text.includes('\\u');
}

/**
 * Whether it contains a number too large for JavaScript, which would be stored as null or
 * `Infinity`.
 */
function holdsEndless(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null || value instanceof JsonText) return false;
  return Object.values(value).some(holdsEndless);
}

const ENDLESS = reason('value_beyond_json_range');

function scalarText({ column }: ColumnField, value: unknown): string {
  return typeof value === 'number' ? numberText(column, String(value)) : String(value);
}

/**
 * The text of one value, in the type of its column.
 * @throws ServiceError INVALID_PAYLOAD, FAILED_VALIDATION for a date, VALUE_TOO_LONG or
 * VALUE_OUT_OF_RANGE naming the field
 */
function valueText(collection: Collection, field: ColumnField, value: unknown): string {
  const fail = (why: Reason) => misfit(collection, field, why);
  let text: string | null;
  if (typeof value === 'object' && value !== null) {
    if (holdsRows(field, value)) throw fail(reason('element_row_as_text'));
    text = compositeText(field, value);
    if (text === null) throw fail(reason('field_type_without_objects', { type: field.type }));
    if (/null|infinity/i.test(text) && holdsEndless(value)) throw fail(ENDLESS);
    if (isSound(field, value, text)) return text;
  } else {
    const kind = kindOf(value);
    if (kind === null) throw fail(reason('payload_value_missing'));
    const wrong = kindFault(field, kind);
    if (wrong !== null) throw fail(wrong);
    if (holdsEndless(value)) throw fail(ENDLESS);
    text = field.type === 'json' ? JSON.stringify(value) : scalarText(field, value);
  }
  const fault = textChecker(field)(text);
  if (fault === null) return field.codec === null ? text : field.codec.encode(text);
  if (fault.code === 'FAILED_VALIDATION') throw fail(fault.reason);
  throw new ServiceError(fault.code, {
    collection: collection.name,
    field: field.name,
    value: isConcealed(field) ? CONCEALED : value,
    reason: fault.reason,
  });
}

function isRounded(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isRounded);
  if (typeof value !== 'number' && typeof value !== 'string') return false;
  return !isRealExact(String(value));
}

/**
 * Rejects numbers that a `real` column would round.
 * @throws ServiceError FAILED_VALIDATION naming the field
 */
export function requireExactReals(collection: Collection, item: Item): void {
  for (const field of collection.fields.values()) {
    const { column } = field;
    if ((column?.elementType ?? column?.typeName) !== 'float4') continue;
    if (!isRounded(ownMember(item, field.name))) continue;
    const place = { collection: collection.name, field: field.name, path: [] };
    const why = placed(`Field "${field.name}": `, reason('real_would_round'));
    throw new ServiceError('FAILED_VALIDATION', { ...place, type: 'format', reason: why });
  }
}

function isWritable(field: Field | undefined): field is ColumnField {
  return field !== undefined && field.column !== null;
}

/** PostgreSQL computes the column itself and rejects any other value. */
function isComputed(field: ColumnField): boolean {
  return field.column.generatedExpression !== null || field.column.identity === 'always';
}

/** A column that the payload of a new item must contain. */
function isRequired(field: ColumnField): boolean {
  const { nullable, defaultExpression, generatedExpression, identity } = field.column;
  return !nullable && defaultExpression === null && generatedExpression === null && !identity;
}

function lacks(field: ColumnField, type: 'required' | 'nnull'): ServiceError {
  return new ServiceError('FAILED_VALIDATION', { field: field.name, path: [], type });
}

/**
 * The errors for missing values: nulls in NOT NULL columns and, on creation, absent required
 * members.
 */
export function missingValues(
  collection: Collection,
  item: Item,
  action: Action,
): readonly ServiceError[] {
  if (action === 'update' && !Object.values(item).includes(null)) return [];
  return [...collection.fields.values()].flatMap((field) => {
    if (!isWritable(field)) return [];
    const value = ownMember(item, field.name);
    if (value === null && !field.column.nullable) return [lacks(field, 'nnull')];
    const missing = action === 'create' && value === undefined && isRequired(field);
    return missing ? [lacks(field, 'required')] : [];
  });
}

/**
 * Builds the row of an item. Ignores members that are not columns.
 * @throws ServiceError INVALID_PAYLOAD, VALUE_TOO_LONG or VALUE_OUT_OF_RANGE for a value that does
 * not fit
 */
export function toRow(collection: Collection, item: Item, action: Action): Row {
  const row = new Map<ColumnField, string | null>();
  for (const [name, value] of Object.entries(item)) {
    const field = collection.fields.get(name);
    if (!isWritable(field) || value === undefined || value === VALUE_PENDING) continue;
    if (action === 'update' && collection.primaryKey.includes(field)) continue;
    if (isComputed(field)) {
      throw invalidPayload(reason('computed_field_written', { name }), {
        collection: collection.name,
        field: name,
      });
    }
    row.set(field, value === null ? null : valueText(collection, field, value));
  }
  return row;
}
