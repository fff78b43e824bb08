/**
 * A fast path for a small item whose related items are all new, like most nested payloads. It
 * reads, checks and prepares the payload in one pass. The planner and the resolver handle all other
 * payloads, and report errors.
 */

import { isJsonObject } from '#core/base/json/json-object.ts';
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import type { ManyToOne, ToMany } from '#core/model/catalog/relation.ts';
import { isLinkConcealed } from '#core/read/plan/link.ts';
import { checkItemCreation } from '../check-permissions.ts';
import { ItemPreparation } from '../item-preparation.ts';
import { VALUE_PENDING } from '../payload.ts';
import { itemForPermissionCheck } from '../relational/check-and-prepare.ts';
import type { PayloadPath } from '../relational/plan.ts';
import type { WriteOf } from '../relational/resolve.ts';
import type { RowNode } from '../relational/work.ts';
import type { WriteContext } from '../write-context.ts';
import { insertsAsGiven, isSinglePrimaryKey } from './insert-as-given.ts';
import { plainFields } from './plain-item.ts';

/** The maximum number of items to read without a pause. */
const MAX_ITEMS = 100;

/** Items that refer to new items through one field. */
interface ToOneBranch {
  readonly step: { readonly relation: ManyToOne };
  readonly work: NewItemTree;
  readonly pairs: { readonly owner: RowNode; readonly target: RowNode }[];
}

/** Items with new related items. */
interface ToManyBranch {
  readonly step: { readonly relation: ToMany };
  readonly work: NewItemTree;
  readonly pairs: { readonly owner: RowNode; readonly child: RowNode }[];
}

/** The new items at one place of a payload's shape, and all below it. */
export interface NewItemTree {
  readonly write: WriteContext;
  readonly nodes: RowNode[];
  readonly toOne: ToOneBranch[];
  readonly toMany: ToManyBranch[];
}

/** The kind of a member of an item. */
type Member =
  | { readonly kind: 'plain' }
  | { readonly kind: 'one'; readonly relation: ManyToOne }
  | { readonly kind: 'list'; readonly relation: ToMany; readonly owner: string };
type Members = ReadonlyMap<string, Member>;

const PLAIN: Member = { kind: 'plain' };
const known = new WeakMap<Catalog, Map<string, Members>>();

/** The field of a column; undefined when the collection does not have it. */
function fieldOf({ fields }: Collection, column: string): string | undefined {
  for (const { name, column: own } of fields.values()) if (own?.name === column) return name;
  return undefined;
}

function makeMembers(catalog: Catalog, collection: Collection): Members {
  const members = new Map<string, Member>();
  const key = collection.primaryKey[0]?.name;
  for (const name of plainFields(catalog, collection)) {
    // Assigning to this name would not create a member.
    if (name !== key && name !== '__proto__') members.set(name, PLAIN);
  }
  for (const relation of catalog.relations.get(collection.name)?.values() ?? []) {
    const [column, ...more] = relation.many.columns;
    if (column === undefined || more.length > 0 || relation.field === '__proto__') continue;
    if (relation.kind === 'm2o') {
      const target = catalog.collections.get(relation.one.collection);
      const isField = fieldOf(collection, column) === relation.field;
      if (target === undefined || !isField || !isSinglePrimaryKey(target, relation.one.columns))
        continue;
      members.set(relation.field, { kind: 'one', relation });
    } else if (relation.kind !== 'a2o') {
      const child = catalog.collections.get(relation.many.collection);
      const isPlain =
        relation.sortField === null && isSinglePrimaryKey(collection, relation.one.columns);
      const owner = child && fieldOf(child, column);
      if (owner === undefined || !isPlain || isLinkConcealed(catalog, relation)) continue;
      members.set(relation.field, { kind: 'list', relation, owner });
    }
  }
  return members;
}

function membersOf(catalog: Catalog, collection: Collection): Members {
  const ofCatalog = known.get(catalog) ?? new Map<string, Members>();
  known.set(catalog, ofCatalog);
  const found = ofCatalog.get(collection.name) ?? makeMembers(catalog, collection);
  ofCatalog.set(collection.name, found);
  return found;
}

/** The list that contains an item: its relation, and the field that holds the owner's key. */
type Listed = Extract<Member, { kind: 'list' }>;

/** An item as it appears in the body. */
interface Given {
  readonly place: PayloadPath;
  readonly value: unknown;
  /** Null: no list contains the item. */
  readonly list: Listed | null;
}

class Reader {
  readonly #writeOf: WriteOf;
  #left: number;

