/**
 * Converts values of a file. A CSV cell that is JSON, but not a number, is that JSON value; other
 * cells are text. A JSON value takes the form that its column reads.
 */
import { arrayText } from '#core/values/array-text.ts';
import { JsonNumber, parseJson, writeJson } from './exact-json.ts';
import type { ValueForm } from './file-column.ts';

/** A value that does not fit its column. */
export class MisplacedValue extends Error {
  readonly value: unknown;

  constructor(value: unknown, reason?: string) {
    super(reason ?? `${Array.isArray(value) ? 'A list' : 'An object'} does not fit this field.`);
    this.name = 'MisplacedValue';
    this.value = value;
  }
}

function elementText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value instanceof JsonNumber ? value.source : writeJson(value);
}

function listText(values: readonly unknown[], form: 'array' | 'list'): string {
  if (form === 'array') return arrayText(values, elementText);
  return values.map((value) => (value === null ? '' : elementText(value))).join(',');
}

/** The value of a JSON text; undefined when it is invalid. */
function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The object that a cell holds; null when it holds something else. */
export function objectIn(text: string): object | null {
  if (!text.trimStart().startsWith('{')) return null;
  const value = jsonOf(text);
  return typeof value === 'object' && !(value instanceof JsonNumber) ? value : null;
}

const WORDS = new Set(['true', 'false']);

/** PostgreSQL's text of a cell that is not empty; null for JSON's null. */
export function cellText(text: string, form: ValueForm): string | null {
  const trimmed = text.replace(/^[ \t\n\r]+|[ \t\n\r]+$/g, '');
  if (trimmed === 'null') return null;
  if (form === 'json') return text;
  if (WORDS.has(trimmed)) return trimmed;
  if (trimmed.startsWith('"')) {
    const value = jsonOf(trimmed);
    return typeof value === 'string' ? value : text;
  }
  if (form !== 'plain' && trimmed.startsWith('[')) {
    const value = jsonOf(trimmed);
    return Array.isArray(value) ? listText(value, form) : text;
  }
  return text;
}

/**
 * PostgreSQL's text of a JSON value that is not null.
 * @throws {MisplacedValue} for a list or an object in a field that cannot store it
 */
export function valueText(value: unknown, form: ValueForm): string {
  if (form === 'json') return writeJson(value);
  if (typeof value !== 'object' || value instanceof JsonNumber) return elementText(value);
  if (Array.isArray(value) && form !== 'plain') return listText(value, form);
  throw new MisplacedValue(value);
}
