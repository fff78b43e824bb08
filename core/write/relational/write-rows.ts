/**
 * Writes permitted and prepared rows in dependency order: first the referenced rows, then the row,
 * then the rows that refer to it.
 */

import { rowsOf } from '#core/database/prepared.ts';
import { render } from '#core/database/sql.ts';
import type { Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import { VALUE_PENDING } from '../payload.ts';
import { type GivenAndGeneratedKeys, reserveStatement } from '../row-statements.ts';
import type { WriteContext } from '../write-context.ts';
import { deleteRows, insertRows, updateRows } from '../write-rows.ts';
import { writtenNodes } from './check-and-prepare.ts';
import { columnField, highestSorts, textsOf } from './lock.ts';
import { translateDeletionFailure, translateWriteFailure } from './translate-failure.ts';
import { keyOfRow, type RowNode, type ToManyWork, type ToOneWork, type Work } from './work.ts';

type Texts = ReadonlyMap<string, string | null>;

/** The texts of some columns of each node's row, which must be written already. */
async function textsOfNodes(
  { write }: Work,
  columns: readonly string[],
  nodes: readonly RowNode[],
): Promise<ReadonlyMap<RowNode, Texts>> {
  const distinct = [...new Set(nodes)];
  const keys = distinct.map(keyOfRow);
  const texts = await textsOf(write.client, write.collection, columns, keys);
  return new Map(distinct.map((node, index) => [node, texts[index] ?? new Map()]));
}

/** Sets the columns of a row whose values another row determines. */
function fill(
  collection: Collection,
  node: RowNode,
  columns: readonly string[],
  texts: readonly (string | null)[],
): void {
  const row = new Map(node.row);
  for (const [index, column] of columns.entries()) {
    const field = columnField(collection, column);
    if (node.item[field.name] === VALUE_PENDING) row.set(field, texts[index] ?? null);
  }
  node.row = row;
}

/** Copies the keys of referenced rows into the rows that refer to them. */
async function refer({ write }: Work, { step, work, pairs }: ToOneWork): Promise<void> {
  const { relation, end } = step;
  const texts = await textsOfNodes(
    work,
    end.columns,
    pairs.map(({ target }) => target),
  );
  for (const { owner, target } of pairs) {
    const found = texts.get(target);
    const values = end.columns.map((column) => found?.get(column) ?? null);
    fill(write.collection, owner, relation.many.columns, values);
  }
}

/** Runs a statement that writes items; its error names the rejected item. */
async function blaming<T>(
  { target, collection }: WriteContext,
  nodes: readonly RowNode[],
  statement: () => Promise<T>,
): Promise<T> {
  try {
    return await statement();
  } catch (error) {
    throw translateWriteFailure(error, target, [{ collection, nodes }]);
  }
}

async function writeNodes(work: Work): Promise<void> {
  const { write } = work;
  const { client, collection, rule } = write;
  const created = writtenNodes(work, 'create');
  if (created.length > 0) {
    const rows = created.map(({ row }) => row);
    const keys = await blaming(write, created, () => insertRows(client, collection, rows));
    for (const [index, node] of created.entries()) node.key = keys[index] ?? null;
    await rule.after?.(write, { action: 'create', keys, items: created.map((n) => n.stored) });
  }
  const changed = writtenNodes(work, 'update');
  if (changed.length > 0) {
    const keys = changed.map(keyOfRow);
    const items = changed.map((node) => node.stored);
    await rule.before?.(write, { action: 'update', keys, items });
    const rows = changed.map(({ row }) => row);
    await blaming(write, changed, () => updateRows(client, collection, keys, rows));
    await rule.after?.(write, { action: 'update', keys, items });
  }
}

/** Removes rows from their owners' lists before new rows take their positions. */
async function takeOut({ step, taken }: ToManyWork): Promise<void> {
  if (taken.nodes.length === 0) return;
  if (step.relation.deselect === 'nullify') {
    await writeNodes(taken);
    return;
  }
  const { collection, rule } = taken.write;
  const keys = taken.nodes.map(keyOfRow);
  await rule.before?.(taken.write, { action: 'delete', keys, items: [] });
  try {
    await deleteRows(taken.write, keys);
  } catch (error) {
    throw translateDeletionFailure(error, taken.write.target, collection, keys);
  }
  await rule.after?.(taken.write, { action: 'delete', keys, items: [] });
}

/** Appends created items without a sort value to the end of their owner's list. */
async function sortNew(
  { step, work, pairs }: ToManyWork,
  ends: ReadonlyMap<RowNode, readonly (string | null)[]>,
): Promise<void> {
  const { relation } = step;
  const { client, collection } = work.write;
  const column = collection.fields.get(relation.sortField ?? '')?.column?.name;
  if (column === undefined) return;
  const field = columnField(collection, column);
  const unsorted = pairs.filter(
    ({ child }) => child.action === 'create' && (child.row.get(field) ?? null) === null,
  );
  const owners = [...new Set(unsorted.map(({ owner }) => owner))];
  const values = owners.map((owner) => ends.get(owner) ?? []);
  const highest = await highestSorts(client, collection, relation, values);
  const next = new Map(owners.map((owner, index) => [owner, (highest[index] ?? 0) + 1]));
  for (const { owner, child } of unsorted) {
    const place = next.get(owner) ?? 1;
    child.row = new Map(child.row).set(field, String(place));
    child.stored = { ...child.stored, [field.name]: place };
    next.set(owner, place + 1);
  }
}

/** Sets the owner and the list position of related items. */
async function own(owners: Work, many: ToManyWork): Promise<void> {
  const { step, work, pairs } = many;
  const { one, many: end } = step.relation;
  const texts = await textsOfNodes(
    owners,
    one.columns,
    pairs.map(({ owner }) => owner),
  );
  const ends = new Map(
    [...texts].map(([node, found]) => [node, one.columns.map((c) => found.get(c) ?? null)]),
  );
  for (const { owner, child } of pairs) {
    fill(work.write.collection, child, end.columns, ends.get(owner) ?? []);
  }
  await sortNew(many, ends);
}

async function writeAll(work: Work): Promise<void> {
  for (const step of work.toOne) {
    await writeAll(step.work);
    await refer(work, step);
  }
  await writeNodes(work);
  for (const step of work.toMany) {
    await takeOut(step);
    await own(work, step);
    await writeAll(step.work);
  }
}

/** The keys of new rows of one collection, in the order of the payload. */
interface NewKeys extends GivenAndGeneratedKeys {
  given: bigint[];
  highest: bigint | null;
  highestBefore: bigint | null;
  generated: number;
}

const WHOLE = /^-?\d+$/;

function newKeysOf(work: Work, found = new Map<ColumnField, NewKeys>()) {
  const [field] = work.write.collection.primaryKey;
  if (field !== undefined && field.column.sequence !== null) {
    const none: NewKeys = { given: [], highest: null, highestBefore: null, generated: 0 };
    const keys = found.get(field) ?? none;
    found.set(field, keys);
    for (const { row } of writtenNodes(work, 'create')) {
      const text = row.get(field) ?? null;
      if (text === null) {
        keys.generated += 1;
        keys.highestBefore = keys.highest;
      } else if (WHOLE.test(text)) {
        const value = BigInt(text);
        keys.given.push(value);
        if (keys.highest === null || value > keys.highest) keys.highest = value;
      }
    }
  }
  for (const step of [...work.toOne, ...work.toMany]) newKeysOf(step.work, found);
  return found;
}

/** Prevents collisions between generated keys and keys that the same payload names. */
async function reserveKeys(work: Work): Promise<void> {
  for (const [field, keys] of newKeysOf(work)) {
    const areMixed = keys.given.length > 0 && keys.generated > 0;
    const reserve = areMixed ? reserveStatement(field, keys) : null;
    if (reserve !== null) await rowsOf(work.write.client, render(reserve));
  }
}

/**
 * Writes a piece of work with all levels below it. Existing rows must be locked and all permissions
 * checked.
 */
export async function writeRows(work: Work): Promise<void> {
  await reserveKeys(work);
  await writeAll(work);
}
