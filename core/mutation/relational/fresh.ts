/**
 * Writes payloads of which every row is new in one round trip: nothing has to be found or locked
 * before, and later rows take the keys of earlier ones from the transaction itself.
 */

import type { Collection, ColumnField } from '#core/catalog/catalog.ts';
import { render, type Statement } from '#core/database/sql.ts';
import { Allowance } from '../allowance.ts';
import { needsRecord } from '../caller-record.ts';
import type { FlatItems } from '../flat.ts';
import { insertKeeping, type NewColumn } from '../insert.ts';
import { judgeAction } from '../judge.ts';
import type { KeptRows } from '../kept-history.ts';
import { KeptKeys } from '../kept-key.ts';
import { PENDING } from '../payload.ts';
import { sequenceStatement } from '../statement.ts';
import { NO_RULE, type Write } from '../target.ts';
import { judgeWork } from './judge.ts';
import { hasLinks } from './link.ts';
import { columnField, FoundRows } from './lock.ts';
import { type Input, Planner } from './parse.ts';
import type { Level } from './plan.ts';
import { deltaOf } from './record.ts';
import { Resolver, type WriteOf } from './resolve.ts';
import type { Node, Work } from './work.ts';
import type { Surroundings } from './write.ts';

/** Rows of one place of the payload that are about to be written. */
export interface FreshRows extends KeptRows {
  /** Which of the statements yields the text of their keys. */
  readonly statement: number;
}

/** Items that bring nothing along. */
export interface FreshItems {
  readonly kind: 'flat';
  readonly items: FlatItems;
  readonly nodes: readonly Node[];
  /** What is to be run after they are written. */
  readonly after: readonly Statement[];
}

/** Items with others, as statements, and the rows that these write; the root's stand first. */
export interface FreshGraph {
  readonly kind: 'graph';
  readonly statements: readonly Statement[];
  readonly rows: readonly [FreshRows, ...FreshRows[]];
}

function isKey({ primaryKey }: Collection, columns: readonly string[]): boolean {
  return columns.length === 1 && columns[0] === primaryKey[0]?.column.name;
}

/** Whether nothing of a level has to be known before it is written. */
function isFresh(level: Level, writeOf: WriteOf): boolean {
  const { collection, items, toOne, toMany } = level;
  const { table, primaryKey } = collection;
  if (table?.kind !== 'table' || table.userTriggers || primaryKey.length !== 1) return false;
  const write = writeOf(collection.name);
  if (write.rule !== NO_RULE || needsRecord(write, 'create')) return false;
  return (
    items.every(({ key, intent }) => intent === 'create' || key === null) &&
    toOne.every(({ end, level: target }) => {
      return isKey(target.collection, end.columns) && isFresh(target, writeOf);
    }) &&
    toMany.every(({ relation, selections, level: children }) => {
      const isPlain = relation.sortField === null && isKey(collection, relation.one.columns);
      const isWritten = selections.every((one) => one.linked.length + one.removed.length === 0);
      return isPlain && isWritten && isFresh(children, writeOf);
    })
  );
}

function isFlat({ toOne, toMany }: Level): boolean {
  return toOne.length === 0 && toMany.length === 0;
}

async function refersToOthers(work: Work): Promise<boolean> {
  if (await hasLinks(work)) return true;
  for (const step of [...work.toOne, ...work.toMany]) {
    if (await refersToOthers(step.work)) return true;
  }
  return false;
}

/** For rows of a level, the row whose key a field of theirs takes. */
type References = ReadonlyMap<ColumnField, ReadonlyMap<Node, Node>>;

/** The fields that rows have values for; null when they do not all have the same ones. */
function sharedFields(nodes: readonly Node[]): readonly ColumnField[] | null {
  const fields = [...(nodes[0]?.row.keys() ?? [])];
  const alike = nodes.every(
    ({ row }) => row.size === fields.length && fields.every((field) => row.has(field)),
  );
  return alike ? fields : null;
}

/** How many values of a row wait for others to be written. */
function pendingOf([first]: readonly Node[]): number {
  return Object.values(first?.item ?? {}).filter((value) => value === PENDING).length;
}

/** Moves the sequence of a key that was given. */
function moves(
  collection: Collection,
  columns: readonly { readonly field: ColumnField }[],
): Statement[] {
  const given = new Set(columns.map(({ field }) => field));
  const move = sequenceStatement(
    collection,
    collection.primaryKey.filter((field) => given.has(field)),
  );
  return move === null ? [] : [render(move)];
}

/** Gathers statements; a payload that has another shape than they can write is given up. */
class Draft {
  readonly statements: Statement[] = [];
  readonly rows = new Map<Work, Omit<FreshRows, 'owner'>>();
  readonly #places = new Map<Node, { readonly kept: KeptKeys; readonly place: number }>();

