/**
 * Reads documents in columns of type `json`, which PostgreSQL stores without a look at their texts and
 * numbers: U+0000, half a surrogate pair, a number beyond `numeric` or endless nesting is stored, and
 * fails whatever has to read it. What cannot be read is null here. Healthy documents pay for a search
 * of `\u` in them, and for a look at the numbers of the part that is asked for.
 */

import { join, literal, raw, type Sql, sql } from '#core/database/sql.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';

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
/** Shorter texts have no unreadable number at all, such as `1e131072`. */
const TINY = raw('8');
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
  const isText = sql`octet_length(${text}) < ${TINY} OR ${text} LIKE '"%'`;
  const quick = sql`${isText} OR ${text} !~ ${DELICATE_EXPONENT} AND (octet_length(${text}) < ${SHORT} OR ${text} !~ ${DELICATE_DIGITS})`;
  const numbers = sql`SELECT p[1] AS whole, coalesce(p[2], '') AS fraction, coalesce(p[3], '0') AS exponent
    FROM regexp_matches(regexp_replace(${text}, ${STRINGS}, '', 'g'), ${NUMBER}, 'g') AS m (p)`;
  return sql`(${quick} OR NOT EXISTS (SELECT FROM (${numbers}) AS d WHERE ${BEYOND}))`;
}

/** Whether the documents of a field may be unreadable, because `jsonb` was never made of them. */
function mayBeUnreadable({ column, codec }: ColumnField): boolean {
  return column.elementType === null && column.typeName === 'json' && codec === null;
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
function documentSql(field: ColumnField, value: Sql): Sql {
  const json = delicate(field, value);
  if (json === null) return plain(field, value);
  const text = sql`(${json})::text`;
  return sql`(CASE WHEN ${decodable(text)} AND ${shallow(text)} AND ${countable(text)} THEN ${text}::jsonb END)`;
}

/** The same for what writes the document several times. */
export function ofDocument(field: ColumnField, value: Sql, make: (document: Sql) => Sql): Sql {
  const document = documentSql(field, value);
  return delicate(field, value) === null ? make(document) : once(document, make);
}

/** Whether a field may hold documents that cannot be read. */
export function mayHoldUnreadableJson(field: ColumnField): boolean {
  return delicate(field, raw('')) !== null;
}

/** Whether a value is there and cannot be read. */
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

/** The members of a document that is an object, by the names `m.key`, `m.value` and `m.n`. */
export interface Members {
  readonly from: Sql;
  readonly value: Sql;
  /** The name can be told; it is that of no field where it cannot. */
  readonly isNamed: Sql;
}

/** Whether {@link membersOf} finds the members of a document as they are. */
export function isDecodable(json: Sql): Sql {
  return decodable(sql`(${json})::text`);
}

/**
 * The members of a document, whatever its texts: where they cannot be decoded, their escapes are made
 * ordinary characters for a while.
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

/** Whether a document holds something: members, elements, characters, or what is no null. */
export function isNotEmptySql(field: ColumnField, value: Sql): Sql {
  return mayBeUnreadable(field)
    ? sql`(${value})::text !~ ${EMPTY}`
    : sql`${plain(field, value)} NOT IN ('[]', '{}', '""', 'null')`;
}

/** The texts of lists of one text each that stands in JSON as it is. */
function plainTexts(lists: readonly string[]): readonly string[] | null {
  const texts = lists.map((list) => list.slice(1, -1));
  return texts.every((text) => /^"[^"\\]*"$/.test(text)) ? texts : null;
}

/**
 * Whether a document is a list that has the element of one of some lists of one element, in the form
 * that a GIN index of `jsonb` serves.
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
  // What neither has the text nor escapes anything is not read.
  const found = [...texts, '\\'].map((text) => sql`strpos((${value})::text, ${text}::text) > 0`);
  return sql`(CASE WHEN ${join(found, ' OR ')} THEN ${held} WHEN ${value} IS NOT NULL THEN FALSE END)`;
}

/** The number of elements of a document that is a list, for which no text and no number is read. */
export function lengthSql(field: ColumnField, value: Sql): Sql {
  const type = raw(field.column.typeName === 'jsonb' ? 'jsonb' : 'json');
  const length = sql`CASE ${type}_typeof(${value}) WHEN 'array' THEN ${type}_array_length(${value}) END`;
  return mayBeUnreadable(field)
    ? sql`(CASE WHEN ${shallow(sql`(${value})::text`)} THEN ${length} END)`
    : sql`(${length})`;
}
