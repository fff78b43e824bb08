/** Turns the members of a payload into the texts that PostgreSQL reads, checked field by field. */
import type { Collection, ColumnField, Field } from '#core/catalog/catalog.ts';
import { CONCEALED, isConcealed } from '#core/catalog/concealed-field.ts';
import { invalidPayload, ServiceError } from '#core/errors/service-error.ts';
import { isJsonObject } from '#core/json/json-object.ts';
import { textChecker } from '#core/values/check-value.ts';
import { compositeText, JsonText } from '#core/values/composite-text.ts';
import { isTemporal, kindFault, kindOf } from '#core/values/json-type.ts';

/** An item as a client sends it. */
export type Item = Readonly<Record<string, unknown>>;

/** Stands for a value that is given, but known only once another row is written. */
export const PENDING: object = Object.freeze({});

/** An item ready to be written: the texts of its columns, by field; null stands for SQL's null. */
export type Row = ReadonlyMap<ColumnField, string | null>;

export type Action = 'create' | 'update';

/** A member of the item itself; what every object inherits was not sent. */
export function memberOf(item: Item, name: string): unknown {
  return Object.hasOwn(item, name) ? item[name] : undefined;
}

/** How an item of a list is called in errors. */
export function itemPath(index: number): string {
  return `Item ${index + 1} of the body`;
}

/** @throws ServiceError INVALID_PAYLOAD when the value is no object */
export function parseItem(value: unknown, place: string): Item {
  if (!isJsonObject(value)) throw invalidPayload(`${place} must be an object.`);
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
function misfit(collection: Collection, field: ColumnField, reason: string): ServiceError {
  const place = { collection: collection.name, field: field.name };
  const full = `Field "${field.name}": ${reason}`;
  return isTemporal(field)
    ? new ServiceError('FAILED_VALIDATION', { ...place, path: [], type: 'format', reason: full })
    : invalidPayload(full, place);
}

/**
 * Objects become JSON that is sure to be well formed; only escapes may be what PostgreSQL cannot
 * store, and numbers of a text that is known.
 */
function isSound({ type, column, stored }: ColumnField, value: object, text: string): boolean {
  const isDocument = (type === 'json' && column.elementType === null) || type === 'unknown';
  return isDocument && stored === null && !(value instanceof JsonText) && !text.includes('\\u');
}

/** Whether a number is too large for JavaScript, which would be stored as null or `Infinity`. */
function holdsEndless(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null || value instanceof JsonText) return false;
  return Object.values(value).some(holdsEndless);
}

const ENDLESS = 'a number is beyond the range of JSON numbers; send it as text.';

/**
 * The text of one value, which has the type that it is written in.
 * @throws ServiceError INVALID_PAYLOAD, FAILED_VALIDATION for a date, VALUE_TOO_LONG or
 *   VALUE_OUT_OF_RANGE naming the field
 */
function valueText(collection: Collection, field: ColumnField, value: unknown): string {
  const fail = (reason: string) => misfit(collection, field, reason);
  let text: string | null;
  if (typeof value === 'object' && value !== null) {
    if (holdsRows(field, value)) throw fail('an element that is a row is written as a text.');
    text = compositeText(field, value);
    if (text === null) throw fail(`a field of type ${field.type} takes no object or list.`);
    if (/null|infinity/i.test(text) && holdsEndless(value)) throw fail(ENDLESS);
    if (isSound(field, value, text)) return text;
  } else {
    const kind = kindOf(value);
    if (kind === null) throw fail('the value is missing.');
    const wrong = kindFault(field, kind);
    if (wrong !== null) throw fail(wrong);
    if (holdsEndless(value)) throw fail(ENDLESS);
    text = field.type === 'json' ? JSON.stringify(value) : String(value);
  }
  const fault = textChecker(field)(text);
  if (fault === null) return field.stored === null ? text : field.stored.text(text);
  if (fault.code === 'FAILED_VALIDATION') throw fail(fault.reason);
  throw new ServiceError(fault.code, {
    collection: collection.name,
    field: field.name,
    value: isConcealed(field) ? CONCEALED : value,
    reason: fault.reason,
  });
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
    const value = memberOf(item, field.name);
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
export function rowOf(collection: Collection, item: Item, action: Action): Row {
  const row = new Map<ColumnField, string | null>();
  for (const [name, value] of Object.entries(item)) {
    const field = collection.fields.get(name);
    if (!isWritable(field) || value === undefined || value === PENDING) continue;
    if (action === 'update' && collection.primaryKey.includes(field)) continue;
    if (isComputed(field)) {
      throw invalidPayload(`Field "${name}" is computed by the database and takes no value.`, {
        collection: collection.name,
        field: name,
      });
    }
    row.set(field, value === null ? null : valueText(collection, field, value));
  }
  return row;
}
