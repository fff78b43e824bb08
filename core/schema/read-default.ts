/** Reads the default of a column: a constant as its value, anything else as SQL text. */
import type { ColumnDescriptor } from '#core/model/catalog/descriptor.ts';
import type { FieldType } from '#core/model/catalog/field-type.ts';

/** Casts after a constant, as PostgreSQL prints them: `::character varying(20)`, `::"a b"[]`. */
const CASTS = /^(?:::(?:"(?:[^"]|"")+"|[\w. ]|\(\d+(?:,-?\d+)?\)|\[\])+)*$/;
const QUOTED = /^'((?:[^']|'')*)'/;
const NUMBER = /^(\()?(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(\))?/;
const WORD = /^(true|false|NULL)\b/;

/**
 * The text of a constant; null for NULL in SQL; undefined when the expression is not a constant.
 */
function constantOf(expression: string): string | null | undefined {
  for (const pattern of [QUOTED, NUMBER, WORD]) {
    const found = pattern.exec(expression);
    if (found === null || !CASTS.test(expression.slice(found[0].length))) continue;
    if (pattern === QUOTED) return (found[1] ?? '').replaceAll("''", "'");
    if (pattern === NUMBER) return found[2] ?? '';
    return found[0] === 'NULL' ? null : found[0];
  }
  return undefined;
}

/** A number when the conversion is exact, else the text. */
function exactNumber(text: string): number | string {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) return text;
  const digits = text
    .replace(/[eE].*$/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '');
  return digits.length > 15 ? text : value;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function typed(text: string, type: FieldType, column: ColumnDescriptor): unknown {
  switch (type) {
    case 'integer':
    case 'bigInteger':
    case 'float':
    case 'decimal':
      return exactNumber(text);
    case 'boolean':
      // As PostgreSQL parses it: any prefix of a word counts as the word.
      return column.typeName === 'bool' ? /^(?:t|y|on|1)/i.test(text.trim()) : text;
    case 'json':
      return column.elementType === null ? parsedJson(text) : text;
    default:
      return text;
  }
}

/**
 * The default of a column: number, boolean, text or JSON by the type of its field, SQL such as
 * `now()` as text, null without a default.
 */
export function defaultValue(column: ColumnDescriptor, type: FieldType): unknown {
  const { defaultExpression } = column;
  if (defaultExpression === null) return null;
  const constant = constantOf(defaultExpression);
  if (constant === undefined) return defaultExpression;
  return constant === null ? null : typed(constant, type, column);
}
