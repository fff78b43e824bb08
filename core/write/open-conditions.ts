/**
 * Evaluates in PostgreSQL the validation conditions that cannot be evaluated in memory. One
 * statement evaluates them for all items: the items are rows of values, and the filter compiler
 * writes the conditions.
 */

import { ServiceError } from '#core/base/errors/service-error.ts';
import { bareType } from '#core/database/column-type.ts';
import { rowsOf } from '#core/database/prepared.ts';
import { identifier, join, raw, render, type Sql, sql } from '#core/database/sql.ts';
import type { Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import { columnOf } from '#core/model/catalog/catalog.ts';
import { parseFunctionCall } from '#core/query/function-call.ts';
import type { Filter } from '#core/query/query.ts';
import { rowsWithRuleResults } from '#core/read/sql/table-rows.ts';
import { ordinalColumn } from './history/history.ts';
import { type Item, ownMember, toRow } from './payload.ts';
import type { WriteContext } from './write-context.ts';

/** An item, and its conditions that are not evaluated yet. */
export interface OpenConditions {
  readonly item: Item;
  readonly open: readonly Filter[];
}

function fieldOf(collection: Collection, filter: Filter): ColumnField | null {
  if (filter.kind !== 'field') return null;
  return columnOf(collection, parseFunctionCall(filter.key)?.field ?? filter.key);
}

/** The text that the column would store; undefined when the column rejects the value. */
function textOf(collection: Collection, field: ColumnField, item: Item): string | null | undefined {
  const value = ownMember(item, field.name);
  if (value === undefined) return null;
  try {
    return toRow(collection, { [field.name]: value }, 'create').get(field);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** Types whose columns round values instead of rejecting them. */
const ROUNDED: ReadonlySet<string> = new Set([
  ...['numeric', 'time', 'timetz', 'timestamp', 'timestamptz', 'interval'],
]);

function castOf({ column }: ColumnField): Sql {
  return ROUNDED.has(column.typeName) ? raw(column.typeText) : bareType(column);
}

/**
 * The open conditions that hold, for each item in order.
 * @throws the driver's error for a value that does not fit its type
 */
export async function evaluateOpenConditions(
  { target, collection, client, now }: WriteContext,
  items: readonly OpenConditions[],
): Promise<readonly ReadonlySet<Filter>[]> {
  const filters = [...new Set(items.flatMap(({ open }) => open))];
  const fields = [...new Set(filters.flatMap((filter) => fieldOf(collection, filter) ?? []))];
  const texts = items.map(({ item }) => fields.map((field) => textOf(collection, field, item)));
  const arrays = fields.map((_, part) => sql`${texts.map((row) => row[part] ?? null)}::text[]`);
  const given = fields.map((_, part) => raw(`c${part}`));
  const columns = fields.map(
    (field, part) => sql`v.${given[part]}::${castOf(field)} AS ${identifier(field.column.name)}`,
  );
  const place = ordinalColumn(collection);
  const source = sql`(SELECT ${join(columns)}, v.n AS ${place} FROM unnest(${join(arrays)}) WITH ORDINALITY AS v(${join([...given, raw('n')])}))`;
  const asked = { ...target, collection: collection.name };
  const { table, from, verdicts } = rowsWithRuleResults(asked, filters, now, source);
  const order = sql`${raw(table.alias)}.${place}`;
  const select = sql`SELECT ${join(verdicts)} FROM ${from} ORDER BY ${order}`;
  const rows = await rowsOf<boolean[]>(client, render(select));
  return items.map(({ open }, index) => {
    const holds = (filter: Filter) => {
      const field = fieldOf(collection, filter);
      const isValue = field !== null && texts[index]?.[fields.indexOf(field)] !== undefined;
      return isValue && rows[index]?.[filters.indexOf(filter)] === true;
    };
    return new Set(open.filter(holds));
  });
}
