/**
 * The only module that puts SQL text together: constant text from template literals, identifiers
 * quoted by one function, and values that travel as parameters, or as quoted literals in statements
 * that take none.
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

/** A statement as the driver takes it. */
export interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

/** Quotes one identifier; the text is safe whatever characters the name holds. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a text as a literal; only for places that take no parameter, such as DDL. */
export function literal(value: string): Sql {
  const escaped = value.replaceAll("'", "''");
  return raw(value.includes('\\') ? `E'${escaped.replaceAll('\\', '\\\\')}'` : `'${escaped}'`);
}

/** A template literal as SQL. An interpolated {@link Sql} is embedded, all else is a parameter. */
export function sql(strings: TemplateStringsArray, ...values: unknown[]): Sql {
  return new Sql(strings, values);
}

/** A quoted identifier, qualified when several names are given. */
export function identifier(...path: string[]): Sql {
  return raw(path.map(quote).join('.'));
}

/** Text taken as it is: only for text that this program wrote, or PostgreSQL itself deparsed. */
export function raw(text: string): Sql {
  return new Sql([text], []);
}

export const empty: Sql = raw('');

/** Puts pieces one after another with a separator between them. */
export function join(parts: readonly Sql[], separator = ', '): Sql {
  if (parts.length === 0) return empty;
  const strings = ['', ...Array<string>(parts.length - 1).fill(separator), ''];
  return new Sql(strings, parts);
}

/** Arrays of texts with more elements are written here: the driver takes several times as long. */
const LONG_ARRAY = 1_000;

/** A long list of texts in PostgreSQL's text form of arrays, anything else as it is. */
export function parameterOf(value: unknown): unknown {
  if (!Array.isArray(value) || value.length < LONG_ARRAY) return value;
  if (!value.every((element) => element === null || typeof element === 'string')) return value;
  const json = JSON.stringify(value);
  // Where nothing is escaped, the two forms differ in their brackets alone.
  if (!json.includes('\\')) return `{${json.slice(1, -1)}}`;
  let text = '';
  for (const element of value) {
    text += text === '' ? '{' : ',';
    if (element === null) text += 'NULL';
    else text += `"${/["\\]/.test(element) ? element.replace(/["\\]/g, '\\$&') : element}"`;
  }
  return `${text}}`;
}

/** Writes a piece with what `place` puts in the place of each value. */
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

/** A value as a literal of no type yet, as a parameter is. */
function literalOf(value: unknown): string {
  const text: unknown = prepareValue(parameterOf(value));
  if (text === null || text === undefined) return 'NULL';
  const { strings } = literal(Buffer.isBuffer(text) ? `\\x${text.toString('hex')}` : String(text));
  return strings.join('');
}

/**
 * The text of a statement that takes no parameters, such as COPY: its values become literals.
 * @param filled the value to be written in the place of one in the piece
 * @throws ServiceError INVALID_QUERY for a NUL character, which would end the text
 */
export function renderLiterals(piece: Sql, filled: (value: unknown) => unknown): string {
  const text = write(piece, (value) => literalOf(filled(value)));
  if (text.includes('\0')) throw invalidQuery(reason('value_contains_nul'));
  return text;
}

/** A lock until the end of the transaction, so that transactions that count for one owner run in turn. */
export function quotaLock(owner: string): Sql {
  const key = `sluice quota ${owner}`;
  return sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`;
}
