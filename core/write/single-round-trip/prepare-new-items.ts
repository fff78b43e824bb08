/**
 * Prepares payloads that contain only new rows: they need no lookup and no lock, and one statement
 * writes them all.
 */

import { ServiceError, ServiceErrors } from '#core/base/errors/service-error.ts';
import { render, type Statement } from '#core/database/sql.ts';
import type { Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import { checkItemCreation, requireAction } from '../check-permissions.ts';
import { ItemPreparation } from '../item-preparation.ts';
import { VALUE_PENDING } from '../payload.ts';
import { checkAndPrepare } from '../relational/check-and-prepare.ts';
import { hasLinks } from '../relational/check-links.ts';
import { columnField, FoundRows } from '../relational/lock.ts';
import { type InputItem, PayloadPlanner } from '../relational/payload-planner.ts';
import type { Level } from '../relational/plan.ts';
import { Resolver, type WriteOf } from '../relational/resolve.ts';
import type { RowNode, Work } from '../relational/work.ts';
import type { RelationalWriteContext } from '../relational/write-items.ts';
import { sequenceStatement } from '../row-statements.ts';
import { WriteBudget } from '../write-budget.ts';
import { LookupNeededError, type WriteContext } from '../write-context.ts';
import { insertsAsGiven, isSinglePrimaryKey } from './insert-as-given.ts';
import { type NewItemTree, prepareNewTree } from './new-item-tree.ts';
import type { NewItems, NewRows, RecordedRows, Reference } from './new-items.ts';
import { isPlainItem } from './plain-item.ts';

/** Items to create, and the statements to run after the insert. */
export interface PreparedNewItems {
  readonly items: NewItems;
  readonly after: readonly Statement[];
}

/** Whether a level can be written without any lookup. */
function isFresh(level: Level, writeOf: WriteOf): boolean {
  const { collection, items, toOne, toMany } = level;
  if (!insertsAsGiven(writeOf(collection.name))) return false;
  return (
    items.every(({ key, intent }) => intent === 'create' || key === null) &&
    toOne.every(({ end, level: target }) => {
      return isSinglePrimaryKey(target.collection, end.columns) && isFresh(target, writeOf);
    }) &&
    toMany.every(({ relation, selections, level: children }) => {
      const isPlain =
        relation.sortField === null && isSinglePrimaryKey(collection, relation.one.columns);
      const isWritten = selections.every((one) => one.linked.length + one.removed.length === 0);
      return isPlain && isWritten && isFresh(children, writeOf);
    })
  );
}

async function refersToOthers(work: Work): Promise<boolean> {
  if (await hasLinks(work)) return true;
  for (const step of [...work.toOne, ...work.toMany]) {
    if (await refersToOthers(step.work)) return true;
  }
  return false;
}

/** For each row, the row whose key the field takes. */
type References = ReadonlyMap<ColumnField, ReadonlyMap<RowNode, RowNode>>;

/** The fields of the rows; null when the rows have different fields. */
function sharedFields(nodes: readonly RowNode[]): readonly ColumnField[] | null {
  const fields = [...(nodes[0]?.row.keys() ?? [])];
  const alike = nodes.every(
    ({ row }) => row.size === fields.length && fields.every((field) => row.has(field)),
  );
  return alike ? fields : null;
}

/** The number of values of a row that depend on other new rows. */
function pendingOf([first]: readonly RowNode[]): number {
  return Object.values(first?.item ?? {}).filter((value) => value === VALUE_PENDING).length;
}

/** The statement that advances the sequence beyond given keys. */
function moves(collection: Collection, fields: readonly ColumnField[]): Statement[] {
  const given = new Set(fields);
  const move = sequenceStatement(
    collection,
    collection.primaryKey.filter((field) => given.has(field)),
  );
  return move === null ? [] : [render(move)];
}

/** The maximum number of payload places that one statement writes. */
const MAX_PLACES = 20;

/** Types for which a key and its references have the same text. */
const ALIKE: readonly ReadonlySet<string>[] = [
  new Set(['int2', 'int4', 'int8']),
  new Set(['text', 'varchar']),
];

/** Whether a column can store the values of another column unchanged. */
function takes({ column: own }: ColumnField, { column: other }: ColumnField): boolean {
  if (own.typeText === other.typeText) return true;
  if (own.domain !== null || other.domain !== null) return false;
  return ALIKE.some((names) => names.has(own.typeName) && names.has(other.typeName));
}

/** Functions in defaults that read no table. */
const PLAIN_CALLS = new Set(
  ['nextval', 'now', 'clock_timestamp', 'statement_timestamp', 'transaction_timestamp'].concat([
    'timezone',
    'gen_random_uuid',
    'uuidv4',
    'uuidv7',
    'uuid_generate_v4',
    'random',
  ]),
);
const plain = new WeakMap<Collection, boolean>();

/** Whether defaults do not depend on other rows that the same statement writes. */
function hasPlainDefaults(collection: Collection): boolean {
  const known = plain.get(collection);
  if (known !== undefined) return known;
  const found = (collection.table?.columns ?? []).every(({ defaultExpression }) =>
    [...(defaultExpression ?? '').matchAll(/([^\s(,]+)\(/g)].every(([, name = '']) =>
      PLAIN_CALLS.has(name),
    ),
  );
  plain.set(collection, found);
  return found;
}

/**
 * New rows that were checked and prepared, at one place of a payload's shape, with all levels
 * below.
 */
type FreshWork = Work | NewItemTree;

/** Collects rows in write order; stops when one statement cannot write them. */
class Draft {
  readonly rows = new Map<FreshWork, NewRows>();
  readonly #places = new Map<RowNode, { readonly rows: NewRows; readonly place: number }>();

  /** @returns whether one statement can write all of it */
  add(work: FreshWork, owners: References = new Map()): boolean {
    const { collection } = work.write;
    const references = new Map(owners);
    for (const { step, pairs, work: targets } of work.toOne) {
      if (!this.add(targets)) return false;
      const [column = ''] = step.relation.many.columns;
      const known = pairs.map(({ owner, target }) => [owner, target] as const);
      references.set(columnField(collection, column), new Map(known));
    }
    if (!this.#insert(work, references)) return false;
    return work.toMany.every(({ step, pairs, work: children }) => {
      const [column = ''] = step.relation.many.columns;
      const field = columnField(children.write.collection, column);
      const known = pairs.map(({ owner, child }) => [child, owner] as const);
      return this.add(children, new Map([[field, new Map(known)]]));
    });
  }

  #insert(work: FreshWork, known: References): boolean {
    const { nodes } = work;
    if (nodes.length === 0) return true;
    const found = sharedFields(nodes);
    const references = this.#references(nodes, known);
    if (found === null || references === null) return false;
    const fields = byPosition(found);
    const rows: NewRows = { collection: work.write.collection, nodes, fields, references };
    this.rows.set(work, rows);
    for (const [place, node] of nodes.entries()) this.#places.set(node, { rows, place });
    return true;
  }

  /** The fields that take keys of other rows; null when the rows do not all have the same ones. */
  #references(nodes: readonly RowNode[], known: References): readonly Reference[] | null {
    const references: Reference[] = [];
    for (const [field, targets] of known) {
      const waiting = nodes.filter(({ item }) => item[field.name] === VALUE_PENDING);
      const found = nodes.map((node) => this.#places.get(targets.get(node) ?? node));
      const rows = found[0]?.rows;
      const [key] = rows?.collection.primaryKey ?? [];
      if (rows === undefined || key === undefined || !takes(field, key)) return null;
      if (waiting.length < nodes.length || found.some((one) => one?.rows !== rows)) return null;
      references.push({ field, rows, places: found.map((one) => one?.place ?? 0) });
    }
    return pendingOf(nodes) === references.length ? references : null;
  }
}

/**
 * The rows of a piece of work and of all levels below it, in the order of their history entries.
 */
function recordedOf(
  work: FreshWork,
  all: Draft['rows'],
  owner: { readonly rows: NewRows; readonly of: ReadonlyMap<RowNode, RowNode> } | null = null,
): RecordedRows[] {
  const rows = all.get(work);
  if (rows === undefined) return [];
  const at = new Map(owner?.rows.nodes.map((node, place) => [node, place]));
  const placeOf = (node: RowNode) => at.get(owner?.of.get(node) ?? node) ?? 0;
  const own = owner && { rows: owner.rows, places: rows.nodes.map(placeOf) };
  const toOne = work.toOne.flatMap(({ work: targets, pairs }) => {
    const of = new Map(pairs.map(({ owner: from, target }) => [target, from]));
    return recordedOf(targets, all, { rows, of });
  });
  const toMany = work.toMany.flatMap(({ work: children, pairs }) => {
    const of = new Map(pairs.map(({ owner: from, child }) => [child, from]));
    return recordedOf(children, all, { rows, of });
  });
  return [{ rows, owner: own }, ...toOne, ...toMany];
}

function itemsOf(work: FreshWork): PreparedNewItems | null {
  const draft = new Draft();
  if (!draft.add(work)) return null;
  const written = [...draft.rows.values()];
  const [root, ...below] = recordedOf(work, draft.rows);
  if (root === undefined || written.length > MAX_PLACES) return null;
  const after: Statement[] = [];
  for (const [collection, places] of Map.groupBy(written, (rows) => rows.collection)) {
    const moved = moves(
      collection,
      places.flatMap(({ fields }) => fields),
    );
    // Rows written later would have to take keys beyond the given ones.
    if (places.length > 1 && moved.length > 0) return null;
    after.push(...moved);
  }
  if (below.length > 0 && !written.every(({ collection }) => hasPlainDefaults(collection))) {
    return null;
  }
  return { items: { written, recorded: [root, ...below] }, after };
}

function byPosition(fields: Iterable<ColumnField>): ColumnField[] {
  return [...fields].sort((a, b) => a.column.position - b.column.position);
}

/** Checks and prepares one item that names no key and no relations; null for other items. */
async function plainItem(
  write: WriteContext,
  { place, value }: InputItem,
): Promise<PreparedNewItems | null> {
  const { collection, target } = write;
  const isPlain = insertsAsGiven(write) && isPlainItem(target.catalog, collection, value);
  if (!isPlain || collection.primaryKey.some(({ name }) => Object.hasOwn(value, name))) return null;
  checkItemCreation(write, value);
  const preparing = ItemPreparation.withoutRecord(write, 'create').of(value, value);
  const { row, item: stored } = preparing instanceof Promise ? await preparing : preparing;
  const sent = { place, action: 'create', item: value, sent: value, lists: [] } as const;
  const nodes: RowNode[] = [{ ...sent, found: null, key: null, row, stored }];
  const rows: NewRows = { collection, nodes, fields: byPosition(row.keys()), references: [] };
  const items: NewItems = { written: [rows], recorded: [{ rows, owner: null }] };
  return { items, after: moves(collection, rows.fields) };
}

/**
 * Checks and prepares one item, alone or with related items that are all new.
 * @returns null when the fast path cannot handle it, or it is rejected
 */
async function plainItems(
  write: WriteContext,
  inputs: readonly InputItem[],
  surroundings: Omit<RelationalWriteContext, 'history'>,
): Promise<PreparedNewItems | null> {
  const [input] = inputs;
  if (input === undefined || inputs.length > 1 || input.intent !== 'create') return null;
  try {
    const alone = await plainItem(write, input);
    if (alone !== null) return alone;
    const tree = prepareNewTree(write, input, surroundings);
    return tree && itemsOf(tree);
  } catch (error) {
    // The full path reports the error and its place.
    const isRefused = error instanceof ServiceError || error instanceof ServiceErrors;
    if (isRefused || error instanceof LookupNeededError) return null;
    throw error;
  }
}

/**
 * Checks and prepares items to create, with their related items.
 * @returns null when something must be looked up first; no query was sent to the database
 * @throws ServiceError FORBIDDEN, FAILED_VALIDATION, INVALID_PAYLOAD naming the place
 */
export async function prepareNewItems(
  write: WriteContext,
  inputs: readonly InputItem[],
  surroundings: Omit<RelationalWriteContext, 'history'>,
): Promise<PreparedNewItems | null> {
  const plain = await plainItems(write, inputs, surroundings);
  if (plain !== null) return plain;
  const { writeOf, maxItems } = surroundings;
  const allowance = new WriteBudget(maxItems);
  const level = await new PayloadPlanner(write.target, allowance).level(write.collection, inputs);
  if (inputs.length === 0 || !isFresh(level, writeOf)) return null;
  requireAction(write, 'create');
  const { work } = await new Resolver(new FoundRows(), writeOf, allowance).resolve(level);
  if (await refersToOthers(work)) return null;
  try {
    await checkAndPrepare(work);
  } catch (error) {
    if (error instanceof LookupNeededError) return null;
    throw error;
  }
  return itemsOf(work);
}
