/** Turns the members of a payload into the texts that PostgreSQL reads, checked field by field. */

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

/** Stands for a value that is given, but known only once another row is written. */
export const VALUE_PENDING: object = Object.freeze({});

/** An item ready to be written: the texts of its columns, by field; null stands for SQL's null. */
export type Row = ReadonlyMap<ColumnField, string | null>;

export type Action = 'create' | 'update';

/** A member of the item itself; what every object inherits was not sent. */
export function ownMember(item: Item, name: string): unknown {
  return Object.hasOwn(item, name) ? item[name] : undefined;
}

/** How an item of a list is called in errors. */
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

/** Whether a list has objects, as rows in arrays are read, for elements that only texts stand for. */
function holdsRows({ column }: ColumnField, value: object): boolean {
  if (column.elementType === null || OBJECTS.has(column.elementType)) return false;
  const isRow = (entry: unknown): boolean =>
    Array.isArray(entry) ? entry.some(isRow) : typeof entry === 'object' && entry !== null;
  return Array.isArray(value) && value.some(isRow);
}

/** What is wrong with a value's form: a date has rules of its own, all else is a malformed body. */
function misfit(collection: Collection, field: ColumnField, why: Reason): ServiceError {
  const place = { collection: collection.name, field: field.name };
  const full = placed(`Field "${field.name}": `, why);
  return isTemporal(field)
    ? new ServiceError('FAILED_VALIDATION', { ...place, path: [], type: 'format', reason: full })
    : invalidPayload(full, place);
}

/**
 * Objects become JSON that is sure to be well formed; only escapes may be what PostgreSQL cannot
 * store, and numbers of a text that is known.
 */
function isSound({ type, column, codec }: ColumnField, value: object, text: string): boolean {
  const isDocument = (type === 'json' && column.elementType === null) || type === 'unknown';
  return isDocument && codec === null && !(value instanceof JsonText) && !text.includes('\\u');
}

/** Whether a number is too large for JavaScript, which would be stored as null or `Infinity`. */
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
 * The text of one value, which has the type that it is written in.
 * @throws ServiceError INVALID_PAYLOAD, FAILED_VALIDATION for a date, VALUE_TOO_LONG or
 *   VALUE_OUT_OF_RANGE naming the field
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
 * Refuses numbers that a column of type `real` rounds to others.
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

/** PostgreSQL computes the column itself and refuses any other value. */
function isComputed(field: ColumnField): boolean {
  return field.column.generatedExpression !== null || field.column.identity === 'always';
}

/** A column that must be in the payload of a new item. */
function isRequired(field: ColumnField): boolean {
  const { nullable, defaultExpression, generatedExpression, identity } = field.column;
  return !nullable && defaultExpression === null && generatedExpression === null && !identity;
}

function lacks(field: ColumnField, type: 'required' | 'nnull'): ServiceError {
  return new ServiceError('FAILED_VALIDATION', { field: field.name, path: [], type });
}

/** The errors of the values that an item lacks: nulls, and on creation what must be given. */
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
 * Yields the row of an item. Members that are no columns are left out.
 * @throws ServiceError INVALID_PAYLOAD, VALUE_TOO_LONG or VALUE_OUT_OF_RANGE for a value that does
 *   not fit
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
