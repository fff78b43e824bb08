/**
 * Lets a plan meet the rows that exist: decides which items are created and which are changed,
 * which rows are linked to an owner, and which are taken out of its list.
 */
import type { ToMany } from '#core/catalog/relation.ts';
import { forbidden } from '#core/errors/service-error.ts';
import type { Key } from '#core/query/key.ts';
import { type Item, PENDING } from '../payload.ts';
import type { Write } from '../target.ts';
import { columnField, type FoundRow, type FoundRows, lockMembers } from './lock.ts';
import { noSuchLink } from './parse.ts';
import type { Level, PlannedItem, Selection, ToManyStep, ToOneStep } from './plan.ts';
import type { Node, ToManyWork, ToOneWork, Work } from './work.ts';

/** The write of another collection within the same request. */
export type WriteOf = (collection: string) => Write;

/** The nodes of a level, one for each row, and which node each planned item became. */
interface Nodes {
  readonly nodes: Node[];
  readonly nodeOf: Node[];
  readonly byRow: Map<string, Node>;
}

function newNode(planned: PlannedItem, action: Node['action'], found: FoundRow | null): Node {
  const { place, item, lists } = planned;
  const key = found?.key ?? null;
  return { place, action, item, lists, found, key, row: new Map(), stored: {} };
}

/** The node of a row that exists, made if nothing has touched the row at this place yet. */
function nodeOfRow(nodes: Nodes, row: FoundRow, planned: PlannedItem): Node {
  const text = JSON.stringify(row.key);
  const known = nodes.byRow.get(text);
  if (known !== undefined) {
    known.item = { ...known.item, ...planned.item };
    known.lists = [...new Set([...known.lists, ...planned.lists])];
    return known;
  }
  const node = newNode(planned, 'update', row);
  nodes.byRow.set(text, node);
  nodes.nodes.push(node);
  return node;
}

/** What is created with a key of its own is one row, however often the payload names it. */
function createdNode(nodes: Nodes, planned: PlannedItem): Node {
  const text = planned.intent === 'either' ? `new ${JSON.stringify(planned.key)}` : null;
  const known = text === null || planned.key === null ? undefined : nodes.byRow.get(text);
  if (known !== undefined) {
    known.item = { ...known.item, ...planned.item };
    known.lists = [...new Set([...known.lists, ...planned.lists])];
    return known;
  }
  const node = newNode(planned, 'create', null);
  if (text !== null && planned.key !== null) nodes.byRow.set(text, node);
  nodes.nodes.push(node);
  return node;
}

function nodesOf(level: Level, found: FoundRows): Nodes {
  const nodes: Nodes = { nodes: [], nodeOf: [], byRow: new Map() };
  for (const planned of level.items) {
    const { key, intent } = planned;
    const row =
      key === null || intent === 'create' ? undefined : found.get(level.collection.name, key);
    if (row === undefined && intent === 'update') throw forbidden();
    nodes.nodeOf.push(
      row === undefined ? createdNode(nodes, planned) : nodeOfRow(nodes, row, planned),
    );
  }
  return nodes;
}

function at<T>(list: readonly T[], index: number): T {
  const entry = list[index];
  if (entry === undefined) throw new RangeError(`no entry ${index} in a list of ${list.length}`);
  return entry;
}

/** The values of some columns of a row that exists, or what stands for them until it does. */
function valuesOf(node: Node, columns: readonly string[]): unknown[] {
  return columns.map((column) => node.found?.texts.get(column) ?? PENDING);
}

/** Gives a node the values of some columns. */
function assign(node: Node, write: Write, columns: readonly string[], values: unknown[]): void {
  const names = columns.map((column) => columnField(write.collection, column).name);
  const entries = names.map((name, index) => [name, values[index]] as const);
  node.item = { ...node.item, ...Object.fromEntries(entries) };
}

export class Resolver {
  readonly #found: FoundRows;
  readonly #writeOf: WriteOf;

  constructor(found: FoundRows, writeOf: WriteOf) {
    this.#found = found;
    this.#writeOf = writeOf;
  }

