/**
 * Matches a plan with existing rows. It decides which items are created or updated, which rows are
 * linked to an owner, and which are removed from its list.
 */

import { reason } from '#core/base/errors/reason.ts';
import { forbidden, invalidPayload } from '#core/base/errors/service-error.ts';
import { TimeSlice } from '#core/base/process/time-slice.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import type { ToMany } from '#core/model/catalog/relation.ts';
import { VALUE_PENDING } from '../payload.ts';
import type { WriteBudget } from '../write-budget.ts';
import type { WriteContext } from '../write-context.ts';
import { readableKeys } from './check-links.ts';
import { columnField, type FoundRow, type FoundRows, lockMembers } from './lock.ts';
import { noSuchLink, pathText } from './payload-planner.ts';
import type { Level, NamedItem, PayloadPath, PlannedItem, ToManyStep, ToOneStep } from './plan.ts';
import { clearedLink, unlinkedRow } from './unlink.ts';
import type { RowNode, ToManyWork, ToOneWork, Work } from './work.ts';

/** The write context of another collection within the same request. */
export type WriteOf = (collection: string) => WriteContext;

/** The nodes of a level, one per row, and the node of each planned item. */
interface Nodes {
  readonly nodes: RowNode[];
  readonly nodeOf: RowNode[];
  readonly byRow: Map<string, RowNode>;
}

function newNode(planned: PlannedItem, action: RowNode['action'], found: FoundRow | null): RowNode {
  const { place, item, sent, lists, intent } = planned;
  const key = found?.key ?? null;
  const isNamed = intent === 'either' && planned.key !== null;
  return { place, action, item, sent, lists, found, isNamed, key, row: new Map(), stored: {} };
}

/** Merges another occurrence of the same row in the payload. */
function merge(node: RowNode, planned: PlannedItem): RowNode {
  node.item = { ...node.item, ...planned.item };
  node.sent = { ...node.sent, ...planned.sent };
  node.lists = [...new Set([...node.lists, ...planned.lists])];
  return node;
}

/** The node of an existing row, created on its first occurrence at this place. */
function nodeOfRow(nodes: Nodes, row: FoundRow, planned: PlannedItem): RowNode {
  const text = JSON.stringify(row.key);
  const known = nodes.byRow.get(text);
  if (known !== undefined) return merge(known, planned);
  const node = newNode(planned, 'update', row);
  nodes.byRow.set(text, node);
  nodes.nodes.push(node);
  return node;
}

/** The identity of a new item; null: it has no identity. */
function identityOf({ intent, key, match, shared }: PlannedItem): string | null {
  if (match !== undefined) return `new by ${match}`;
  if (intent === 'either' && key !== null) return `new ${JSON.stringify(key)}`;
  return shared === undefined ? null : `new at ${shared}`;
}

/** A new item with an identity becomes one row, however often the payload contains it. */
function createdNode(nodes: Nodes, planned: PlannedItem): RowNode {
  const text = identityOf(planned);
  const known = text === null ? undefined : nodes.byRow.get(text);
  if (known !== undefined) return merge(known, planned);
  const node = newNode(planned, 'create', null);
  if (text !== null) nodes.byRow.set(text, node);
  nodes.nodes.push(node);
  return node;
}

async function nodesOf(level: Level, found: FoundRows): Promise<Nodes> {
  const nodes: Nodes = { nodes: [], nodeOf: [], byRow: new Map() };
  const slice = new TimeSlice();
  for (const planned of level.items) {
    if (slice.isOver()) await slice.pause();
    const { key, intent } = planned;
    const row =
      key === null || intent === 'create' ? undefined : found.get(level.collection.name, key);
    if (row === undefined && intent === 'update') throw forbidden();
    nodes.nodeOf.push(
      row === undefined ? createdNode(nodes, planned) : nodeOfRow(nodes, row, planned),
    );
  }
  if (slice.isSpent) await slice.pause();
  return nodes;
}

function at<T>(list: readonly T[], index: number): T {
  const entry = list[index];
  if (entry !== undefined) return entry;
  throw new RangeError(`no entry ${index} in a list of ${list.length}`);
}

