/**
 * Guards rows against growing too large: their sizes are checked before PostgreSQL builds the text.
 * Nearly all rows are small, which one comparison per unbounded column shows.
 */

import { identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import type { Aggregation, Entry, Items, LevelPlan, Value } from '../plan/plan.ts';

/** The maximum size in bytes of the values of a page that PostgreSQL joins into one text. */
const PAGE_SIZE = 16_777_216;
/** The assumed number of items in a list without a limit. */
const UNLIMITED_ITEMS = 25_000;
/** Rows that fit into this fraction of an answer are small; larger rows are counted. */
const SMALL_PART = 4;

/**
 * How a statement treats rows that are not small. A `page` fails, since it can be read again row by
 * row, or as a whole for a single item. `rows` have a limit each; the rows of a `whole` share a
 * limit. An item that was just `written` may fail, since two statements can write and read it.
 */
export type AnswerForm = 'page' | 'rows' | 'whole' | 'written';

/** The bounds of one statement. */
export interface SizeBounds {
  readonly form: AnswerForm;
  /** ANSWER_MAX_SIZE, in bytes. */
  readonly answerSize: number;
  /**
   * QUERY_MAX_NESTED_ITEMS, per root row for `rows`, else in total; null: the lists' own limits
   * stay below it.
   */
  readonly nestedItems: number | null;
}

/** How a value is measured: as text, as stored (maybe compressed), or as a computed value. */
type Measure = 'text' | 'stored' | 'made';

/** A value of a row without a small maximum size; its name is a column of the subselect `r`. */
interface Unbounded {
  readonly column: Sql;
  readonly measure: Measure;
}

const FIXED: ReadonlySet<string> = new Set([
  ...['bool', 'int2', 'int4', 'int8', 'float4', 'float8', 'uuid', 'date', 'time', 'timetz'],
  ...['timestamp', 'timestamptz', 'char', 'name', 'oid'],
]);
const TEXTS: ReadonlySet<string> = new Set(['text', 'varchar', 'bpchar', 'citext']);
/** The maximum size of one character, in bytes. */
const CHARACTER = 4;

function measureOfField(field: ColumnField, share: number): Measure | null {
  const { column, type } = field;
  if (isConcealed(field)) return null;
  switch (type) {
    case 'bigInteger':
    case 'timestamp':
    case 'dateTime':
    case 'time':
      return null;
    case 'decimal':
      return column.numericPrecision === null ? 'text' : null;
    case 'unknown':
      return 'text';
    case 'binary':
    case 'csv':
      return 'made';
  }
  if (type.startsWith('geometry')) return 'made';
  if (column.typeKind === 'e' || FIXED.has(column.typeName)) return null;
  if (column.elementType !== null || !TEXTS.has(column.typeName)) return 'stored';
  const isShort = column.maxLength !== null && column.maxLength * CHARACTER <= share;
  return isShort ? null : 'text';
}

function measureOfValue(value: Value, share: number): Measure | null {
  if (value.kind === 'call') return value.name === 'json' ? 'stored' : null;
  if (value.kind !== 'column') return null;
  const { field, past } = value.column;
  return past === null ? measureOfField(field, share) : 'stored';
}

function measureOfEntry(entry: Entry, share: number): Measure | null {
  if (entry.kind === 'value') return measureOfValue(entry.value, share);
  if (entry.kind === 'object') {
    const inner = [...entry.entries.values()].map((one) => measureOfEntry(one, share));
    return inner.every((measure) => measure === null) ? null : 'made';
  }
  return ['key', 'count', 'constant'].includes(entry.kind) ? null : 'made';
}

/** The measures of the values of a row, by key. */
function measures(content: Items | Aggregation, share: number): [string, Measure | null][] {
  if (content.kind === 'items') {
    return [...content.entries].map(([key, entry]) => [key, measureOfEntry(entry, share)]);
  }
  const groups = content.groups.map(({ key, value }): [string, Measure | null] => [
    key,
    measureOfValue(value, share),
  ]);
  const names = new Set(content.aggregates.map(({ term }) => term.aggregate));
  const isUnbounded = (name: string) =>
    content.aggregates.some(
      ({ term, column }) =>
        term.aggregate === name && column !== null && measureOfField(column.field, share) !== null,
    );
  const extremes = [...names].map((name): [string, Measure | null] => {
    const isExtreme = name === 'min' || name === 'max';
    return [name, isExtreme && isUnbounded(name) ? 'made' : null];
  });
  return [...groups, ...extremes];
}

/** Rounded, so that different limits yield few different statements. */
function rounded(size: number): number {
  return 2 ** Math.floor(Math.log2(Math.max(size, 1)));
}

function number(value: number): Sql {
  return raw(String(value));
}

/** The approximate size of a value, for finding small rows; null for null. */
function quickSize({ column, measure }: Unbounded): Sql {
  return measure === 'text' ? sql`octet_length(${column}::text)` : sql`pg_column_size(${column})`;
}

/** Whether one of some values is larger than its share; false or null otherwise. */
function isLarger(values: readonly Unbounded[], share: number): Sql {
  const largest = sql`greatest(${join(values.map(quickSize))}) > ${number(share)}`;
  // A compressed value is larger than its stored size.
  const compressed = values.flatMap(({ column, measure }) =>
    measure === 'stored' ? [sql`pg_column_compression(${column}) IS NOT NULL`] : [],
  );
  return join([largest, ...compressed], ' OR ');
}

function sizeOf({ column, measure }: Unbounded): Sql {
  const size =
    measure === 'made' ? sql`pg_column_size(${column})` : sql`octet_length(${column}::text)`;
  return sql`coalesce(${size}, 0)`;
}

/** The total size of some values. */
function totalSize(values: readonly Unbounded[]): Sql {
  return sql`0::int8 + ${join(values.map(sizeOf), ' + ')}`;
}

/** Fails with an error that `core/database/failure.ts` translates. */
function refusal(what: string, size: Sql): Sql {
  return sql`concat(${raw(`'sluice: ${what} '`)}, ${size})::boolean`;
}

/** The transaction setting that stores a count, because no other state outlives a row. */
function setting({ table }: LevelPlan): Sql {
  return raw(`'sluice.${table.alias}'`);
}

const ITEMS = raw("'sluice.items'");

/** Adds to a count; yields the new count. */
function counted(name: Sql, size: Sql): Sql {
  const before = sql`coalesce(nullif(current_setting(${name}, true), ''), '0')::int8`;
  return sql`set_config(${name}, (${before} + ${size})::text, true)::int8`;
}

/** The size thresholds for the rows of a level. */
interface Guarded {
  readonly values: readonly Unbounded[];
  readonly share: number;
  readonly small: number;
}

function guardedValues(
  { content, limit, ownNames }: LevelPlan,
  { form, answerSize }: SizeBounds,
  isRoot: boolean,
): Guarded {
  const isOne = content.kind === 'items' && content.order === null;
  const items = isOne || (isRoot && form === 'rows') ? 1 : Math.max(limit ?? UNLIMITED_ITEMS, 1);
  const whole = Math.min(form === 'page' ? PAGE_SIZE : answerSize / SMALL_PART, answerSize);
  const small = rounded(whole / items);
  const count = content.kind === 'items' ? content.entries.size : content.groups.length + 1;
  const share = rounded(small / Math.max(count, 1));
  const names = measures(content, share);
  const values = names.flatMap(([key, measure], index) =>
    measure === null
      ? []
      : [{ column: sql`r.${ownNames ? identifier(key) : raw(`f${index}`)}`, measure }],
  );
  return { values, share, small };
}

/**
 * The text of a single row whose unbounded values are all texts. When a value is larger than its
 * part of the answer, it fails with an error that `core/database/failure.ts` translates.
 */
function writtenRow(json: Sql, values: readonly Unbounded[], answerSize: number): Sql | null {
  const [first] = values;
  if (first === undefined || values.some(({ measure }) => measure !== 'text')) return null;
  const larger = isLarger(values, Math.floor(answerSize / values.length));
  return sql`CASE WHEN ${larger} THEN ${refusal('LARGE', quickSize(first))}::text ELSE ${json}::text END`;
}

/**
 * The output of a row of a level; it fails when the row grows too large.
 * @param json builds it from the columns of the subselect `r`
 * @param below levels whose counts restart with each row of the root
 */
export function guardRow(
  level: LevelPlan,
  json: Sql,
  bounds: SizeBounds,
  { isRoot, below }: { readonly isRoot: boolean; readonly below: readonly LevelPlan[] },
): Sql {
  const { form, answerSize, nestedItems } = bounds;
  const { values, share, small } = guardedValues(level, bounds, isRoot);
  const isOne = level.content.kind === 'items' && level.content.order === null;
  // The values of a single row are stored data, each used once, and the enclosing row counts them.
  const isPlain = isOne && level.ownNames && !isRoot;
  if (values.length === 0 || isPlain) return json;
  if (isOne && isRoot && form === 'written') {
    const written = writtenRow(json, values, answerSize);
    if (written !== null) return written;
  }
  const larger = isLarger(values, share);
  // The shortest possible guard, because starting it costs as much as reading a short item.
  if (isOne && isRoot && form === 'page') {
    return sql`CASE WHEN ${larger} THEN '' ELSE ${json}::text END`;
  }
  const size = totalSize(values);
  const isPage = form === 'page';
  const most = String(isPage ? Math.min(PAGE_SIZE, answerSize) : answerSize);
  const what = isPage ? 'PAGE' : `ANSWER_MAX_SIZE ${most}`;
  const refused = refusal(what, size);
  // Counting prevents parallel query in PostgreSQL, so most pages are not counted.
  const isUncounted = isPage && (isRoot || nestedItems === null);
  const isAlone = isUncounted || isOne || (isRoot && form === 'rows');
  const refusedBeyond = (value: Sql, most: Sql) =>
    sql`CASE WHEN ${value} <= ${most} THEN 'true' ELSE ${raw(`'sluice: ${what} 0'`)} END::boolean`;
  const last = sql`CASE WHEN ${counted(setting(level), size)} <= ${raw(most)} THEN TRUE ELSE ${refused} END`;
  const bound = isAlone && !isPage ? raw(most) : number(small);
  const isBelow = isAlone
    ? refusedBeyond(size, bound)
    : sql`CASE WHEN ${size} <= ${bound} THEN TRUE ELSE ${last} END`;
  const fits = sql`CASE WHEN ${larger} THEN ${isBelow} ELSE TRUE END`;
  const names = [...below.map(setting), ...(nestedItems === null ? [] : [ITEMS])];
  const resets = names.map((name) => sql`set_config(${name}, '', true) IS NOT NULL`);
  return sql`CASE WHEN ${join([fits, ...(isRoot && form === 'rows' ? resets : [])], ' AND ')} THEN ${json} END`;
}

/**
 * A value of list items; it fails when there are more items than allowed. A page then fails,
 * because each of its items may have as many when read row by row.
 */
export function countItems({ form, nestedItems }: SizeBounds, items: Sql, value: Sql): Sql {
  if (nestedItems === null) return value;
  const most = String(nestedItems);
  const refused = refusal(form === 'page' ? 'PAGE' : `QUERY_MAX_NESTED_ITEMS ${most}`, items);
  return sql`CASE WHEN CASE WHEN ${counted(ITEMS, items)} <= ${raw(most)} THEN TRUE ELSE ${refused} END THEN ${value} END`;
}
