/**
 * Writes payloads of which every row is new in one round trip: nothing has to be found or locked
 * before, and later rows take the keys of earlier ones from the transaction itself.
 */
import type { Collection, ColumnField } from '#core/catalog/catalog.ts';
import { render, type Statement } from '#core/database/sql.ts';
import { isTold } from '#core/history/history.ts';
import { insertKeeping, type NewColumn } from '../insert.ts';
import { judgeAction } from '../judge.ts';
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
export interface FreshRows {
  readonly collection: Collection;
  readonly nodes: readonly Node[];
  readonly kept: KeptKeys;
  /** Which of the statements yields the text of their keys. */
  readonly statement: number;
}

/** A payload as statements, and the rows that these write; the root's stand first. */
export interface Fresh {
  readonly statements: Statement[];
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
  if (writeOf(collection.name).rule !== NO_RULE) return false;
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

/** Revisions of related items name that of the item that brought them along, which takes its time. */
function isSimplyTold({ collection, toOne, toMany }: Level, isRoot = true): boolean {
  const below = [...toOne, ...toMany].map(({ level }) => level);
  if (isRoot && below.length === 0) return true;
  return !isTold(collection) && below.every((level) => isSimplyTold(level, false));
}

function refersToOthers(work: Work): boolean {
  return (
    hasLinks(work) || [...work.toOne, ...work.toMany].some((step) => refersToOthers(step.work))
  );
}

/** For rows of a level, the row whose key a field of theirs takes. */
type References = ReadonlyMap<ColumnField, ReadonlyMap<Node, Node>>;

/** Gathers statements; a payload that has another shape than they can write is given up. */
class Draft {
  readonly statements: Statement[] = [];
  readonly rows = new Map<Work, FreshRows>();
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
    const [first] = nodes;
    const [key] = collection.primaryKey;
    if (first === undefined || key === undefined) return true;
    const columns = this.#columns(first, nodes, references);
    if (columns === null) return false;
    const kept = new KeptKeys(this.statements.length, key, nodes.length);
    const insert = insertKeeping({ collection, columns, count: nodes.length }, kept);
    this.rows.set(work, { collection, nodes, kept, statement: this.statements.length });
    this.statements.push(render(insert));
    for (const [place, node] of nodes.entries()) this.#places.set(node, { kept, place });
    const explicit = columns.some(({ field }) => field === key) ? [key] : [];
    const move = sequenceStatement(collection, explicit);
    if (move !== null) this.statements.push(render(move));
    return true;
  }

  /** The columns of rows; null when the rows do not all have the same ones. */
  #columns(
    first: Node,
    nodes: readonly Node[],
    references: References,
  ): readonly NewColumn[] | null {
    const fields = [...first.row.keys()];
    const alike = nodes.every(
      ({ row }) => row.size === fields.length && fields.every((field) => row.has(field)),
    );
    if (!alike) return null;
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
    const pending = Object.values(first.item).filter((value) => value === PENDING).length;
    if (pending !== references.size) return null;
    return columns.sort((a, b) => a.field.column.position - b.field.column.position);
  }
}

/** The rows of a piece of work and of all below it, in the order in which history tells of them. */
function rowsOf(work: Work, rows: ReadonlyMap<Work, FreshRows>): FreshRows[] {
  const own = rows.get(work);
  const below = [...work.toOne, ...work.toMany].flatMap((step) => rowsOf(step.work, rows));
  return own === undefined ? below : [own, ...below];
}

/**
 * Judges and prepares items that are created, with what is related to them.
 * @returns null when something must be looked up before: nothing was asked of the database
 * @throws ServiceError FORBIDDEN, FAILED_VALIDATION, INVALID_PAYLOAD naming the place
 */
export async function freshItems(
  write: Write,
  inputs: readonly Input[],
  { writeOf, maxItems, history }: Surroundings,
): Promise<Fresh | null> {
  const level = new Planner(write.target.catalog, maxItems).level(write.collection, inputs);
  if (inputs.length === 0 || !isFresh(level, writeOf) || !isSimplyTold(level)) return null;
  judgeAction(write, 'create');
  const { work } = await new Resolver(new FoundRows(), writeOf).resolve(level);
  if (refersToOthers(work)) return null;
  await judgeWork(work);
  const draft = new Draft();
  if (!draft.add(work)) return null;
  const [root, ...below] = rowsOf(work, draft.rows);
  if (root === undefined) return null;
  const { statements } = draft;
  if (below.length === 0) {
    const deltas = () => root.nodes.map((node) => deltaOf(root.collection, node));
    const told = history.ofKept(root.collection, root.kept, deltas);
    if (told !== null) statements.push(render(told));
  }
  return { statements, rows: [root, ...below] };
}
