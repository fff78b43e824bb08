/**
 * Writes values as the cells of a CSV file that an import reads back. An import reads an empty cell
 * as no value, the word `null` as null, and a cell in JSON quotes as text. Texts that would be
 * misread are therefore written in JSON quotes. COPY adds the quotes of CSV.
 */

import { literal, type Sql, sql } from '#core/database/sql.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import { isGeometry } from '../plan/geometry.ts';
import type { Entry, LevelPlan, Value } from '../plan/plan.ts';
import { exactOutput, type outputOf } from './output.ts';

export interface CellForm {
  /** Cells that a spreadsheet would read as a formula begin with an apostrophe. */
  readonly safe: boolean;
  /** The cell of a null; null or absent for the word `null`. */
  readonly nullText?: string | null | undefined;
}

/** The cell of a null. */
export function nullCell({ nullText }: CellForm): string {
  return nullText ?? 'null';
}

/** The content of a cell: any text, JSON, or text that is neither misread nor a formula. */
type Content = 'text' | 'json' | 'plain';

/** First characters of formulas, also in full width. */
const FORMULA = sql`'=', '+', '-', '@', '＝', '＋', '－', '＠'`;

/**
 * A text as a cell. In byte order the empty text, white space and quotes precede `#`, so the first
 * byte clears most texts cheaply.
 * @param text is written several times
 */
function textCell(text: Sql, { safe, nullText }: CellForm): Sql {
  const words = sql`starts_with(${text}, 'null') OR starts_with(${text}, 'true') OR starts_with(${text}, 'false')`;
  const isNull = nullText == null ? sql`` : sql` OR ${text} = ${literal(nullText)}`;
  const misread = sql`WHEN ${text} COLLATE "C" < '#' OR ${words}${isNull} THEN to_json(${text})::text`;
  if (safe) {
    const formula = sql`WHEN left(${text}, 1) IN (${FORMULA}) THEN '''' || ${text}`;
    return sql`CASE ${misread} ${formula} ELSE ${text} END`;
  }
  const first = sql`(${text})::"char"`;
  const other = nullText == null ? sql`` : sql` AND ${text} <> ${literal(nullText)}`;
  const clear = sql`${first} > '"' AND ${first} <> ALL ('{n,t,f}'::"char"[])${other}`;
  return sql`CASE WHEN ${clear} THEN ${text} ${misread} ELSE ${text} END`;
}

/** Types whose texts are neither misread nor formulas. */
const PLAIN: ReadonlySet<string> = new Set([
  ...['integer', 'bigInteger', 'float', 'decimal', 'boolean', 'date', 'time', 'dateTime'],
  ...['timestamp', 'binary'],
]);

function contentOf(field: ColumnField): Content {
  if (isConcealed(field)) return 'plain';
  if (field.type === 'json' || field.type === 'csv' || isGeometry(field)) return 'json';
  if (field.type === 'uuid') return field.column.typeName === 'uuid' ? 'plain' : 'text';
  return PLAIN.has(field.type) ? 'plain' : 'text';
}

/** An array as a list, or as PostgreSQL writes it when its first index is not 1. */
function arrayCell(field: ColumnField, column: Sql): Sql {
  const list = sql`to_json(${exactOutput(field, column)})::text`;
  return sql`CASE WHEN array_lower(${column}, 1) <> 1 THEN to_json(${column}::text)::text ELSE ${list} END`;
}

/** The value of a column for COPY: in its type's own output format, or as the text of a cell. */
export function columnCell(form: CellForm): typeof outputOf {
  return (field, column) => {
    if (isConcealed(field)) return exactOutput(field, column);
    switch (contentOf(field)) {
      case 'plain':
        return field.type === 'boolean' ? sql`${column}::text` : column;
      case 'json':
        return field.column.elementType === null
          ? sql`(${exactOutput(field, column)})::text`
          : arrayCell(field, column);
      case 'text':
        return textCell(sql`${column}::text`, form);
    }
  };
}

function contentOfValue(value: Value): Content {
  if (value.kind === 'column') return contentOf(value.column.field);
  return value.kind === 'call' && value.name === 'json' ? 'json' : 'plain';
}

/** Whether the cell of an entry contains JSON. */
export function isJsonCell(entry: Entry): boolean {
  if (entry.kind === 'value') return contentOfValue(entry.value) === 'json';
  return entry.kind !== 'one' || entry.level.content.kind === 'groups';
}

/** The levels whose members become cells, where JSON is stored as text. */
export function levelsOfCells({ content }: LevelPlan): readonly LevelPlan[] {
  if (content.kind === 'groups') return [];
  return [...content.entries.values()].flatMap((entry) =>
    entry.kind === 'one' ? [entry.level, ...levelsOfCells(entry.level)] : [],
  );
}

/** A member of a JSON object as a cell; JSON is stored there as text, which is always readable. */
function memberCell(object: Sql, path: readonly string[], content: Content, form: CellForm): Sql {
  const text = sql`((${object})::json #>> ${path}::text[])`;
  // A null in JSON means no value here.
  if (content === 'json') return sql`nullif(${text}, 'null')`;
  return content === 'text' ? textCell(text, form) : text;
}

function cellsOfEntry(
  [key, entry]: readonly [string, Entry],
  value: Sql,
  path: readonly string[] | null,
  form: CellForm,
): Sql[] {
  const at = path === null ? [] : [...path, key];
  if (entry.kind === 'one') {
    const { content } = entry.level;
    if (content.kind === 'groups' && path === null) return [sql`nullif((${value})::text, 'null')`];
    if (content.kind === 'groups') return [memberCell(value, at, 'json', form)];
    return [...content.entries].flatMap((inner) => cellsOfEntry(inner, value, at, form));
  }
  const content = entry.kind === 'value' ? contentOfValue(entry.value) : 'json';
  if (at.length > 0) return [memberCell(value, at, content, form)];
  return [entry.kind === 'value' ? value : sql`${value}::text`];
}

/**
 * The cells of a row, in the order of the plan's columns.
 * @param values the values of the root's entries, written by {@link columnCell}
 */
export function cellsOf(
  { content }: LevelPlan,
  values: ReadonlyMap<string, Sql>,
  form: CellForm,
): Sql[] {
  const named = (key: string) => values.get(key) ?? sql`NULL`;
  if (content.kind === 'items') {
    return [...content.entries].flatMap((entry) =>
      cellsOfEntry(entry, named(entry[0]), null, form),
    );
  }
  const groups = content.groups.map(({ key }) => textCell(sql`${named(key)}::text`, form));
  const aggregates = content.aggregates.map(({ term: { aggregate, field } }) =>
    field === '*'
      ? sql`${named(aggregate)}::text`
      : memberCell(named(aggregate), [field], 'text', form),
  );
  return [...groups, ...aggregates];
}
