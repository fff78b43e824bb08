/**
 * New items with their nested items that are linked only by their own keys: the rows that one
 * statement writes, and its parameter values.
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
  /** The fields that have values of their own, in column order. */
  readonly fields: readonly ColumnField[];
  readonly references: readonly Reference[];
}

/** A field of new rows that takes the keys of rows written earlier. */
export interface Reference extends ReferencedRows {
  readonly field: ColumnField;
}

/** Other new rows, and for each row the index of the row that it refers to. */
export interface ReferencedRows {
  readonly rows: NewRows;
  readonly places: readonly number[];
}

/** New rows as history records them. */
export interface RecordedRows {
  readonly rows: NewRows;
  /** The parent rows of these nested rows; null: they have no parent. */
  readonly owner: ReferencedRows | null;
}

/** New items; the rows that the request names directly are recorded first. */
export interface NewItems {
  /** In write order: each after the rows whose keys it takes. */
  readonly written: readonly NewRows[];
  readonly recorded: readonly [RecordedRows, ...RecordedRows[]];
}

export function isSingleRow({ nodes }: NewRows): boolean {
  return nodes.length === 1;
}

/** The number of each group of rows, from which the statement derives names. */
export function rowNumbers({ recorded }: NewItems): ReadonlyMap<NewRows, number> {
  return new Map(recorded.map(({ rows }, number) => [rows, number]));
}

/** The keys of the requested items, as later statements of the transaction read them. */
export function transactionKeysOf({ recorded: [{ rows }] }: NewItems): TransactionKeys {
  const [key] = rows.collection.primaryKey;
  if (key === undefined) throw new TypeError(`items of ${rows.collection.name} have no key`);
  return new TransactionKeys(key, rows.nodes.length);
}

/** The cache key of the statement: items of the same shape use the same statement. */
export function statementShape(items: NewItems): string {
  const numbers = rowNumbers(items);
  const owners = new Map(items.recorded.map(({ rows, owner }) => [rows, owner]));
  let form = '';
  for (const rows of items.written) {
    const { collection, fields, references } = rows;
    // A name may contain any character, so its length precedes it.
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

/** The only entry of a list, or the whole list. */
function textsOf<T>(list: readonly T[]): T | readonly T[] | null {
  return list.length === 1 ? (list[0] ?? null) : list;
}

function numbered(places: readonly number[]): unknown {
  return textsOf(places.map((place) => place + 1));
}

/** The delta texts of rows. A token stands for each key that only the database can generate. */
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
 * The parameter values of `newItemsSql`: the author, then for each group of rows its count, fields,
 * references, deltas and owners.
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
