/** The references of a row that are not keys: the texts by which their items are found. */

import { reason } from '#core/base/errors/reason.ts';
import { JsonNumber, JsonSyntaxError, parseExactJson } from '#core/base/json/exact-json.ts';
import { isJsonObject } from '#core/base/json/json-object.ts';
import { textChecker } from '#core/model/values/check-value.ts';
import { MisplacedValue } from '../file/cell-text.ts';
import { storedText } from '../file/file-column.ts';
import type { Reference } from '../target/reference.ts';

/** The references of one field of a row. */
export interface SoughtItems {
  readonly reference: Reference;
  /** In the order of the list; null for an entry that is an item itself. */
  readonly entries: readonly (string | null)[];
}

/** Separates the values of a cell where no option names the separator. */
const USUAL_SEPARATOR = /[,;|]/;

/** The text of a value that finds an item. @throws {MisplacedValue} */
function entryText({ by }: Reference, value: unknown): string {
  const isText = ['string', 'number', 'boolean'].includes(typeof value);
  const text = value instanceof JsonNumber ? value.source : isText ? String(value) : null;
  if (text === null) throw new MisplacedValue(value, reason('keys_of_items_expected'));
  const check = textChecker(by);
  const fault = check(text);
  if (fault !== null) throw new MisplacedValue(value, fault.reason);
  return storedText({ field: by, check }, text);
}

function isItem(value: unknown): boolean {
  return isJsonObject(value) && !(value instanceof JsonNumber);
}

/** The first of equal texts, and each null. */
export function withoutRepetitions(texts: readonly (string | null)[]): (string | null)[] {
  const seen = new Set<string>();
  return texts.filter((text) => {
    if (text === null) return true;
    const isNew = !seen.has(text);
    seen.add(text);
    return isNew;
  });
}

/** The entries of a list. @throws {MisplacedValue} */
function listed(reference: Reference, list: readonly unknown[]): SoughtItems {
  const texts = list.map((one) => (isItem(one) ? null : entryText(reference, one)));
  return { reference, entries: withoutRepetitions(texts) };
}

/** A list in JSON. @throws {MisplacedValue} */
function parsed(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new MisplacedValue(text, reason('value_json_expected'));
  }
}

/** What a value means: items to find, and the entries that are items themselves. */
export interface ReadReference {
  readonly sought: SoughtItems;
  readonly items: readonly unknown[];
}

/**
 * The items that a JSON value finds; null when it is no value to find items by.
 * @throws {MisplacedValue}
 */
export function soughtInJson(reference: Reference, value: unknown): ReadReference | null {
  if (value === null || value === undefined || isItem(value)) return null;
  if (reference.many === null) {
    return { sought: { reference, entries: [entryText(reference, value)] }, items: [] };
  }
  if (!Array.isArray(value)) throw new MisplacedValue(value, reason('keys_of_items_expected'));
  return { sought: listed(reference, value), items: value.filter(isItem) };
}

/**
 * The items that a cell finds; null when it is no value to find items by.
 * @throws {MisplacedValue}
 */
export function soughtInCell(reference: Reference, text: string): ReadReference | null {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) return null;
  if (reference.many === null) return soughtInJson(reference, text);
  if (trimmed.startsWith('[')) return soughtInJson(reference, parsed(trimmed));
  const parts = text.split(reference.many.separator ?? USUAL_SEPARATOR);
  const values = parts.map((part) => part.trim()).filter((part) => part !== '');
  return soughtInJson(reference, values);
}
