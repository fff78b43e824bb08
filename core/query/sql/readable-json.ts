/**
 * Reads documents in columns of type `json`, which PostgreSQL stores without a look at their texts and
 * numbers: U+0000, half a surrogate pair, a number beyond `numeric` or endless nesting is stored, and
 * fails whatever has to read it. What cannot be read is null here. Healthy documents pay for a search
 * of `\u` in them, and for a look at the numbers of the part that is asked for.
 */
import type { ColumnField } from '#core/catalog/catalog.ts';
import { literal, raw, type Sql, sql } from '#core/database/sql.ts';

/** A part of a regular expression or a pattern as a literal. */
const pattern = (text: TemplateStringsArray) => literal(String.raw(text));

/** The escapes that may be unreadable; some are halves of a pair, or escaped themselves. */
const ESCAPE = pattern`%\\u%`;
const DELICATE_ESCAPE = pattern`\\u(0000|[dD][89a-fA-F])`;
const NUL = pattern`%\\u0000%`;
const PAIR = pattern`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`;
const HALF = pattern`\\u[dD][89a-fA-F]`;
const BACKSLASHES = pattern`\\`;

/** Every document with an unreadable number has one of these. */
const DELICATE_EXPONENT = pattern`\d[eE][+-]?\d{5}`;
const DELICATE_DIGITS = pattern`\d{255}`;
/** Shorter texts have no number of so many digits that those alone are too many. */
const SHORT = raw('4096');
const STRING = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`;
const STRINGS = literal(STRING);
const NUMBER = pattern`(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?`;

/** Shorter texts are not nested as deep as PostgreSQL's stack allows, nor those with fewer brackets. */
const SHALLOW = raw('30000');
const FEW_BRACKETS = raw('15000');
const MOST_LEVELS = raw('1000');
const NO_BRACKET = literal(`${STRING}|[^][{}"]+`);

/** Whether PostgreSQL can decode all texts of a document. */
function decodable(text: Sql): Sql {
  // Backslashes that are escaped go first, so that each one that is left begins an escape.
  const bare = sql`replace(${text}, ${BACKSLASHES}, '')`;
  const sound = sql`${bare} NOT LIKE ${NUL} AND regexp_replace(${bare}, ${PAIR}, '', 'g') !~ ${HALF}`;
  return sql`(${text} NOT LIKE ${ESCAPE} OR ${text} !~ ${DELICATE_ESCAPE} OR (${sound}))`;
}

/** Whether a document is not nested too deep. */
function shallow(text: Sql): Sql {
  const brackets = sql`octet_length(${text}) - octet_length(replace(replace(${text}, '[', ''), '{', ''))`;
  const levels = sql`WITH RECURSIVE level (rest, n) AS (
    SELECT regexp_replace(${text}, ${NO_BRACKET}, '', 'g'), 0
    UNION ALL SELECT replace(replace(rest, '[]', ''), '{}', ''), n + 1 FROM level
    WHERE rest <> '' AND n < ${MOST_LEVELS}) SELECT bool_or(rest = '') FROM level`;
  return sql`(octet_length(${text}) < ${SHALLOW} OR ${brackets} < ${FEW_BRACKETS} OR (${levels}))`;
}

/** Whether a number, as it was taken apart, is beyond `numeric`: 131,072 digits before the point, 16,383 behind. */
const BEYOND = sql`CASE WHEN length(ltrim(exponent, '+-0')) > 8 THEN TRUE ELSE
  length(fraction) - exponent::int > 16383 OR (ltrim(whole || fraction, '0') <> ''
  AND length(ltrim(whole || fraction, '0')) - length(fraction) + exponent::int > 131072) END`;

/** Whether `numeric` takes all numbers of a document. */
function countable(text: Sql): Sql {
  const quick = sql`${text} !~ ${DELICATE_EXPONENT} AND (octet_length(${text}) < ${SHORT} OR ${text} !~ ${DELICATE_DIGITS})`;
  const numbers = sql`SELECT p[1] AS whole, coalesce(p[2], '') AS fraction, coalesce(p[3], '0') AS exponent
    FROM regexp_matches(regexp_replace(${text}, ${STRINGS}, '', 'g'), ${NUMBER}, 'g') AS m (p)`;
  return sql`(${quick} OR NOT EXISTS (SELECT FROM (${numbers}) AS d WHERE ${BEYOND}))`;
}

/** Whether the documents of a field may be unreadable, because `jsonb` was never made of them. */
function mayBeUnreadable({ column, stored }: ColumnField): boolean {
  return column.elementType === null && column.typeName === 'json' && stored === null;
}

/** Types whose arrays become `jsonb` whatever they hold. */
const SAFE_ELEMENTS: ReadonlySet<string> = new Set([
  ...['bool', 'int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'uuid', 'date', 'time'],
  ...['timestamp', 'timestamptz', 'text', 'varchar', 'bpchar', 'citext', 'name', 'jsonb'],
]);

/** A value as `json`; null where its texts cannot be decoded. */
function decoded(json: Sql): Sql {
  const text = sql`(${json})::text`;
  return sql`CASE WHEN ${decodable(text)} AND ${shallow(text)} THEN ${json} END`;
}

/** What is made of a value that is computed once, however often it is written. */
function once(value: Sql, make: (made: Sql) => Sql): Sql {
  return sql`(SELECT ${make(raw('d.j'))} FROM (SELECT ${value} AS j OFFSET 0) AS d)`;
}

/** A value as `jsonb`; null where its numbers are beyond `numeric`. */
function counted(json: Sql): Sql {
  return sql`CASE WHEN ${countable(sql`${json}::text`)} THEN ${json}::jsonb END`;
}

/** The value of a field as `json` where `jsonb` may not take it; null where it does. */
function delicate(field: ColumnField, value: Sql): Sql | null {
  const { elementType } = field.column;
  if (elementType !== null) {
    return SAFE_ELEMENTS.has(elementType) ? null : sql`to_json(${value})`;
  }
  return mayBeUnreadable(field) ? value : null;
}

function plain({ column }: ColumnField, value: Sql): Sql {
  return column.elementType === null ? sql`(${value})::jsonb` : sql`to_jsonb(${value})`;
}

/** A document or an array as `jsonb`; null where it cannot be read. */
export function documentSql(field: ColumnField, value: Sql): Sql {
  const json = delicate(field, value);
  return json === null ? plain(field, value) : once(decoded(json), counted);
}

/** The same for what writes the document several times. */
export function ofDocument(field: ColumnField, value: Sql, make: (document: Sql) => Sql): Sql {
  const document = documentSql(field, value);
  return delicate(field, value) === null ? make(document) : once(document, make);
}

/** A part of a document. */
export interface Part {
  readonly field: ColumnField;
  /** The value of the field. */
  readonly value: Sql;
  readonly steps: readonly string[];
}

/** A part of a document as `jsonb`; null where it is absent or cannot be read. */
export function partSql({ field, value, steps }: Part): Sql {
  const json = delicate(field, value);
  const path = sql`${steps}::text[]`;
  if (json === null) return sql`(${plain(field, value)} #> ${path})`;
  return once(sql`(${decoded(json)}) #> ${path}`, counted);
}

/** The same for what writes the part several times. */
export function ofPart(part: Part, make: (made: Sql) => Sql): Sql {
  const made = partSql(part);
  return delicate(part.field, part.value) === null ? make(made) : once(made, make);
}

/** The number of elements of a document that is a list, for which no text and no number is read. */
export function lengthSql(field: ColumnField, value: Sql): Sql {
  const type = raw(field.column.typeName === 'jsonb' ? 'jsonb' : 'json');
  const length = sql`CASE ${type}_typeof(${value}) WHEN 'array' THEN ${type}_array_length(${value}) END`;
  return mayBeUnreadable(field)
    ? sql`(CASE WHEN ${shallow(sql`(${value})::text`)} THEN ${length} END)`
    : sql`(${length})`;
}
