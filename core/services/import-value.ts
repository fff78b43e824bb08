/** Reads the values of options of imports, which are texts. */
import { type Reason, reason } from '#core/base/errors/reason.ts';
import { isJsonObject, type JsonObject } from '#core/base/json/json-object.ts';
import { DateFormat, WrongDateFormat } from '#core/transfer/file/date-format.ts';
import { SHEET_ROWS } from '#core/transfer/file/xlsx/address.ts';

/** A value that is invalid for an option. */
export class WrongValue extends Error {
  readonly reason: (name: string) => Reason;

  /** @param why the expected value, by the option's name */
  constructor(why: (name: string) => Reason) {
    super('an option does not take the value');
    this.reason = why;
  }
}

/** One of the known words. */
export function oneOf<T extends string>(text: string, ...known: readonly T[]): T {
  const found = known.find((value) => value === text);
  if (found === undefined) {
    const values = known.join(' or ');
    throw new WrongValue((name) => reason('option_values_expected', { name, values }));
  }
  return found;
}

/** `true` or `false`; an empty text is true. */
export function flag(text: string): boolean {
  if (text === '' || text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw new WrongValue((name) => reason('parameter_boolean_expected', { name }));
}

/** A single character that may separate or quote cells. */
export function character(text: string): string {
  const isOne = [...text].length === 1 && text.isWellFormed();
  if (isOne && !/[\r\n\0\uFEFF]/.test(text)) return text;
  throw new WrongValue((name) => reason('option_character_expected', { name }));
}

/** Tabs are hard to type, so they have names. */
export function separator(text: string): string {
  return text === 'tab' || text === '\\t' ? '\t' : character(text);
}

/** Names of fields, separated by commas, none twice. */
export function names(text: string): string[] {
  const list = text.split(',').map((name) => name.trim());
  if (list.includes('')) {
    throw new WrongValue((name) => reason('option_field_names_expected', { name }));
  }
  if (new Set(list).size < list.length) {
    throw new WrongValue((name) => reason('option_names_field_twice', { name }));
  }
  return list;
}

/** A number without a sign. */
export function count(text: string): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (value < 0) throw new WrongValue((name) => reason('option_count_expected', { name }));
  return value;
}

/** A JSON object; `wrong` is thrown for other texts. */
export function jsonObject(text: string, wrong: WrongValue): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrong;
  }
  if (isJsonObject(value)) return value;
  throw wrong;
}

/** The name of an encoding. */
export function charset(text: string): string {
  try {
    return new TextDecoder(text.trim()).encoding;
  } catch {
    throw new WrongValue((name) => reason('option_encoding_expected', { name }));
  }
}

/** A time zone by its name. */
export function timezone(text: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    throw new WrongValue((name) => reason('option_time_zone_expected', { name }));
  }
}

/** The format of dates and times. */
export function dateFormat(text: string): string {
  if (text === '' || text.length > 64) {
    throw new WrongValue((name) => reason('option_date_format_expected', { name }));
  }
  try {
    new DateFormat(text);
    return text;
  } catch (error) {
    if (error instanceof WrongDateFormat) throw new WrongValue(() => error.reason);
    throw error;
  }
}

/** Texts of cells, separated by commas. */
export function texts(text: string): string[] {
  return text.split(',');
}

/** The separator of groups of digits. */
export function thousands(text: string): string {
  const sign = text === 'space' ? ' ' : text;
  if ([...sign].length === 1 && !/[\d\p{L}+\-\r\n]/u.test(sign)) return sign;
  throw new WrongValue((name) => reason('option_thousands_expected', { name }));
}

/** A share between 0 and a half. */
export function share(text: string): number {
  const value = /^0?(?:\.\d{1,6})?$|^0$/.test(text) && text !== '' ? Number(text) : 1;
  if (value <= 0.5) return value;
  throw new WrongValue((name) => reason('option_share_expected', { name }));
}

/** A text that is not empty. */
export function label(text: string): string {
  if (text.trim() !== '' && text.length <= 255) return text.trim();
  throw new WrongValue((name) => reason('option_label_expected', { name }));
}

/** Names of sheets have up to 31 characters, but other programs write longer ones. */
export function sheet(text: string): string {
  if (text !== '' && text.length <= 255) return text;
  throw new WrongValue((name) => reason('option_sheet_expected', { name }));
}

export function headerRow(text: string): number {
  const row = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (row >= 1 && row <= SHEET_ROWS) return row;
  throw new WrongValue((name) => reason('option_row_expected', { name, limit: SHEET_ROWS }));
}
