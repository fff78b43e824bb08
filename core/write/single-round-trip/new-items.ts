/**
 * New items with all that they bring along, where nothing but their own keys holds them together:
 * what one statement writes, and the values that are sent with it.
 */
import { randomUUID } from 'node:crypto';
import { mapEach } from '#core/base/process/time-slice.ts';
import type { Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import { deltaText, type History, hasHistory } from '../history/history.ts';
import { rowCountClass } from '../history/new-rows.ts';
import { deltaOf } from '../relational/record-history.ts';
import type { RowNode } from '../relational/work.ts';
import { TransactionKeys } from './transaction-keys.ts';

/** New rows of one collection that name the same fields. */
export interface NewRows {
  readonly collection: Collection;
  readonly nodes: readonly RowNode[];
  /** The fields that have values of their own, in the order of their columns. */
  readonly fields: readonly ColumnField[];
  readonly references: readonly Reference[];
}

/** A field of new rows that takes keys of rows written before. */
export interface Reference extends ReferencedRows {
  readonly field: ColumnField;
}

/** Other new rows, and for each row the place of its one among them. */
export interface ReferencedRows {
  readonly rows: NewRows;
  readonly places: readonly number[];
}

/** New rows as history tells of them. */
export interface RecordedRows {
  readonly rows: NewRows;
  /** The rows that brought these along; null: nobody. */
  readonly owner: ReferencedRows | null;
}

/** New items; the rows that a request itself names are recorded first. */
export interface NewItems {
  /** In the order in which they are written: each after those whose keys it takes. */
  readonly written: readonly NewRows[];
  readonly recorded: readonly [RecordedRows, ...RecordedRows[]];
}

export function isSingleRow({ nodes }: NewRows): boolean {
  return nodes.length === 1;
}

/** The number of each of the rows, by which the statement calls them. */
export function rowNumbers({ recorded }: NewItems): ReadonlyMap<NewRows, number> {
  return new Map(recorded.map(({ rows }, number) => [rows, number]));
}

/** The keys of the items that were asked for, as later statements of the transaction know them. */
export function transactionKeysOf({ recorded: [{ rows }] }: NewItems): TransactionKeys {
  const [key] = rows.collection.primaryKey;
  if (key === undefined) throw new TypeError(`items of ${rows.collection.name} have no key`);
  return new TransactionKeys(key, rows.nodes.length);
}

/** What the text of the statement depends on: the same form, the same statement. */
export function statementShape(items: NewItems): string {
  const numbers = rowNumbers(items);
  const owners = new Map(items.recorded.map(({ rows, owner }) => [rows, owner]));
  let form = '';
  for (const rows of items.written) {
    const { collection, fields, references } = rows;
    // A name may hold any sign, so its length parts it from the rest.
    form += `${numbers.get(rows)} ${rowCountClass(rows.nodes.length)} ${collection.name.length} ${collection.name}`;
    for (const { column } of fields) form += `,${column.position}`;
    for (const reference of references) {
      form += `;${reference.field.column.position}>${numbers.get(reference.rows)}`;
    }
    const owner = owners.get(rows);
    if (owner) form += `<${numbers.get(owner.rows)}`;
    form += '|';
  }
  return form;
}

/** The texts of a list, or that of its only entry. */
function textsOf<T>(list: readonly T[]): T | readonly T[] | null {
  return list.length === 1 ? (list[0] ?? null) : list;
}

function numbered(places: readonly number[]): unknown {
  return textsOf(places.map((place) => place + 1));
}

/** What stands in the text of what was written for a key that only the database knows. */
async function deltaTexts(
  { collection, nodes, references }: NewRows,
  tokens: readonly string[],
): Promise<unknown> {
  const texts = await mapEach(nodes, (node) => {
    if (references.length === 0) return deltaText(collection, { delta: deltaOf(collection, node) });
    const row = new Map(node.row);
    for (const [index, { field }] of references.entries()) row.set(field, tokens[index] ?? null);
    return deltaText(collection, { delta: deltaOf(collection, { ...node, row }) });
  });
  return textsOf(texts);
}

/**
 * The values that `newItemsSql` has places for: those of the author, then for each of the rows how
 * many they are, their fields, their references, what was written of them, and their owners.
 */
export async function newItemsValues(
  items: NewItems,
  { author }: Pick<History, 'author'>,
): Promise<unknown[]> {
  const values: unknown[] = [...author];
  const owners = new Map(items.recorded.map(({ rows, owner }) => [rows, owner]));
  for (const rows of items.written) {
    const { collection, nodes, fields, references } = rows;
    values.push(nodes.length);
    for (const field of fields) {
      values.push(textsOf(await mapEach(nodes, ({ row }) => row.get(field) ?? null)));
    }
    const tokens = references.map(() => randomUUID());
    for (const [index, { places }] of references.entries()) {
      values.push(numbered(places), JSON.stringify(tokens[index]));
    }
    values.push(hasHistory(collection) ? await deltaTexts(rows, tokens) : null);
    values.push(numbered(owners.get(rows)?.places ?? []));
  }
  return values;
}
