/**
 * Checks the text of a value before it is sent to PostgreSQL: why PostgreSQL would reject it for a
 * column. In doubt PostgreSQL decides, so this never rejects a value that it would accept.
 */

import type { ErrorCode } from '#core/base/errors/catalogue.ts';
import { placed, type Reason, reason } from '#core/base/errors/reason.ts';
import { oncePer } from '#core/base/once-per.ts';
import type { ColumnField } from '../catalog/catalog.ts';
import type { ColumnDescriptor } from '../catalog/descriptor.ts';
import { arrayElements } from './array-text.ts';
import { geoJsonOf } from './geo-json.ts';
import { jsonFault } from './json-fault.ts';
import { decimalFault, floatFault, type NumberFault, wholeFault } from './number.ts';
import { isTimeOfDay, isTimestampText } from './timestamp-text.ts';

/** Why a value is rejected. */
export interface Fault {
  readonly code: ErrorCode;
  readonly reason: Reason;
}

/** Null when the text may be sent to PostgreSQL. */
export type TextCheck = (text: string) => Fault | null;

const BOOLEAN =
  /^[ \t\n\v\f\r]*(?:t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|y(?:es?)?|no?|on|off?|1|0)[ \t\n\v\f\r]*$/i;
const UUID = /^(?:(?:[0-9a-f]{4}-?){7}[0-9a-f]{4}|\{(?:[0-9a-f]{4}-?){7}[0-9a-f]{4}\})$/i;
const HEX_BYTES = /^\\x(?:\s*[0-9a-f]{2})*\s*$/i;
const ESCAPED_BYTES = /^(?:[^\\]|\\\\|\\[0-3][0-7]{2})*$/;

/** The last years of the types (manual, table 8.9). */
const LAST_YEAR = { date: 5_874_897, timestamp: 294_276 };

function refused(why: Reason): Fault {
  return { code: 'FAILED_VALIDATION', reason: why };
}

/** A check by a predicate. */
function when(accepts: (text: string) => boolean, why: Reason): TextCheck {
  const fault = refused(why);
  return (text) => (accepts(text) ? null : fault);
}

function numberCheck(
  judge: (text: string) => NumberFault | null,
  form: Reason,
  range: Reason,
): TextCheck {
  const faults: Readonly<Record<NumberFault, Fault>> = {
    form: refused(form),
    range: { code: 'VALUE_OUT_OF_RANGE', reason: range },
  };
  return (text) => {
    const fault = judge(text);
    return fault === null ? null : faults[fault];
  };
}

function wholeCheck(bytes: 2 | 4 | 8): TextCheck {
  return numberCheck(
    (text) => wholeFault(text, bytes),
    reason('value_whole_number_expected'),
    reason('value_misfits_bits', { bits: bytes * 8 }),
  );
}

function decimalCheck({ numericPrecision, numericScale }: ColumnDescriptor): TextCheck {
  const scale = numericScale ?? 0;
  const range =
    numericPrecision === null
      ? reason('decimal_too_large')
      : reason('decimal_has_too_many_digits', { limit: numericPrecision - scale });
  return numberCheck(
    (text) => decimalFault(text, numericPrecision, numericScale),
    reason('value_decimal_expected'),
    range,
  );
}

function floatCheck(bytes: 4 | 8): TextCheck {
  return numberCheck(
    (text) => floatFault(text, bytes),
    reason('value_number_expected'),
    reason('value_misfits_float', { bits: bytes * 8 }),
  );
}