  /**
   * @returns the work, and the node that each item of the level became
   * @throws ServiceError FORBIDDEN for a row that must exist and does not
   */
  async resolve(level: Level): Promise<{ work: Work; nodeOf: readonly Node[] }> {
    const nodes = nodesOf(level, this.#found);
    const work = await this.#level(level, nodes);
    return { work: { ...work, root: true }, nodeOf: nodes.nodeOf };
  }

  async #level(level: Level, nodes: Nodes): Promise<Work> {
    const write = this.#writeOf(level.collection.name);
    const toOne: ToOneWork[] = [];
    for (const step of level.toOne) toOne.push(await this.#toOne(write, step, nodes));
    for (const node of nodes.nodes) this.#expandKeys(write, node);
    const toMany: ToManyWork[] = [];
    for (const step of level.toMany) toMany.push(await this.#toMany(step, nodes));
    return { write, root: false, nodes: nodes.nodes, toOne, toMany };
  }

  async #toOne(write: Write, step: ToOneStep, owners: Nodes): Promise<ToOneWork> {
    const { relation, end, level } = step;
    const targets = nodesOf(level, this.#found);
    const primary = new Set(level.collection.primaryKey.map((field) => field.name));
    for (const [index, node] of targets.nodes.entries()) {
      const bare = node.lists.length === 0 && Object.keys(node.item).every((n) => primary.has(n));
      if (node.action !== 'update' || !bare) continue;
      const kept: Node = { ...node, action: 'keep' };
      targets.nodes[index] = kept;
      for (const [place, other] of targets.nodeOf.entries()) {
        if (other === node) targets.nodeOf[place] = kept;
      }
    }
    const pairs = step.owners.map((owner, index) => ({
      owner: at(owners.nodeOf, owner),
      target: at(targets.nodeOf, index),
    }));
    for (const { owner, target } of pairs) {
      const { [relation.field]: _, ...item } = owner.item;
      owner.item = item;
      assign(owner, write, relation.many.columns, valuesOf(target, end.columns));
    }
    return { step, work: await this.#level(level, targets), pairs };
  }

  /** Relations of several columns are addressed by a name of their own, which is no column. */
  #expandKeys(write: Write, node: Node): void {
    const relations = write.target.catalog.relations.get(write.collection.name);
    for (const [name, value] of Object.entries(node.item)) {
      const relation = relations?.get(name);
      if (relation?.kind !== 'm2o' || write.collection.fields.get(name)?.column) continue;
      const { columns } = relation.many;
      const { [name]: _, ...item } = node.item;
      node.item = item;
      const values = Array.isArray(value) ? value : [value];
      assign(
        node,
        write,
        columns,
        columns.map((_column, index) => (value === null ? null : values[index])),
      );
    }
  }

  async #toMany(step: ToManyStep, owners: Nodes): Promise<ToManyWork> {
    const { relation, level } = step;
    const children = nodesOf(level, this.#found);
    const pairs = step.owners.map((owner, index) => ({
      owner: at(owners.nodeOf, owner),
      child: at(children.nodeOf, index),
    }));
    for (const selection of step.selections) {
      const owner = at(owners.nodeOf, selection.owner);
      for (const child of this.#linked(relation, selection, children)) pairs.push({ owner, child });
    }
    const write = this.#writeOf(level.collection.name);
    for (const { owner, child } of pairs) claim(write, relation, owner, child);
    const taken = await this.#taken(step, owners, children);
    return { step, pairs, taken, work: await this.#level(level, children) };
  }

  #linked(relation: ToMany, selection: Selection, children: Nodes): Node[] {
    return selection.linked.map(({ place, key }) => {
      const row = this.#found.get(relation.many.collection, key);
      if (row === undefined) {
        throw relation.junctionField === null ? forbidden() : noSuchLink(relation, place);
      }
      return nodeOfRow(children, row, { place, key, item: {}, lists: [], intent: 'update' });
    });
  }

  /** The rows that leave the lists of their owners. */
  async #taken(step: ToManyStep, owners: Nodes, children: Nodes): Promise<Work> {
    const { relation, level, selections } = step;
    const write = this.#writeOf(level.collection.name);
    const rows = [
      ...(await this.#unnamed(write, step, owners, children)),
      ...selections.flatMap((selection) => this.#removed(relation, selection, owners)),
    ];
    const distinct = new Map(rows.map((row) => [JSON.stringify(row.key), row]));
    const nodes = [...distinct.values()].map((row): Node => {
      const item: Item = {};
      const planned: PlannedItem = { place: [], key: row.key, item, lists: [], intent: 'update' };
      const node = newNode(planned, 'update', row);
      const fields = relation.many.columns.map((column) => columnField(write.collection, column));
      const loose = fields.filter((field) => field.column.nullable);
      const lost = loose.length > 0 ? loose : fields;
      node.item = Object.fromEntries(lost.map((field) => [field.name, null]));
      return node;
    });
    return { write, root: false, nodes, toOne: [], toMany: [] };
  }

  /** Of whole lists, the related rows that the payload does not name. */
  async #unnamed(
    write: Write,
    { relation, selections }: ToManyStep,
    owners: Nodes,
    children: Nodes,
  ): Promise<FoundRow[]> {
    const whole = selections.filter((selection) => selection.whole);
    const existing = new Set(whole.map(({ owner }) => at(owners.nodeOf, owner).found));
    const ends = [...existing].flatMap((row) =>
      row === null ? [] : [relation.one.columns.map((column) => row.texts.get(column) ?? null)],
    );
    const members = await lockMembers(write.client, write.collection, relation, ends);
    return members
      .map(({ row }) => row)
      .filter((row) => !children.byRow.has(JSON.stringify(row.key)));
  }

  /** The rows to be removed that belong to their owner; of others nothing is said. */
  #removed(relation: ToMany, { owner, removed }: Selection, owners: Nodes): FoundRow[] {
    const node = at(owners.nodeOf, owner);
    return removed.flatMap(({ key }: { key: Key }) => {
      const row = this.#found.get(relation.many.collection, key);
      return row !== undefined && node.found !== null && belongs(relation, node.found, row)
        ? [row]
        : [];
    });
  }
}

function belongs(relation: ToMany, owner: FoundRow, row: FoundRow): boolean {
  return relation.many.columns.every((column, index) => {
    const own = owner.texts.get(relation.one.columns[index] ?? '');
    return own !== undefined && own !== null && row.texts.get(column) === own;
  });
}

/** Makes a row one of its owner's, if it is not already. */
function claim(write: Write, relation: ToMany, owner: Node, child: Node): void {
  const isOwned =
    child.found !== null && owner.found !== null && belongs(relation, owner.found, child.found);
  const names = relation.many.columns.map((column) => columnField(write.collection, column).name);
  if (isOwned) {
    // The payload's own idea of the owner does not count inside the owner's list.
    const kept = Object.entries(child.item).filter(([name]) => !names.includes(name));
    child.item = Object.fromEntries(kept);
    return;
  }
  assign(child, write, relation.many.columns, valuesOf(owner, relation.one.columns));
}
