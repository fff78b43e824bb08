/**
 * Guards rows against growing too large: their sizes are looked at before PostgreSQL puts them
 * together. Nearly all rows are small, which one comparison for each unbounded column tells.
 */

import { identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import type { Aggregation, Entry, Items, LevelPlan, Value } from '../plan/plan.ts';

/** Bytes of values up to which the rows of a page become one text in PostgreSQL. */
const PAGE_SIZE = 16_777_216;
/** A list without a limit is taken for one of so many items. */
const UNLIMITED_ITEMS = 25_000;
/** Small rows may make up such a part of an answer before those that are not are counted. */
const SMALL_PART = 4;

/**
 * How a statement treats rows that are not small: a `page` gives up, since the same can be read row
 * by row, and a single item as a whole; `rows` have their bounds each; the rows of a `whole` are counted together.
 * An item that was just `written` may fail, since it can be written and read in two statements.
 */
export type AnswerForm = 'page' | 'rows' | 'whole' | 'written';

/** The bounds of one statement. */
export interface SizeBounds {
  readonly form: AnswerForm;
  /** ANSWER_MAX_SIZE, in bytes. */
  readonly answerSize: number;
  /**
   * QUERY_MAX_NESTED_ITEMS, of a row of the root where `rows` are read, else of all; null: the limits
   * of the lists stay below it.
   */
  readonly nestedItems: number | null;
}

/** How the size of a value is found: of a text, of what may be stored compressed, of what was made. */
type Measure = 'text' | 'stored' | 'made';

/** A value of a row without a small bound; its name is that of a column of the sub-select `r`. */
interface Unbounded {
  readonly column: Sql;
  readonly measure: Measure;
}

const FIXED: ReadonlySet<string> = new Set([
  ...['bool', 'int2', 'int4', 'int8', 'float4', 'float8', 'uuid', 'date', 'time', 'timetz'],
  ...['timestamp', 'timestamptz', 'char', 'name', 'oid'],
]);
const TEXTS: ReadonlySet<string> = new Set(['text', 'varchar', 'bpchar', 'citext']);
/** Longest form of one character, in bytes. */
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

/** Few different ones, so that few different statements are made of different limits. */
function rounded(size: number): number {
  return 2 ** Math.floor(Math.log2(Math.max(size, 1)));
}

function number(value: number): Sql {
  return raw(String(value));
}

/** The size of a value by which rows are told to be small; null for one that is null. */
function quickSize({ column, measure }: Unbounded): Sql {
  return measure === 'text' ? sql`octet_length(${column}::text)` : sql`pg_column_size(${column})`;
}

/** Whether one of some values is larger than its share; false or null when none is. */
function isLarger(values: readonly Unbounded[], share: number): Sql {
  const largest = sql`greatest(${join(values.map(quickSize))}) > ${number(share)}`;
  // What is stored compressed is larger than it takes.
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

/** The sizes of some values together. */
function totalSize(values: readonly Unbounded[]): Sql {
  return sql`0::int8 + ${join(values.map(sizeOf), ' + ')}`;
}

/** Fails with an error that `core/database/failure.ts` knows. */
function refusal(what: string, size: Sql): Sql {
  return sql`concat(${raw(`'sluice: ${what} '`)}, ${size})::boolean`;
}

/** What is counted in settings of the transaction, because nothing else outlives a row. */
function setting({ table }: LevelPlan): Sql {
  return raw(`'sluice.${table.alias}'`);
}

const ITEMS = raw("'sluice.items'");

/** Adds to what was counted; what it comes to. */
function counted(name: Sql, size: Sql): Sql {
  const before = sql`coalesce(nullif(current_setting(${name}, true), ''), '0')::int8`;
  return sql`set_config(${name}, (${before} + ${size})::text, true)::int8`;
}

/** Which rows of a level are small, by their measures. */
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
 * The text of a single row whose unbounded values are all texts, or an error that
 * `core/database/failure.ts` knows: no value is larger than its part of the answer.
 */
function writtenRow(json: Sql, values: readonly Unbounded[], answerSize: number): Sql | null {
  const [first] = values;
  if (first === undefined || values.some(({ measure }) => measure !== 'text')) return null;
  const larger = isLarger(values, Math.floor(answerSize / values.length));
  return sql`CASE WHEN ${larger} THEN ${refusal('LARGE', quickSize(first))}::text ELSE ${json}::text END`;
}

/**
 * What a row of a level becomes, or an error where that grows too large.
 * @param json makes it of the columns of the sub-select `r`
 * @param below levels whose counts begin anew with each row of the root
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
  // What a single row holds was stored, each value once, and counts where the row is put.
  const isPlain = isOne && level.ownNames && !isRoot;
  if (values.length === 0 || isPlain) return json;
  if (isOne && isRoot && form === 'written') {
    const written = writtenRow(json, values, answerSize);
    if (written !== null) return written;
  }
  const larger = isLarger(values, share);
  // The shortest guard that there is, because starting it costs as much as reading a short item.
  if (isOne && isRoot && form === 'page') {
    return sql`CASE WHEN ${larger} THEN '' ELSE ${json}::text END`;
  }
  const size = totalSize(values);
  const isPage = form === 'page';
  const most = String(isPage ? Math.min(PAGE_SIZE, answerSize) : answerSize);
  const what = isPage ? 'PAGE' : `ANSWER_MAX_SIZE ${most}`;
  const refused = refusal(what, size);
  // Counting keeps PostgreSQL from reading with several processes, so that most pages go without.
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
 * A value of items in lists, or an error when there are more of them than may be. A page gives up: read
 * row by row, each of its items may have as many.
 */
export function countItems({ form, nestedItems }: SizeBounds, items: Sql, value: Sql): Sql {
  if (nestedItems === null) return value;
  const most = String(nestedItems);
  const refused = refusal(form === 'page' ? 'PAGE' : `QUERY_MAX_NESTED_ITEMS ${most}`, items);
  return sql`CASE WHEN CASE WHEN ${counted(ITEMS, items)} <= ${raw(most)} THEN TRUE ELSE ${refused} END THEN ${value} END`;
}