/** The current values of some columns, or VALUE_PENDING until they are written. */
function valuesOf(collection: Collection, node: RowNode, columns: readonly string[]): unknown[] {
  return columns.map((column) => {
    const field = columnField(collection, column);
    const isKey = collection.primaryKey.includes(field);
    const changes = !isKey && Object.hasOwn(node.item, field.name);
    return changes ? VALUE_PENDING : (node.found?.texts.get(column) ?? VALUE_PENDING);
  });
}

/** Sets the values of some columns of a node. */
function assign(
  node: RowNode,
  write: WriteContext,
  columns: readonly string[],
  values: unknown[],
): void {
  const names = columns.map((column) => columnField(write.collection, column).name);
  const entries = names.map((name, index) => [name, values[index]] as const);
  node.item = { ...node.item, ...Object.fromEntries(entries) };
}

export class Resolver {
  readonly #found: FoundRows;
  readonly #writeOf: WriteOf;
  readonly #allowance: WriteBudget;
  /** The last owner that the payload assigns to a row, by {@link claimText}. */
  readonly #claimed = new Map<string, RowNode>();
  readonly #leaving: { readonly relation: ToMany; readonly work: Work }[] = [];

  /** @param allowance the number of further rows that may be written beyond those in the payload */
  constructor(found: FoundRows, writeOf: WriteOf, allowance: WriteBudget) {
    this.#found = found;
    this.#writeOf = writeOf;
    this.#allowance = allowance;
  }

