/**
 * Infers the type of a column from its values: the narrowest type that stores all of them without
 * changing their text.
 */
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import { DateFormat } from '../file/date-format.ts';
import type { DeclaredType } from '../file/table/table-file.ts';

/** The types that can be inferred. */
export type InferredType =
  | 'integer'
  | 'bigInteger'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'dateTime'
  | 'timestamp'
  | 'uuid'
  | 'json'
  | 'text'
  | DeclaredType;

const INTEGER = 1;
const BIG = 2;
const DECIMAL = 4;
const BOOLEAN = 8;
const DATE = 16;
const DATE_TIME = 32;
const TIMESTAMP = 64;
const UUID = 128;
const JSON_VALUE = 256;
const TEXT = 512;
const ALL = 1_023;

const NAMES: readonly (readonly [number, InferredType])[] = [
  [INTEGER, 'integer'],
  [BIG, 'bigInteger'],
  [DECIMAL, 'decimal'],
  [BOOLEAN, 'boolean'],
  [DATE, 'date'],
  [DATE_TIME, 'dateTime'],
  [TIMESTAMP, 'timestamp'],
  [UUID, 'uuid'],
];

/** Longer numbers are imported as text, because they are hardly used in arithmetic. */
const DIGITS_MAX = 500;
/** The number of digits that always fit into a bigint. */
const SURE_DIGITS = 18;
const INT_MAX = 2_147_483_647;
const BIG_MAX = 9_223_372_036_854_775_807n;

/** No leading zeros, no plus sign and no trailing point: a number would lose them. */
const WHOLE = /^-?(?:0|[1-9]\d*)$/;
const FRACTION = /^-?(?:0|[1-9]\d*)?\.\d+$/;
const POWER = /^-?(?:(?:0|[1-9]\d*)(?:\.\d+)?|\.\d+)[eE][+-]?\d{1,2}$/;
/** A number that is also valid JSON: it begins with a digit, and has no comma. */
const JSON_NUMBER = /^-?\d[^,]*$/;
/** The first character of a number. */
const NUMERAL = /^[-\d.,]/;
const UUID_TEXT = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const MOMENT =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,6})?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/;
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MOST_OFFSET_HOURS = 14;

function wholeKinds(text: string): number {
  if (text.length <= SURE_DIGITS) {
    const value = Number(text);
    const isInt = value >= -INT_MAX - 1 && value <= INT_MAX;
    return isInt ? INTEGER | BIG | DECIMAL : BIG | DECIMAL;
  }
  const value = BigInt(text);
  return value >= -BIG_MAX - 1n && value <= BIG_MAX ? BIG | DECIMAL : DECIMAL;
}

function numberKinds(text: string): number {
  if (text.length > DIGITS_MAX) return 0;
  if (WHOLE.test(text)) return wholeKinds(text);
  return FRACTION.test(text) || POWER.test(text) ? DECIMAL : 0;
}

function isDay(year: number, month: number, day: number): boolean {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const last = month === 2 && !isLeap ? 28 : (DAYS[month - 1] ?? 0);
  return year > 0 && day > 0 && day <= last;
}

function momentKinds(text: string): number {
  const match = MOMENT.exec(text);
  if (match === null) return 0;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  if (!isDay(year, month, day) || hour > 23 || minute > 59 || second > 59) return 0;
  if (match[4] === undefined) return DATE;
  const zone = match[7];
  if (zone === undefined) return DATE_TIME | TIMESTAMP;
  const [hours = 0, minutes = 0] = (zone.slice(1).match(/\d\d/g) ?? []).map(Number);
  return hours < MOST_OFFSET_HOURS && minutes < 60 ? TIMESTAMP : 0;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** An object or a list, and not a text, a number or a word in JSON. */
function isComposite(text: string): boolean {
  return text[0] === '{' || text[0] === '[';
}

/** Parses values as the import will, by its options. */
class Notation {
  readonly #comma: boolean;
  readonly #format: DateFormat | null;
  /** Whether times without a zone have a configured zone. */
  readonly zoned: boolean;

  constructor({ decimal, dateFormat, timezone }: ImportParameters) {
    this.#comma = decimal === ',';
    const format = dateFormat === undefined ? null : new DateFormat(dateFormat);
    this.#format = format?.hasDate === true ? format : null;
    this.zoned = timezone !== undefined;
  }

  number(text: string): number {
    if (!this.#comma) return numberKinds(text);
    return text.includes('.') ? 0 : numberKinds(text.replace(',', '.'));
  }

  moment(text: string): number {
    const iso = this.#format === null ? text : this.#format.iso(text);
    return iso === null ? 0 : momentKinds(iso);
  }
}

/** The types that a cell of a CSV file fits. */
function cellKinds(text: string, notation: Notation): number {
  if (isComposite(text) || text[0] === '"') return isJson(text) ? JSON_VALUE | TEXT : TEXT;
  const number = NUMERAL.test(text) ? notation.number(text) : 0;
  if (number > 0) return number | TEXT | (JSON_NUMBER.test(text) ? JSON_VALUE : 0);
  if (text === 'true' || text === 'false') return BOOLEAN | TEXT | JSON_VALUE;
  if (/^(?:true|false)$/i.test(text)) return BOOLEAN | TEXT;
  return textKinds(text, notation) | TEXT;
}

function textKinds(text: string, notation: Notation): number {
  return notation.moment(text) | (UUID_TEXT.test(text) ? UUID : 0);
}

/** The types that a value of a JSON file fits. */
function memberKinds(json: string, notation: Notation): number {
  const [first = ''] = json;
  if (first === '"') {
    const text: unknown = JSON.parse(json);
    return (typeof text === 'string' ? textKinds(text, notation) : 0) | TEXT | JSON_VALUE;
  }
  if (first === '{' || first === '[') return JSON_VALUE;
  if (first === 't' || first === 'f') return BOOLEAN | JSON_VALUE;
  return numberKinds(json) | JSON_VALUE;
}

/** Processes the values of a column one after another, without storing them. */
export class TypeInference {
  readonly #ofJson: boolean;
  readonly #notation: Notation;
  #kinds = ALL;
  #hasValue = false;
  /** JSON cells are documents if one of them is an object or a list. */
  #hasComposite = false;

  /** @param ofJson the values are JSON texts, otherwise cells */
  constructor(ofJson: boolean, parameters: ImportParameters) {
    this.#ofJson = ofJson;
    this.#notation = new Notation(parameters);
  }

  add(value: string): void {
    this.#hasValue = true;
    this.#hasComposite ||= isComposite(value);
    // The most general type was already reached.
    if (this.#kinds === (this.#ofJson ? JSON_VALUE : TEXT)) return;
    const kinds = this.#ofJson
      ? memberKinds(value, this.#notation)
      : cellKinds(value, this.#notation);
    this.#kinds &= kinds;
  }

  get type(): InferredType {
    if (!this.#hasValue) return 'text';
    const kinds =
      this.#notation.zoned && this.#kinds & TIMESTAMP ? this.#kinds & ~DATE_TIME : this.#kinds;
    const narrow = NAMES.find(([kind]) => (kinds & kind) !== 0);
    if (narrow !== undefined) return narrow[1];
    if (this.#ofJson) return (kinds & TEXT) !== 0 ? 'text' : 'json';
    return this.#hasComposite && (kinds & JSON_VALUE) !== 0 ? 'json' : 'text';
  }
}
