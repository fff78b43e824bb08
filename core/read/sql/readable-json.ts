/**
 * Reads documents in columns of type `json`, whose texts and numbers PostgreSQL stores unchecked.
 * U+0000, half a surrogate pair, a number beyond `numeric` or very deep nesting fails later reads.
 * Such unreadable values are null here. Valid documents cost only a search for `\u`, and a check of
 * the numbers of the part that is read.
 */

import { join, literal, raw, type Sql, sql } from '#core/database/sql.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';

/** A part of a regular expression or a pattern as a literal. */
const pattern = (text: TemplateStringsArray) => literal(String.raw(text));

/** Escapes that may be unreadable; some are halves of a pair, or escaped themselves. */
const ESCAPE = pattern`%\\u%`;
const DELICATE_ESCAPE = pattern`\\u(0000|[dD][89a-fA-F])`;
const NUL = pattern`%\\u0000%`;
const PAIR = pattern`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`;
const HALF = pattern`\\u[dD][89a-fA-F]`;
const BACKSLASHES = pattern`\\`;

/** Every document with an unreadable number matches one of these. */
const DELICATE_EXPONENT = pattern`\d[eE][+-]?\d{5}`;
const DELICATE_DIGITS = pattern`\d{255}`;
/** Shorter texts cannot contain an unreadable number, such as `1e131072`. */
const TINY = raw('8');
/** Shorter texts cannot contain a number with too many digits. */
const SHORT = raw('4096');
const STRING = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`;
const STRINGS = literal(STRING);
const NUMBER = pattern`(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?`;

/** Shorter texts, or texts with fewer brackets, cannot exceed PostgreSQL's stack limit. */
const SHALLOW = raw('30000');
const FEW_BRACKETS = raw('15000');
const MOST_LEVELS = raw('1000');
const NO_BRACKET = literal(`${STRING}|[^][{}"]+`);

/** Whether PostgreSQL can decode all texts of a document. */
function decodable(text: Sql): Sql {
  // Escaped backslashes are removed first, so that each remaining one begins an escape.
  const bare = sql`replace(${text}, ${BACKSLASHES}, '')`;
  const sound = sql`${bare} NOT LIKE ${NUL} AND regexp_replace(${bare}, ${PAIR}, '', 'g') !~ ${HALF}`;
  return sql`(${text} NOT LIKE ${ESCAPE} OR ${text} !~ ${DELICATE_ESCAPE} OR (${sound}))`;
}

/** Whether the nesting of a document is not too deep. */
function shallow(text: Sql): Sql {
  const brackets = sql`octet_length(${text}) - octet_length(replace(replace(${text}, '[', ''), '{', ''))`;
  const levels = sql`WITH RECURSIVE level (rest, n) AS (
    SELECT regexp_replace(${text}, ${NO_BRACKET}, '', 'g'), 0
    UNION ALL SELECT replace(replace(rest, '[]', ''), '{}', ''), n + 1 FROM level
    WHERE rest <> '' AND n < ${MOST_LEVELS}) SELECT bool_or(rest = '') FROM level`;
  return sql`(octet_length(${text}) < ${SHALLOW} OR ${brackets} < ${FEW_BRACKETS} OR (${levels}))`;
}

/** Whether a parsed number is beyond `numeric`: 131,072 digits before the point, 16,383 behind. */
const BEYOND = sql`CASE WHEN length(ltrim(exponent, '+-0')) > 8 THEN TRUE ELSE
  length(fraction) - exponent::int > 16383 OR (ltrim(whole || fraction, '0') <> ''
  AND length(ltrim(whole || fraction, '0')) - length(fraction) + exponent::int > 131072) END`;

/** Whether all numbers of a document fit into `numeric`. */
function countable(text: Sql): Sql {
  const isText = sql`octet_length(${text}) < ${TINY} OR ${text} LIKE '"%'`;
  const quick = sql`${isText} OR ${text} !~ ${DELICATE_EXPONENT} AND (octet_length(${text}) < ${SHORT} OR ${text} !~ ${DELICATE_DIGITS})`;
  const numbers = sql`SELECT p[1] AS whole, coalesce(p[2], '') AS fraction, coalesce(p[3], '0') AS exponent
    FROM regexp_matches(regexp_replace(${text}, ${STRINGS}, '', 'g'), ${NUMBER}, 'g') AS m (p)`;
  return sql`(${quick} OR NOT EXISTS (SELECT FROM (${numbers}) AS d WHERE ${BEYOND}))`;
}

/** Whether the documents of a field may be unreadable, because they never were `jsonb`. */
function mayBeUnreadable({ column, codec }: ColumnField): boolean {
  return column.elementType === null && column.typeName === 'json' && codec === null;
}

/** Types whose arrays can always be converted to `jsonb`. */
const SAFE_ELEMENTS: ReadonlySet<string> = new Set([
  ...['bool', 'int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'uuid', 'date', 'time'],
  ...['timestamp', 'timestamptz', 'text', 'varchar', 'bpchar', 'citext', 'name', 'jsonb'],
]);

/** A value as `json`; null where its texts cannot be decoded. */
function decoded(json: Sql): Sql {
  const text = sql`(${json})::text`;
  return sql`CASE WHEN ${decodable(text)} AND ${shallow(text)} THEN ${json} END`;
}

/** An expression over a value that is computed once, even if it is used several times. */
function once(value: Sql, make: (made: Sql) => Sql): Sql {
  return sql`(SELECT ${make(raw('d.j'))} FROM (SELECT ${value} AS j OFFSET 0) AS d)`;
}

/** A value as `jsonb`; null where its numbers are beyond `numeric`. */
function counted(json: Sql): Sql {
  return sql`CASE WHEN ${countable(sql`${json}::text`)} THEN ${json}::jsonb END`;
}

/** The value of a field as `json` if its conversion to `jsonb` may fail; else null. */
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
function documentSql(field: ColumnField, value: Sql): Sql {
  const json = delicate(field, value);
  if (json === null) return plain(field, value);
  const text = sql`(${json})::text`;
  return sql`(CASE WHEN ${decodable(text)} AND ${shallow(text)} AND ${countable(text)} THEN ${text}::jsonb END)`;
}

/** The same for expressions that use the document several times. */
export function ofDocument(field: ColumnField, value: Sql, make: (document: Sql) => Sql): Sql {
  const document = documentSql(field, value);
  return delicate(field, value) === null ? make(document) : once(document, make);
}

/** Whether a field may contain documents that PostgreSQL cannot convert to `jsonb`. */
export function mayHoldUnreadableJson(field: ColumnField): boolean {
  return delicate(field, raw('')) !== null;
}

/** Whether a value is not null but unreadable. */
export function unreadableSql(field: ColumnField, value: Sql): Sql {
  return sql`(${value} IS NOT NULL AND ${documentSql(field, value)} IS NULL)`;
}

/** A part of a document. */
export interface Part {
  readonly field: ColumnField;
  /** The value of the field. */
  readonly value: Sql;
  readonly steps: readonly string[];
}

/** A part of a document as `jsonb`; null where it is absent or unreadable. */
export function partSql({ field, value, steps }: Part): Sql {
  const json = delicate(field, value);
  const path = sql`${steps}::text[]`;
  if (json === null) return sql`(${plain(field, value)} #> ${path})`;
  return once(sql`(${decoded(json)}) #> ${path}`, counted);
}

/** The same for expressions that use the part several times. */
export function ofPart(part: Part, make: (made: Sql) => Sql): Sql {
  const made = partSql(part);
  return delicate(part.field, part.value) === null ? make(made) : once(made, make);
}

/** The members of a document that is an object, by the names `m.key`, `m.value` and `m.n`. */
export interface Members {
  readonly from: Sql;
  readonly value: Sql;
  /** The name can be decoded; an undecodable name matches no field. */
  readonly isNamed: Sql;
}

/** Whether {@link membersOf} can read the members of a document unchanged. */
export function isDecodable(json: Sql): Sql {
  return decodable(sql`(${json})::text`);
}

/**
 * The members of a document with any texts: undecodable escapes are temporarily replaced by
 * ordinary characters.
 * @param sound {@link isDecodable} of the document
 */
export function membersOf(json: Sql, sound: Sql): Members {
  const one = raw("E'\\\\'");
  const two = raw("E'\\\\\\\\'");
  const bare = sql`replace(replace((${json})::text, ${two}, ${one} || 'u005c'), ${one} || '"', ${one} || 'u0022')`;
  const source = sql`CASE WHEN json_typeof(${json}) IS DISTINCT FROM 'object' THEN '{}' WHEN ${sound} THEN ${json} ELSE replace(${bare}, ${one}, ${two})::json END`;
  return {
    from: sql`json_each(${source}) WITH ORDINALITY AS m (key, value, n)`,
    value: sql`CASE WHEN ${sound} THEN m.value ELSE replace(m.value::text, ${two}, ${one})::json END`,
    isNamed: sql`(${sound} OR strpos(m.key, ${one}) = 0)`,
  };
}

const EMPTY = pattern`^\s*(\[\s*\]|\{\s*\}|""|null)\s*$`;

/** Whether a document is not empty: it is not `[]`, `{}`, `""` or `null`. */
export function isNotEmptySql(field: ColumnField, value: Sql): Sql {
  return mayBeUnreadable(field)
    ? sql`(${value})::text !~ ${EMPTY}`
    : sql`${plain(field, value)} NOT IN ('[]', '{}', '""', 'null')`;
}

/** The only texts of one-element lists, if they need no escapes in JSON; else null. */
function plainTexts(lists: readonly string[]): readonly string[] | null {
  const texts = lists.map((list) => list.slice(1, -1));
  return texts.every((text) => /^"[^"\\]*"$/.test(text)) ? texts : null;
}

/**
 * Whether a list document contains the element of one of some one-element lists, in a form that a
 * GIN index of `jsonb` serves.
 */
export function listContains(field: ColumnField, value: Sql, lists: readonly string[]): Sql {
  const tests = (document: Sql) => lists.map((list) => sql`${document} @> ${list}::jsonb`);
  const [only, ...more] = lists;
  const held =
    only !== undefined && more.length === 0
      ? join(tests(documentSql(field, value)))
      : ofDocument(field, value, (document) => sql`(${join(tests(document), ' OR ')})`);
  const texts = mayBeUnreadable(field) ? plainTexts(lists) : null;
  if (texts === null) return held;
  // A document without the text and without escapes need not be parsed.
  const found = [...texts, '\\'].map((text) => sql`strpos((${value})::text, ${text}::text) > 0`);
  return sql`(CASE WHEN ${join(found, ' OR ')} THEN ${held} WHEN ${value} IS NOT NULL THEN FALSE END)`;
}

/** The number of elements of a list document; texts and numbers are not decoded. */
export function lengthSql(field: ColumnField, value: Sql): Sql {
  const type = raw(field.column.typeName === 'jsonb' ? 'jsonb' : 'json');
  const length = sql`CASE ${type}_typeof(${value}) WHEN 'array' THEN ${type}_array_length(${value}) END`;
  return mayBeUnreadable(field)
    ? sql`(CASE WHEN ${shallow(sql`(${value})::text`)} THEN ${length} END)`
    : sql`(${length})`;
}