  /**
   * @returns the work, and the node of each item of the level
   * @throws ServiceError FORBIDDEN for a row that must exist but does not
   */
  async resolve(level: Level): Promise<{ work: Work; nodeOf: readonly RowNode[] }> {
    const nodes = await nodesOf(level, this.#found);
    const work = await this.#level(level, nodes);
    const isLeaving = this.#leaving.some(({ work: taken }) => taken.nodes.length > 0);
    const given = isLeaving ? givenIn(work) : new Set<string>();
    for (const { relation, work: taken } of this.#leaving) {
      const left = taken.nodes.filter(
        (node) =>
          !this.#claimed.has(claimText(relation, node)) && !isGiven(given, relation, taken, node),
      );
      taken.nodes.splice(0, taken.nodes.length, ...left);
      if (relation.deselect === 'delete') continue;
      for (const node of left) node.item = unlinkedRow(taken.write, relation, node.place);
    }
    return { work: { ...work, root: true }, nodeOf: nodes.nodeOf };
  }

  async #level(level: Level, nodes: Nodes): Promise<Work> {
    const write = this.#writeOf(level.collection.name);
    const toOne: ToOneWork[] = [];
    for (const step of level.toOne) toOne.push(await this.#toOne(write, step, nodes));
    const slice = new TimeSlice();
    for (const node of nodes.nodes) {
      if (slice.isOver()) await slice.pause();
      this.#expandKeys(write, node);
    }
    const toMany: ToManyWork[] = [];
    for (const step of level.toMany) toMany.push(await this.#toMany(step, nodes));
    return { write, root: false, nodes: nodes.nodes, toOne, toMany };
  }

  async #toOne(write: WriteContext, step: ToOneStep, owners: Nodes): Promise<ToOneWork> {
    const { relation, end, level } = step;
    const targets = await nodesOf(level, this.#found);
    const primary = new Set(level.collection.primaryKey.map((field) => field.name));
    for (const node of targets.nodes) {
      const bare = node.lists.length === 0 && Object.keys(node.item).every((n) => primary.has(n));
      if (node.action === 'update' && bare) node.action = 'keep';
    }
    const pairs = step.owners.map((owner, index) => ({
      owner: at(owners.nodeOf, owner),
      target: at(targets.nodeOf, index),
    }));
    const slice = new TimeSlice();
    for (const { owner, target } of pairs) {
      if (slice.isOver()) await slice.pause();
      const { [relation.field]: _, ...item } = owner.item;
      owner.item = item;
      assign(owner, write, relation.many.columns, valuesOf(level.collection, target, end.columns));
    }
    return { step, work: await this.#level(level, targets), pairs };
  }

  /** A relation of several columns has a field name that is not a column. */
  #expandKeys(write: WriteContext, node: RowNode): void {
    const relations = write.target.catalog.relations.get(write.collection.name);
    for (const [name, value] of Object.entries(node.item)) {
      const relation = relations?.get(name);
      if (relation?.kind !== 'm2o' || write.collection.fields.get(name)?.column) continue;
      const { columns } = relation.many;
      const { [name]: _, ...item } = node.item;
      node.item = item;
      if (value === null) node.item = { ...item, ...clearedLink(write, columns) };
      else assign(node, write, columns, keyParts(value, columns.length, [...node.place, name]));
    }
  }

  async #toMany(step: ToManyStep, owners: Nodes): Promise<ToManyWork> {
    const { relation, level } = step;
    const children = await nodesOf(level, this.#found);
    const pairs = step.owners.map((owner, index) => ({
      owner: at(owners.nodeOf, owner),
      child: at(children.nodeOf, index),
    }));
    const slice = new TimeSlice();
    for (const selection of step.selections) {
      const owner = at(owners.nodeOf, selection.owner);
      const linked = await slice.map(selection.linked, (named) =>
        this.#linked(relation, named, children),
      );
      for (const child of linked) pairs.push({ owner, child });
    }
    const write = this.#writeOf(level.collection.name);
    const { collection } = this.#writeOf(relation.one.collection);
    for (const { owner, child } of pairs) {
      if (slice.isOver()) await slice.pause();
      const text = claimText(relation, child);
      const earlier = child.found === null ? undefined : this.#claimed.get(text);
      const isMoved = earlier !== undefined && earlier !== owner;
      claim(write, relation, child, { node: owner, collection, isMoved });
      this.#claimed.set(text, owner);
    }
    const taken = await this.#taken(step, owners, pairs);
    return { step, pairs, taken, work: await this.#level(level, children) };
  }

  #linked(relation: ToMany, { place, key }: NamedItem, children: Nodes): RowNode {
    const row = this.#found.get(relation.many.collection, key);
    if (row === undefined) {
      throw relation.junctionField === null ? forbidden() : noSuchLink(relation, place);
    }
    const planned = { place, key, item: {}, sent: {}, lists: [] };
    return nodeOfRow(children, row, { ...planned, intent: 'update' });
  }

  /** The rows that leave their owners' lists, if the caller may see them. */
  async #taken(
    step: ToManyStep,
    owners: Nodes,
    pairs: readonly { owner: RowNode; child: RowNode }[],
  ): Promise<Work> {
    const { relation, level } = step;
    const write = this.#writeOf(level.collection.name);
    const leaving = [
      ...(await this.#unnamed(write, step, owners, pairs)),
      ...this.#removed(step, owners, pairs),
    ];
    const seen = await readableKeys(
      write,
      leaving.map(({ row }) => row.key),
    );
    const distinct = new Map<string, RowNode>();
    for (const { row, place } of leaving) {
      const text = JSON.stringify(row.key);
      if (!seen.has(text) || distinct.has(text)) continue;
      const planned = { place, key: row.key, item: {}, sent: {}, lists: [] };
      const node = newNode({ ...planned, intent: 'update' }, 'update', row);
      distinct.set(text, node);
    }
    const work: Work = {
      ...{ write, root: false, nodes: [...distinct.values()] },
      ...{ toOne: [], toMany: [] },
    };
    this.#leaving.push({ relation, work });
    return work;
  }

  /**
   * The existing related items of whole lists; those that leave the list count towards the
   * allowance.
   */
  async #unnamed(
    write: WriteContext,
    { relation, selections }: ToManyStep,
    owners: Nodes,
    pairs: readonly { readonly child: RowNode }[],
  ): Promise<Leaving[]> {
    const places = new Map<FoundRow, PayloadPath>();
    for (const { whole, owner, place } of selections) {
      const { found } = at(owners.nodeOf, owner);
      if (whole && found !== null) places.set(found, place);
    }
    const ends = [...places.keys()].map((row) =>
      relation.one.columns.map((column) => row.texts.get(column) ?? null),
    );
    const named = new Set(pairs.map(({ child }) => JSON.stringify(child.found?.key)));
    const most = this.#allowance.left + named.size + 1;
    const members = await lockMembers(write, relation, ends, most);
    const leaving = members.filter(({ row }) => !named.has(JSON.stringify(row.key)));
    this.#allowance.take(leaving.length);
    const all = [...places.values()];
    return members.map(({ row, place: owner }) => ({ row, place: at(all, owner) }));
  }

  /** The rows to remove that belong to their owner; other rows are ignored. */
  #removed(
    { relation, selections }: ToManyStep,
    owners: Nodes,
    pairs: readonly { owner: RowNode; child: RowNode }[],
  ): Leaving[] {
    const kept = new Map<string, RowNode>();
    for (const { owner, child } of pairs) kept.set(claimText(relation, child), owner);
    return selections.flatMap(({ owner, removed }) => {
      const node = at(owners.nodeOf, owner);
      return removed.flatMap(({ key, place }) => {
        const row = this.#found.get(relation.many.collection, key);
        const { found } = node;
        if (row === undefined || found === null || !belongs(relation, found, row)) return [];
        if (kept.get(claimText(relation, { found: row })) === node) {
          throw invalidPayload(reason('item_kept_and_removed', { place: pathText(place) }));
        }
        return [{ row, place }];
      });
    });
  }
}

