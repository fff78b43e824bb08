/** Converts the contents of a file to values as in a JSON body, by the options of the import. */

import { reason } from '#core/base/errors/reason.ts';
import {
  JsonNumber,
  JsonSyntaxError,
  parseExactJson,
  writeExactJson,
} from '#core/base/json/exact-json.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { textChecker } from '#core/model/values/check-value.ts';
import { JsonText } from '#core/model/values/composite-text.ts';
import { numberText } from '#core/model/values/number.ts';
import { type Conversion, conversionOf } from '../file/cell-format.ts';
import { MisplacedValue, objectInCell } from '../file/cell-text.ts';
import type { FileColumn } from '../file/file-column.ts';

const TRUE = /^\s*(?:t|y|on|1)/i;
const NUMBERS = new Set(['integer', 'bigInteger', 'float', 'decimal']);

function jsonOf(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new MisplacedValue(text, reason('value_json_expected'));
  }
}

/** Whether a value contains numbers that a double may round. */
function isDelicate(value: unknown): boolean {
  if (value instanceof JsonNumber) return true;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(isDelicate);
}

/** The members of a list, numbers as texts. */
function elements({ column }: Pick<ColumnField, 'column'>, list: readonly unknown[]): unknown[] {
  return list.map((one) => {
    if (Array.isArray(one)) return elements({ column }, one);
    return one instanceof JsonNumber ? numberText(column, one.source) : one;
  });
}

/** A value for a payload, whose numbers stay exact. */
function exactValue(field: ColumnField, value: unknown): unknown {
  if (!isDelicate(value)) return value;
  if (Array.isArray(value) && (field.column.elementType !== null || field.type === 'csv')) {
    return elements(field, value);
  }
  const isDocument = field.type === 'json' || field.type.startsWith('geometry');
  if (isDocument) return new JsonText(writeExactJson(value));
  if (!(value instanceof JsonNumber)) return value;
  return NUMBERS.has(field.type) ? numberText(field.column, value.source) : Number(value.source);
}

/** A key, which may be a large number. */
export function keyValue(value: unknown): unknown {
  return value instanceof JsonNumber ? value.source : value;
}

export class NestedValues {
  readonly #parameters: ImportParameters;
  readonly #conversions = new Map<ColumnField, Conversion | null>();

  constructor(parameters: ImportParameters) {
    this.#parameters = parameters;
  }

  /** A value of a JSON file. @throws {MisplacedValue} */
  json(field: ColumnField, value: unknown): unknown {
    if (typeof value !== 'string') return exactValue(field, value);
    let conversion = this.#conversions.get(field);
    if (conversion === undefined) {
      const form = field.type === 'json' || field.column.elementType !== null ? 'json' : 'plain';
      conversion = conversionOf({ field, form }, this.#parameters);
      this.#conversions.set(field, conversion);
    }
    return conversion === null ? value : conversion(value);
  }

  /** The value of a cell, which is neither empty nor null. @throws {MisplacedValue} */
  static cell({ field, form, links }: FileColumn, text: string): unknown {
    if (form === 'json') {
      const value = jsonOf(text);
      if (links !== null) return value;
      // JSON's null is a value, unless the cell itself is null.
      return value === null ? new JsonText('null') : exactValue(field, value);
    }
    const item = links === null ? null : objectInCell(text);
    if (item !== null) return item;
    const fault = textChecker(field)(text);
    if (fault !== null) throw new MisplacedValue(text, fault.reason);
    return field.type === 'boolean' ? TRUE.test(text) : text;
  }
}