  constructor(writeOf: WriteOf, most: number) {
    this.#writeOf = writeOf;
    this.#left = most;
  }

  /** An empty tree; null when one statement cannot write the collection's rows. */
  tree(write: WriteContext): NewItemTree | null {
    return insertsAsGiven(write) ? { write, nodes: [], toOne: [], toMany: [] } : null;
  }

  /**
   * Adds an item, with all levels below it, to a tree; null when the fast path cannot handle it.
   */
  take(tree: NewItemTree, { place, value, list }: Given): RowNode | null {
    this.#left -= 1;
    if (this.#left < 0 || !isJsonObject(value)) return null;
    const { collection, target } = tree.write;
    const members = membersOf(target.catalog, collection);
    const item: Record<string, unknown> = {};
    const lists: string[] = [];
    const node: RowNode = {
      ...{ place, action: 'create', item, sent: value, lists },
      ...{ found: null, key: null, row: new Map(), stored: {} },
    };
    for (const name of Object.keys(value)) {
      const member = members.get(name);
      const isOwner = list !== null && (name === list.owner || name === list.relation.manyField);
      if (member === undefined || isOwner) return null;
      if (member.kind === 'plain') item[name] = value[name];
      else if (member.kind === 'one') {
        const of = { place: [...place, name], value: value[name], list: null };
        if (!this.#takeOne(tree, node, member.relation, of)) return null;
      } else {
        lists.push(name);
        if (!this.#takeList(tree, node, member, value[name])) return null;
      }
    }
    if (list !== null) item[list.owner] = VALUE_PENDING;
    tree.nodes.push(node);
    return node;
  }

  #takeOne(tree: NewItemTree, owner: RowNode, relation: ManyToOne, given: Given): boolean {
    let branch = tree.toOne.find((one) => one.step.relation === relation);
    if (branch === undefined) {
      const work = this.tree(this.#writeOf(relation.one.collection));
      if (work === null) return false;
      branch = { step: { relation }, work, pairs: [] };
      tree.toOne.push(branch);
    }
    const target = this.take(branch.work, given);
    if (target === null) return false;
    branch.pairs.push({ owner, target });
    return true;
  }

  #takeList(tree: NewItemTree, owner: RowNode, list: Listed, values: unknown): boolean {
    const { relation } = list;
    if (!Array.isArray(values) || values.length === 0) return false;
    let branch = tree.toMany.find((one) => one.step.relation === relation);
    if (branch === undefined) {
      const work = this.tree(this.#writeOf(relation.many.collection));
      if (work === null) return false;
      branch = { step: { relation }, work, pairs: [] };
      tree.toMany.push(branch);
    }
    for (const [index, value] of values.entries()) {
      const place = [...owner.place, relation.field, index];
      const child = this.take(branch.work, { place, value, list });
      if (child === null) return false;
      branch.pairs.push({ owner, child });
    }
    return true;
  }
}

/** Checks and prepares the items of a tree; false when an item needs more steps. */
function finish({ write, nodes, toOne, toMany }: NewItemTree): boolean {
  for (const { step, pairs } of toOne) {
    // In the order of the branches, like the resolver.
    for (const { owner } of pairs)
      owner.item = { ...owner.item, [step.relation.field]: VALUE_PENDING };
  }
  const preparation = ItemPreparation.withoutRecord(write, 'create');
  for (const node of nodes) {
    checkItemCreation(write, itemForPermissionCheck(node));
    const prepared = preparation.plain(node.item, node.sent);
    if (prepared === null) return false;
    node.stored = prepared.item;
    node.row = prepared.row;
  }
  return toOne.every(({ work }) => finish(work)) && toMany.every(({ work }) => finish(work));
}

/**
 * Reads, checks and prepares an item that is created with its related items.
 * @param maxItems the maximum number of items that the payload may write; undefined: no limit
 * @returns null when the fast path cannot handle it
 * @throws ServiceError, ServiceErrors when it is rejected, but without the place
 */
export function prepareNewTree(
  write: WriteContext,
  { place, value }: Pick<Given, 'place' | 'value'>,
  surroundings: { readonly writeOf: WriteOf; readonly maxItems: number | undefined },
): NewItemTree | null {
  const { writeOf, maxItems = MAX_ITEMS } = surroundings;
  const reader = new Reader(writeOf, Math.min(maxItems, MAX_ITEMS));
  const tree = reader.tree(write);
  if (tree === null || reader.take(tree, { place, value, list: null }) === null) return null;
  return finish(tree) ? tree : null;
}
