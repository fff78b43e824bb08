/**
 * Writes the statement of a plan. Its result is text that can be sent: the items of a list, or the
 * object of an item. The caller adds the envelope.
 */
import { join, quote, type Sql, sql } from '#core/database/sql.ts';
import { levelsBelow, type Meta, type Plan, type RowChoice, type Table } from '../plan/plan.ts';
import { hasKnownLimits, levelConditions } from './clause.ts';
import { type CellForm, cellsOf, columnCell, levelsOfCells } from './csv-cell.ts';
import { guardSql } from './expression.ts';
import { rootSql } from './level.ts';
import type { StatementContext } from './level-shape.ts';
import { Aliases } from './materialized-rows.ts';
import { exactOutput, outputOf } from './output.ts';
import type { AnswerForm } from './size.ts';
import { anyKeyCondition, columnNamed, keyCondition, tableSql, whereSql } from './table.ts';
import { unchangedRowSource } from './whole-row.ts';

function chosen(table: Table, rows: RowChoice): Sql {
  switch (rows.kind) {
    case 'key':
      return keyCondition(table, rows.parts);
    case 'keys':
      return anyKeyCondition(table, rows.keys);
    case 'kept':
      return rows.holds(columnNamed(table, rows.field.column.name));
  }
}

function rowConditions({ root: { table }, rows, keySeen }: Plan): Sql[] {
  if (rows === null) return [];
  if (keySeen === 'nowhere') return [sql`FALSE`];
  return [chosen(table, rows), ...keySeen.flatMap((guard) => guardSql(guard) ?? [])];
}

/** The maximum number of items in the lists of a plan; null where the lists' own limits suffice. */
function countedItems({ root: { limit }, rows, itemCost, nestedItems }: Plan, form: AnswerForm) {
  const parents = rows?.kind === 'key' ? 1 : rows?.kind === 'keys' ? rows.keys.length : limit;
  const most = form === 'rows' ? itemCost : itemCost * (parents ?? nestedItems);
  return itemCost <= 1 || most <= nestedItems ? null : nestedItems;
}

const ANSWER: StatementContext['outputs'] = { root: outputOf, below: outputOf };
const EXACT: StatementContext['outputs'] = { root: exactOutput, below: exactOutput };

function root(
  plan: Plan,
  form: AnswerForm,
  outputs = ANSWER,
  texts: StatementContext['texts'] = new Set(),
) {
  const nestedItems = countedItems(plan, form);
  const bounds = { form, answerSize: plan.answerSize, nestedItems };
  const knownLimits = hasKnownLimits(plan);
  const writing = { aliases: new Aliases(), bounds, root: plan.root, knownLimits, outputs, texts };
  return rootSql(plan.root, rowConditions(plan), writing);
}

/** One number of the answer's `meta`. */
function metaSql({ name, table, conditions }: Meta): Sql {
  if (name !== 'estimated_count') {
    const where = whereSql(levelConditions({ table, conditions }));
    return sql`SELECT count(*) FROM ${tableSql(table)}${where}`;
  }
  const { schema = '', name: relation = '' } = table.collection.table ?? {};
  const qualified = `${quote(schema)}.${quote(relation)}`;
  return sql`SELECT greatest(reltuples, 0)::int8 FROM pg_class WHERE oid = ${qualified}::regclass`;
}

/** `{"total_count":…}` as text; null when it was not requested. */
function metaText({ meta }: Plan): Sql | null {
  if (meta.length === 0) return null;
  const members = meta.map(
    (one, index) => sql`${`${index === 0 ? '' : ','}"${one.name}":`}::text || (${metaSql(one)})`,
  );
  return sql`'{' || ${join(members, ' || ')} || '}'`;
}

/**
 * One row with the text `[…]`, preceded by the text of `meta` and a line feed if requested.
 * @param form `page` where {@link streamSql} can read the same
 */
export function listSql(plan: Plan, form: 'page' | 'whole'): Sql {
  const { rows, json } = root(plan, form);
  const meta = metaText(plan);
  const before = meta === null ? sql`` : sql`${meta} || E'\\n' || `;
  return sql`SELECT ${before}'[' || coalesce(string_agg(${json}::text, ','), '') || ']' FROM (${rows}) AS r`;
}

/**
 * One row with the text of an object, or no row.
 * @param form `page` and `written` where `whole` can read the same
 */
export function itemSql(plan: Plan, form: 'page' | 'whole' | 'written' = 'whole'): Sql {
  const source = form === 'written' ? unchangedRowSource(plan) : null;
  return source === null
    ? rowsSql(plan, form)
    : sql`SELECT ${root(plan, form).json}::text FROM ${source} AS r`;
}

function rowsSql(plan: Plan, form: AnswerForm, outputs = ANSWER): Sql {
  const { rows, json } = root(plan, form, outputs);
  return sql`SELECT ${json}::text FROM (${rows}) AS r`;
}

/** A row with the text of each item, preceded by a row with the text of `meta` if requested. */
export function streamSql(plan: Plan): Sql {
  const items = rowsSql(plan, 'rows');
  const meta = metaText(plan);
  return meta === null ? items : sql`SELECT ${meta} UNION ALL (${items})`;
}

/** Separates JSON texts, and occurs in no JSON text (RFC 7464). */
export const RECORD_SEPARATOR = '\u001e';

/**
 * One row with the texts of all items, separated by {@link RECORD_SEPARATOR}; null without items.
 */
export function sequenceSql(plan: Plan): Sql {
  const { rows, json } = root(plan, 'whole');
  return sql`SELECT string_agg(${json}::text, ${RECORD_SEPARATOR}) FROM (${rows}) AS r`;
}

/** A row with the text of each item, for a file that an import reads back. */
export function exactRowsSql(plan: Plan): Sql {
  return rowsSql(plan, 'rows', EXACT);
}

/** A row for each item with its cells, for COPY in CSV format with the word `null` for null. */
export function cellsSql(plan: Plan, form: CellForm): Sql {
  const outputs = { root: columnCell(form), below: exactOutput };
  const { rows, values, guard } = root(plan, 'rows', outputs, new Set(levelsOfCells(plan.root)));
  const [first = sql`NULL`, ...cells] = cellsOf(plan.root, values, form);
  // The values of the row itself are written to the file directly, whatever their size.
  const guarded = levelsBelow(plan.root).length === 0 ? first : guard(first);
  return sql`SELECT ${join([guarded, ...cells])} FROM (${rows}) AS r`;
}