/** A row that leaves its owner's list, and the place in the payload that removes it. */
interface Leaving {
  readonly row: FoundRow;
  readonly place: PayloadPath;
}

/** Identifies a row in a relation, as text; all new rows share one text. */
function claimText({ many }: ToMany, { found }: Pick<RowNode, 'found'>): string {
  return JSON.stringify([many.collection, many.columns, found?.key ?? null]);
}

function givenText(collection: string, field: string, { found }: Pick<RowNode, 'found'>): string {
  return JSON.stringify([collection, field, found?.key ?? null]);
}

/** The members that the payload sets in existing rows. */
function givenIn({ write, nodes, toOne, toMany }: Work, given = new Set<string>()): Set<string> {
  for (const node of nodes) {
    if (node.action !== 'update') continue;
    for (const name of Object.keys(node.item)) {
      given.add(givenText(write.collection.name, name, node));
    }
  }
  for (const { work } of [...toOne, ...toMany]) givenIn(work, given);
  return given;
}

/** Whether the payload sets the owner in the row itself, which has precedence. */
function isGiven(
  given: ReadonlySet<string>,
  { many }: ToMany,
  { write: { collection } }: Work,
  node: RowNode,
): boolean {
  const names = many.columns.map((column) => columnField(collection, column).name);
  return names.some((name) => given.has(givenText(collection.name, name, node)));
}

/** The values of a multi-column key. */
function keyParts(value: unknown, width: number, place: PayloadPath): unknown[] {
  const isKey =
    Array.isArray(value) &&
    value.length === width &&
    value.every((part) => typeof part === 'string' || typeof part === 'number');
  if (isKey) return value;
  throw invalidPayload(reason('composite_key_expected', { place: pathText(place), width }));
}

function belongs(relation: ToMany, owner: FoundRow, row: FoundRow): boolean {
  return relation.many.columns.every((column, index) => {
    const own = owner.texts.get(relation.one.columns[index] ?? '');
    return own !== undefined && own !== null && row.texts.get(column) === own;
  });
}

/** Assigns a row to its owner, unless it already belongs to it. */
function claim(
  write: WriteContext,
  relation: ToMany,
  child: RowNode,
  owner: { readonly node: RowNode; readonly collection: Collection; readonly isMoved: boolean },
): void {
  const { columns } = relation.many;
  const { found } = owner.node;
  const isOwned = child.found !== null && found !== null && belongs(relation, found, child.found);
  const fields = columns.map((column) => columnField(write.collection, column));
  if (isOwned && !owner.isMoved) {
    const names = fields.map(({ name }) => name);
    const kept = Object.entries(child.item).filter(([name]) => !names.includes(name));
    child.item = Object.fromEntries(kept);
    return;
  }
  const fixed = fields.find((field) => write.collection.primaryKey.includes(field));
  if (child.found !== null && fixed !== undefined) {
    const at = pathText([...child.place, fixed.name]);
    throw invalidPayload(reason('key_change_not_allowed', { place: at }));
  }
  assign(child, write, columns, valuesOf(owner.collection, owner.node, relation.one.columns));
}
