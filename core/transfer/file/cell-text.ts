/**
 * Converts values of a file. A CSV cell that is JSON, but not a number, is that JSON value; other
 * cells are text. A JSON value is converted to the format that its column accepts.
 */

import { type Reason, reason } from '#core/base/errors/reason.ts';
import {
  JsonNumber,
  parseExactJson,
  parseExactly,
  writeExactJson,
} from '#core/base/json/exact-json.ts';
import type { ColumnDescriptor } from '#core/model/catalog/descriptor.ts';
import { arrayText } from '#core/model/values/array-text.ts';
import { bytesLiteral } from '#core/model/values/composite-text.ts';
import { numberText } from '#core/model/values/number.ts';
import type { FileColumn } from './file-column.ts';

/** The column data that determines the text of a value. */
interface TextColumn extends Pick<FileColumn, 'form'> {
  readonly field: { readonly column: Pick<ColumnDescriptor, 'elementType' | 'typeName'> };
}

const LIST = reason('list_misfits_field');
const OBJECT = reason('object_misfits_field');

/** A value that does not fit its column. */
export class MisplacedValue extends Error {
  readonly value: unknown;
  readonly reason: Reason;

  constructor(value: unknown, why: Reason = Array.isArray(value) ? LIST : OBJECT) {
    super(why.sentence);
    this.name = 'MisplacedValue';
    this.value = value;
    this.reason = why;
  }
}

function elementText(value: unknown, { column }: TextColumn['field']): string {
  if (typeof value === 'string') return value;
  return value instanceof JsonNumber ? numberText(column, value.source) : writeExactJson(value);
}

function listText(values: readonly unknown[], { form, field }: TextColumn): string {
  const textOf = (value: unknown) => elementText(value, field);
  if (form === 'array') return arrayText(values, textOf);
  return values.map((value) => (value === null ? '' : textOf(value))).join(',');
}

/** The value of a JSON text; undefined when it is invalid. */
function jsonOf(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/** The same with the digits of its numbers. */
function exactOf(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

/** The object in a cell; null when the cell contains something else. */
export function objectInCell(text: string): object | null {
  if (!text.trimStart().startsWith('{')) return null;
  const value = jsonOf(text);
  return typeof value === 'object' && !(value instanceof JsonNumber) ? value : null;
}

const WORDS = new Set(['true', 'false']);

/** Whether values of the column may be written as an object of their bytes. */
export function holdsBytes({ field }: TextColumn): boolean {
  return field.column.typeName === 'bytea';
}

/** PostgreSQL's text of a cell that is not empty; null for JSON's null. */
export function cellText(text: string, column: TextColumn): string | null {
  const { form } = column;
  const trimmed = text.replace(/^[ \t\n\r]+|[ \t\n\r]+$/g, '');
  if (trimmed === 'null') return null;
  if (form === 'json') return text;
  if (WORDS.has(trimmed)) return trimmed;
  if (trimmed.startsWith('"')) {
    const value = jsonOf(trimmed);
    return typeof value === 'string' ? value : text;
  }
  if (holdsBytes(column) && trimmed.startsWith('{')) {
    const value = objectInCell(trimmed);
    return (value === null ? null : bytesLiteral(value)) ?? text;
  }
  if (form !== 'plain' && trimmed.startsWith('[')) {
    const value = exactOf(trimmed);
    return Array.isArray(value) ? listText(value, column) : text;
  }
  return text;
}

/**
 * PostgreSQL's text of a JSON value that is not null.
 * @throws {MisplacedValue} for a list or an object in a field that cannot store it
 */
export function valueText(value: unknown, column: TextColumn): string {
  const { form, field } = column;
  if (form === 'json') return writeExactJson(value);
  if (typeof value !== 'object' || value instanceof JsonNumber) {
    return elementText(value, field);
  }
  if (Array.isArray(value) && form !== 'plain') return listText(value, column);
  const bytes = holdsBytes(column) && value !== null ? bytesLiteral(value) : null;
  if (bytes !== null) return bytes;
  throw new MisplacedValue(value);
}