/** Characters as PostgreSQL counts them; excess trailing blanks are removed, not rejected. */
function lengthCheck(most: number): TextCheck {
  const fault: Fault = {
    code: 'VALUE_TOO_LONG',
    reason: reason('too_many_characters', { limit: most }),
  };
  return (text) => {
    if (text.length <= most) return null;
    const characters = Array.from(text);
    if (characters.length <= most) return null;
    return characters.slice(most).every((character) => character === ' ') ? null : fault;
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const NO_JSON = refused(reason('value_json_expected'));

/** Rejects documents that a column of type `json` would store, although later reads fail. */
export function readableCheck(text: string): Fault | null {
  const fault = jsonFault(text);
  return fault === null ? null : refused(fault);
}

function jsonCheck(text: string): Fault | null {
  return isJson(text) ? readableCheck(text) : NO_JSON;
}

function enumCheck(values: readonly string[]): TextCheck {
  const known = new Set(values);
  const shown = values.slice(0, 20).join(', ') + (values.length > 20 ? ', …' : '');
  return when((text) => known.has(text), reason('value_one_of_expected', { values: shown }));
}

function arrayCheck(element: TextCheck): TextCheck {
  const form = refused(reason('value_list_expected'));
  return (text) => {
    const elements = arrayElements(text);
    if (elements === null) return form;
    for (const value of elements) {
      const fault = element(value);
      if (fault !== null) return { ...fault, reason: placed('In the list: ', fault.reason) };
    }
    return null;
  };
}

const ANYTHING: TextCheck = () => null;

/**
 * Types whose values name tables and other database objects. PostgreSQL looks such a name up among
 * all objects, so accepting or rejecting a value would disclose which exist.
 */
const OBJECT_NAMES = [
  'class',
  'namespace',
  'oper',
  'operator',
  'proc',
  'procedure',
  'role',
  'type',
].map((kind) => `reg${kind}`);

const NO_OBJECT_NAME = when(() => false, reason('value_names_database_object'));

/**
 * Whether values of the column name objects of the database, so that requests cannot write them.
 */
export function namesObject({ elementType, typeName }: ColumnDescriptor): boolean {
  return OBJECT_NAMES.includes(elementType ?? typeName);
}

/** The checks of types that need only their name. */
const BY_TYPE: Readonly<Record<string, TextCheck>> = {
  int2: wholeCheck(2),
  int4: wholeCheck(4),
  int8: wholeCheck(8),
  float4: floatCheck(4),
  float8: floatCheck(8),
  bool: when((text) => BOOLEAN.test(text), reason('value_boolean_expected')),
  date: when((text) => isTimestampText(text, LAST_YEAR.date), reason('value_date_expected')),
  time: when(isTimeOfDay, reason('value_time_expected')),
  timestamp: when(
    (text) => isTimestampText(text, LAST_YEAR.timestamp),
    reason('value_date_time_expected'),
  ),
  timestamptz: when(
    (text) => isTimestampText(text, LAST_YEAR.timestamp),
    reason('value_timestamp_expected'),
  ),
  uuid: when((text) => UUID.test(text), reason('value_uuid_expected')),
  json: jsonCheck,
  geometry: when((text) => geoJsonOf(text) !== null, reason('value_geometry_expected')),
  jsonb: jsonCheck,
  bytea: when(
    (text) => (text.startsWith('\\x') ? HEX_BYTES.test(text) : ESCAPED_BYTES.test(text)),
    reason('value_bytes_expected'),
  ),
};

function typeCheck(column: ColumnDescriptor): TextCheck {
  if (namesObject(column)) return NO_OBJECT_NAME;
  const { elementType } = column;
  if (elementType === 'numeric') return arrayCheck(decimalCheck(column));
  if (elementType !== null) return arrayCheck(BY_TYPE[elementType] ?? ANYTHING);
  if (column.enumValues !== null) return enumCheck(column.enumValues);
  if (column.typeName === 'numeric') return decimalCheck(column);
  const limited = column.typeName === 'varchar' || column.typeName === 'bpchar';
  if (limited && column.maxLength !== null) return lengthCheck(column.maxLength);
  return BY_TYPE[column.typeName] ?? ANYTHING;
}

/**
 * Creates the check for a field's values as text for PostgreSQL. It checks type, range, length and
 * enum members, and rejects text that PostgreSQL cannot store: NUL and unpaired surrogates. Dates
 * and times are accepted in ISO 8601 forms, and in PostgreSQL's output format.
 */
export const textChecker = oncePer((field: ColumnField): TextCheck => {
  const check = fieldCheck(field);
  const nul = refused(reason('value_holds_nul'));
  const broken = refused(reason('value_not_well_formed'));
  return (text) => {
    if (text.includes('\0')) return nul;
    if (!text.isWellFormed()) return broken;
    return check(text);
  };
});

/** The value must also fit the column in its stored form. */
function fieldCheck({ type, column, codec }: ColumnField): TextCheck {
  const own = typeCheck(column);
  if (codec === null) return own;
  const typed = type === 'uuid' ? (BY_TYPE.uuid ?? ANYTHING) : typeCheck(codec.column);
  return (text) => typed(text) ?? own(codec.encode(text));
}
