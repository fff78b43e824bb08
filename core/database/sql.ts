/**
 * The only module that builds SQL text: constant text from template literals, quoted identifiers,
 * and values as parameters, or as quoted literals in statements without parameters.
 */

import { prepareValue } from 'pg/lib/utils.js';
import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';

/** A piece of SQL: text pieces around values, identifiers and further pieces. Immutable. */
export class Sql {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings;
    this.values = values;
  }
}

/** A statement in the driver's format. */
export interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

/** Quotes one identifier; the result is safe for any name. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a text as a literal; only for places that allow no parameter, such as DDL. */
export function literal(value: string): Sql {
  const escaped = value.replaceAll("'", "''");
  return raw(value.includes('\\') ? `E'${escaped.replaceAll('\\', '\\\\')}'` : `'${escaped}'`);
}

/**
 * A template literal as SQL. An interpolated {@link Sql} is embedded; any other value is a
 * parameter.
 */
export function sql(strings: TemplateStringsArray, ...values: unknown[]): Sql {
  return new Sql(strings, values);
}

/** A quoted identifier, qualified when several names are given. */
export function identifier(...path: string[]): Sql {
  return raw(path.map(quote).join('.'));
}

/** Unescaped text: only for text that this program wrote, or that PostgreSQL itself deparsed. */
export function raw(text: string): Sql {
  return new Sql([text], []);
}

export const empty: Sql = raw('');

/** Concatenates pieces with a separator. */
export function join(parts: readonly Sql[], separator = ', '): Sql {
  if (parts.length === 0) return empty;
  const strings = ['', ...Array<string>(parts.length - 1).fill(separator), ''];
  return new Sql(strings, parts);
}

/**
 * Arrays of texts with more elements are converted here: the driver takes several times as long.
 */
const LONG_ARRAY = 1_000;

/** A long list of texts in PostgreSQL's array format; other values are unchanged. */
export function parameterOf(value: unknown): unknown {
  if (!Array.isArray(value) || value.length < LONG_ARRAY) return value;
  if (!value.every((element) => element === null || typeof element === 'string')) return value;
  const json = JSON.stringify(value);
  // Without escapes, the two formats differ only in their brackets.
  if (!json.includes('\\')) return `{${json.slice(1, -1)}}`;
  let text = '';
  for (const element of value) {
    text += text === '' ? '{' : ',';
    if (element === null) text += 'NULL';
    else text += `"${/["\\]/.test(element) ? element.replace(/["\\]/g, '\\$&') : element}"`;
  }
  return `${text}}`;
}

/** Writes a piece, with `place` converting each value. */
function write(part: Sql, place: (value: unknown) => string): string {
  let text = part.strings[0] ?? '';
  for (const [index, value] of part.values.entries()) {
    text += value instanceof Sql ? write(value, place) : place(value);
    text += part.strings[index + 1] ?? '';
  }
  return text;
}

/** Numbers the parameters and yields the statement. */
export function render(piece: Sql): Statement {
  const values: unknown[] = [];
  const text = write(piece, (value) => `$${values.push(parameterOf(value))}`);
  return { text, values };
}

/** A value as an untyped literal, like a parameter. */
function literalOf(value: unknown): string {
  const text: unknown = prepareValue(parameterOf(value));
  if (text === null || text === undefined) return 'NULL';
  const { strings } = literal(Buffer.isBuffer(text) ? `\\x${text.toString('hex')}` : String(text));
  return strings.join('');
}

/**
 * The text of a statement without parameters, such as COPY: its values become literals.
 * @param filled maps each value of the piece to the value to write
 * @throws ServiceError INVALID_QUERY for a NUL character, which would end the text
 */
export function renderLiterals(piece: Sql, filled: (value: unknown) => unknown): string {
  const text = write(piece, (value) => literalOf(filled(value)));
  if (text.includes('\0')) throw invalidQuery(reason('value_contains_nul'));
  return text;
}

/**
 * Locks until the end of the transaction, so that transactions that count for one owner run one
 * after the other.
 */
export function quotaLock(owner: string): Sql {
  const key = `sluice quota ${owner}`;
  return sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`;
}