  /** @returns whether all of it could be written down */
  add(work: Work, owners: References = new Map()): boolean {
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

  #insert(work: Work, references: References): boolean {
    const { nodes } = work;
    const { collection } = work.write;
    const [key] = collection.primaryKey;
    const count = nodes.length;
    if (count === 0 || key === undefined) return true;
    const columns = this.#columns(nodes, references);
    if (columns === null) return false;
    const kept = new KeptKeys(this.statements.length, key, count);
    const insert = insertKeeping({ collection, columns, isOne: count === 1, count }, kept);
    const found = columns.flatMap((column) => ('kept' in column ? [column] : []));
    this.rows.set(work, {
      ...{ collection, nodes, kept, references: found },
      statement: this.statements.length,
    });
    this.statements.push(render(insert));
    for (const [place, node] of nodes.entries()) this.#places.set(node, { kept, place });
    this.statements.push(...moves(collection, columns));
    return true;
  }

  /** The columns of rows; null when the rows do not all have the same ones. */
  #columns(nodes: readonly Node[], references: References): readonly NewColumn[] | null {
    const fields = sharedFields(nodes);
    if (fields === null) return null;
    const columns: NewColumn[] = fields.map((field) => ({
      field,
      texts: nodes.map(({ row }) => row.get(field) ?? null),
    }));
    for (const [field, known] of references) {
      const waiting = nodes.filter(({ item }) => item[field.name] === PENDING);
      const found = nodes.map((node) => this.#places.get(known.get(node) ?? node));
      const kept = found[0]?.kept;
      if (waiting.length < nodes.length || kept === undefined) return null;
      if (found.some((place) => place?.kept !== kept)) return null;
      columns.push({ field, kept, places: found.map((place) => place?.place ?? 0) });
    }
    if (pendingOf(nodes) !== references.size) return null;
    return columns.sort((a, b) => a.field.column.position - b.field.column.position);
  }
}

/** The rows of a piece of work and of all below it, in the order in which history tells of them. */
function rowsOf(
  work: Work,
  rows: Draft['rows'],
  owner: { readonly rows: FreshRows; readonly of: ReadonlyMap<Node, Node> } | null = null,
): FreshRows[] {
  const found = rows.get(work);
  if (found === undefined) return [];
  const at = new Map(owner?.rows.nodes.map((node, place) => [node, place]));
  const placeOf = (node: Node) => at.get(owner?.of.get(node) ?? node) ?? 0;
  const places = found.nodes.map(placeOf);
  const own: FreshRows = { ...found, owner: owner && { rows: owner.rows, places } };
  const toOne = work.toOne.flatMap(({ work: targets, pairs }) => {
    const of = new Map(pairs.map(({ owner: from, target }) => [target, from]));
    return rowsOf(targets, rows, { rows: own, of });
  });
  const toMany = work.toMany.flatMap(({ work: children, pairs }) => {
    const of = new Map(pairs.map(({ owner: from, child }) => [child, from]));
    return rowsOf(children, rows, { rows: own, of });
  });
  return [own, ...toOne, ...toMany];
}

function flat({ write: { collection }, nodes }: Work): FreshItems | null {
  const fields = sharedFields(nodes);
  if (fields === null || pendingOf(nodes) > 0) return null;
  const ordered = [...fields].sort((a, b) => a.column.position - b.column.position);
  const rows = nodes.map(({ row }) => row);
  const delta = (place: number) => {
    const node = nodes[place];
    return node === undefined ? {} : deltaOf(collection, node);
  };
  const after = moves(
    collection,
    fields.map((field) => ({ field })),
  );
  return { kind: 'flat', items: { collection, fields: ordered, rows, delta }, nodes, after };
}

function graph(work: Work): FreshGraph | null {
  const draft = new Draft();
  if (!draft.add(work)) return null;
  const [root, ...below] = rowsOf(work, draft.rows);
  const { statements } = draft;
  return root === undefined ? null : { kind: 'graph', statements, rows: [root, ...below] };
}

/**
 * Judges and prepares items that are created, with what is related to them.
 * @returns null when something must be looked up before: nothing was asked of the database
 * @throws ServiceError FORBIDDEN, FAILED_VALIDATION, INVALID_PAYLOAD naming the place
 */
export async function freshItems(
  write: Write,
  inputs: readonly Input[],
  { writeOf, maxItems }: Omit<Surroundings, 'history'>,
): Promise<FreshItems | FreshGraph | null> {
  const allowance = new Allowance(maxItems);
  const level = await new Planner(write.target.catalog, allowance).level(write.collection, inputs);
  if (inputs.length === 0 || !isFresh(level, writeOf)) return null;
  judgeAction(write, 'create');
  const { work } = await new Resolver(new FoundRows(), writeOf, allowance).resolve(level);
  if (await refersToOthers(work)) return null;
  await judgeWork(work);
  return isFlat(level) ? flat(work) : graph(work);
}
