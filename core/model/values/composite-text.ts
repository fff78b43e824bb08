/** Objects and lists as text in PostgreSQL's input format. */
import type { ColumnField } from '../catalog/catalog.ts';

/** A document whose exact text is known, such as one with numbers that JavaScript would round. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** A list as PostgreSQL's array literal: every member quoted, so that each is parsed as text. */
function arrayLiteral(list: readonly unknown[]): string {
  const members = list.map((member) => {
    if (member === null) return 'NULL';
    if (Array.isArray(member)) return arrayLiteral(member);
    const text = typeof member === 'object' ? JSON.stringify(member) : String(member);
    return `"${text.replace(/["\\]/g, '\\$&')}"`;
  });
  return `{${members.join(',')}}`;
}

/** A list of numbers as an array literal, digit for digit; null for other lists. */
function numbersLiteral({ text }: JsonText): string | null {
  return /^\[[^"{]*\]$/.test(text) ? text.replaceAll('[', '{').replaceAll(']', '}') : null;
}

/** The bytes of `{"type":"Buffer","data":[…]}`, their format in answers; null for other objects. */
export function bytesLiteral(value: object): string | null {
  if (!('data' in value) || !Array.isArray(value.data)) return null;
  const bytes = value.data.map(Number);
  if (bytes.some((byte) => !Number.isInteger(byte) || byte < 0 || byte > 255)) return null;
  return `\\x${Buffer.from(bytes).toString('hex')}`;
}

/** The text of an object or a list, for the types that accept one; null for other types. */
export function compositeText(field: ColumnField, value: object): string | null {
  if (field.column.elementType !== null) {
    if (value instanceof JsonText) return numbersLiteral(value);
    return Array.isArray(value) ? arrayLiteral(value) : null;
  }
  if (value instanceof JsonText) return value.text;
  if (field.type === 'json' || field.type === 'unknown') return JSON.stringify(value);
  if (field.type.startsWith('geometry') && !Array.isArray(value)) return JSON.stringify(value);
  if (field.type === 'csv') return Array.isArray(value) ? value.map(String).join(',') : null;
  if (field.type === 'binary') return bytesLiteral(value);
  return null;
}
