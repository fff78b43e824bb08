/**
 * Changes or deletes items by key, with the same values or separate values for each. One statement
 * writes the rows and the history and, where no other code affects it, reads the answer. Changes of
 * the same fields under the same rules share the statement. All other cases are left to the
 * step-by-step writer.
 */
import type { Permission } from '#core/access/rights.ts';
import { mapEach } from '#core/base/process/time-slice.ts';
import { bareType } from '#core/database/column-type.ts';
import { empty, identifier, join, parameterOf, raw, type Sql, sql } from '#core/database/sql.ts';
import type { Catalog, Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import { arrayElements } from '#core/model/values/array-text.ts';
import type { Filter } from '#core/query/query.ts';
import { StatementParameter } from '#core/read/plan/placeholder.ts';
import type { JustWrittenRows } from '#core/read/sql/compile.ts';
import { needsCallerRecords } from '../caller-record.ts';
import { MAX_KEYS } from '../changes/change.ts';
import { saveDeletedRowsSql } from '../changes/deleted-items.ts';
import { coveringPermissions } from '../check-permissions.ts';
import {
  deltaText,
  type History,
  hasHistory,
  ordinalColumn,
  recordRows,
} from '../history/history.ts';
import type { Item, Row } from '../payload.ts';
import { cascadesOf } from '../record-cascades.ts';
import { hasLinks } from '../relational/check-links.ts';
import { jointColumns } from '../relational/lock.ts';
import { deltaOf } from '../relational/record-history.ts';
import { tableOf } from '../row-statements.ts';
import { NO_RULE, type WriteContext } from '../write-context.ts';
import {
  type KeyedChange,
  type KeyedItems,
  nodesOf,
  onlyPlainItem,
  plainNode,
  plannedItems,
} from './keyed-change.ts';
import { type SkipLocked, skipOfDeletion, skipOfUpdate, skippedSql } from './skip-locked.ts';

/** The new values of an item. */
interface KeyedRow {
  readonly row: Row;
  /** The members of the item as they are stored. */
  readonly stored: Item;
}

/** The change or the deletion of one item, or of several that change the same fields. */
export interface KeyedWrite {
  readonly action: 'update' | 'delete';
  readonly collection: Collection;
  /** The keys of the items, in order. */
  readonly keys: readonly string[];
  /** The request addressed the items with a list. */
  readonly isList: boolean;
  /** The changed fields, in column order. */
  readonly fields: readonly ColumnField[];
  /** Each item has a row of its own. */
  readonly isEach: boolean;
  /** In key order when each item has its own row, else a single shared row. */
  readonly rows: readonly KeyedRow[];
  /** At least one rule of each list must hold for the item, or it may not be written. */
  readonly rules: readonly (readonly Filter[])[];
  /** Writes of the same form use the same statement. */
  readonly form: string;
  /** How to take the only row without waiting for a lock; null: the statement may have to wait. */
  readonly skip: SkipLocked | null;
  /**
   * The schema of the system tables, when subscribers may be notified of the deletion; null: no
   * subscribers.
   */
  readonly listeners: string | null;
}

/** The CTE with the rows that the statement wrote. */
const ROW = raw('w');

/** The columns of the row `t` that the rest of the statement reads. */
function returnedColumns({ action, collection }: Target): Sql {
  const columns = action === 'delete' ? [keyField(collection).column] : collection.table?.columns;
  return join((columns ?? []).map(({ name }) => identifier('t', name)));
}

/** Whether the changed row is the only row that the statement writes. */
function isOnlyRow({ collection, isList }: Target): boolean {
  return !isList && !hasHistory(collection);
}

/** The written items as a row source for the rest of the statement. */
export function keyedRows(write: Target): JustWrittenRows {
  const { isList } = write;
  return { source: isOnlyRow(write) ? sql`(SELECT ${returnedColumns(write)})` : ROW, isList };
}

/** The key texts of a single-column key; null where a key has no text. */
function textsOf({ keys }: KeyedItems): readonly string[] | null {
  const texts = keys.flatMap(([text]) => (text === undefined ? [] : [text]));
  return texts.length === 0 || texts.length < keys.length ? null : texts;
}

/** Part of the statement's form: one item, few items (whose keys are published), or many. */
function countOf({ keys, isList }: KeyedItems): string {
  if (!isList) return 'one';
  return keys.length > MAX_KEYS ? 'many' : 'some';
}

/** Whether no trigger and no collection rule affects the write of a row. */
export function hasNoWriteHooks({
  collection: { table, primaryKey },
  rule,
}: WriteContext): boolean {
  return (
    table?.kind === 'table' && !table.userTriggers && primaryKey.length === 1 && rule === NO_RULE
  );
}

/**
 * The rules of the permissions, of which one per list must hold to cover all names; null when some
 * name is not covered.
 */
function rulesFor(
  permissions: readonly Permission[],
  names: readonly string[],
): { readonly rules: (readonly Filter[])[]; readonly form: string } | null {
  const sets = coveringPermissions(permissions, names);
  if (sets === null) return null;
  const rules = sets.map((set) => set.flatMap(({ rule }) => (rule === null ? [] : [rule])));
  return { rules, form: sets.map((set) => set.map((one) => permissions.indexOf(one))).join('|') };
}

/** Facts from a catalog about updates of a collection. */
interface UpdateFacts {
  /** Some columns form a reference only together. */
  readonly hasJointColumns: boolean;
  /** The collection has relations that point to other items. */
  readonly hasLinks: boolean;
  /**
   * The columns that self-referencing foreign keys point to: changing them may change the row
   * again.
   */
  readonly referred: ReadonlySet<string>;
}

const factsOf = new WeakMap<Catalog, Map<string, UpdateFacts>>();

function updateFacts(catalog: Catalog, collection: Collection): UpdateFacts {
  const known = factsOf.get(catalog) ?? new Map<string, UpdateFacts>();
  factsOf.set(catalog, known);
  const found = known.get(collection.name);
  if (found !== undefined) return found;
  const { table } = collection;
  const own = (table?.foreignKeys ?? []).filter(
    ({ targetSchema, targetTable }) =>
      targetSchema === table?.schema && targetTable === table?.name,
  );
  const relations = [...(catalog.relations.get(collection.name)?.values() ?? [])];
  const facts = {
    hasJointColumns: jointColumns(catalog, collection).length > 0,
    hasLinks: relations.some(({ kind }) => kind === 'm2o' || kind === 'a2o'),
    referred: new Set(own.flatMap(({ targetColumns }) => targetColumns)),
  };
  known.set(collection.name, facts);
  return facts;
}

/**
 * Plans the change of items.
 * @returns null when one statement is not enough, or when the change must be rejected
 * @throws ServiceError as the step-by-step writer does, though not always its first error
 */
export async function planUpdate(
  write: WriteContext,
  change: KeyedChange,
): Promise<KeyedWrite | null> {
  const { collection, target } = write;
  const keys = textsOf(change);
  if (!hasNoWriteHooks(write) || keys === null || needsCallerRecords(write, 'update')) return null;
  const facts = updateFacts(target.catalog, collection);
  if (facts.hasJointColumns) return null;
  const only = onlyPlainItem(write, change);
  const planned =
    only === null ? await plannedItems(write, change) : { items: [only], arePlain: true };
  const [first] = planned?.items ?? [];
  if (planned === null || first === undefined) return null;
  const names = Object.keys(first.item).filter(
    (name) => first.item[name] !== undefined && name !== collection.primaryKey[0]?.name,
  );
  const covering = rulesFor(target.rights.of(collection.name, 'update'), names);
  if (covering === null) return null;
  const node = only && plainNode(write, only);
  const nodes = node === null ? await nodesOf(write, planned.items) : [node];
  if (nodes === null) return null;
  const work = { write, root: true, nodes: [...nodes], toOne: [], toMany: [] };
  if (facts.hasLinks && !planned.arePlain && (await hasLinks(work))) return null;
  const fields = [...(nodes[0]?.row.keys() ?? [])].sort(
    (a, b) => a.column.position - b.column.position,
  );
  if (fields.length === 0 || fields.some(({ column }) => facts.referred.has(column.name))) {
    return null;
  }
  const places = fields.map(({ column }) => column.position).join();
  const { isList, isEach } = change;
  const form = `update of ${isEach ? 'each ' : ''}${places} of ${countOf(change)} by ${covering.form}`;
  const { rules } = covering;
  const skip = isList ? null : skipOfUpdate(target.catalog, collection, fields);
  const made = { action: 'update', collection, keys, isList, isEach, rules, form } as const;
  return { ...made, fields, rows: nodes, skip, listeners: null };
}

/**
 * Plans the deletion of items; null when one statement is not enough, or when it must be rejected.
 */
export function planDeletion(write: WriteContext, named: KeyedItems): KeyedWrite | null {
  const { collection, target } = write;
  const keys = textsOf(named);
  if (!hasNoWriteHooks(write) || keys === null) return null;
  // The step-by-step writer publishes cascaded changes.
  if (write.listeners && cascadesOf(target.catalog, collection).length > 0) return null;
  const covering = rulesFor(target.rights.of(collection.name, 'delete'), []);
  if (covering === null) return null;
  const form = `delete of ${countOf(named)} by ${covering.form}`;
  const { rules } = covering;
  const { isList } = named;
  return {
    ...{ action: 'delete', collection, keys, isList, rules, form },
    ...{ fields: [], isEach: false, rows: [{ row: new Map(), stored: {} }] },
    skip: isList ? null : skipOfDeletion(target.catalog, collection),
    listeners: keys.length > MAX_KEYS ? null : (write.listeners ?? null),
  };
}

type Target = Omit<KeyedWrite, 'rows' | 'rules' | 'form' | 'skip'>;

function keyField({ primaryKey: [key] }: Collection): ColumnField {
  if (key === undefined) throw new TypeError('an item without a key was to be written');
  return key;
}

/**
 * The WHERE clause for the addressed items that the caller's rules permit; the table has the alias
 * `t`.
 */
function whereSql({ collection, isList }: Target, condition: Sql | null): Sql {
  const { column } = keyField(collection);
  const given = new StatementParameter(0);
  const type = bareType(column);
  const asked = isList ? sql`k.k::${type}` : sql`${given}::text::${type}`;
  const own = sql`WHERE ${identifier('t', column.name)} = ${asked}`;
  return condition === null ? own : sql`${own} AND ${condition}`;
}

/** The WHERE clause for the only item, unless another transaction has locked it. */
function whereFreeSql(write: Target, condition: Sql | null, skip: SkipLocked): Sql {
  const { collection } = write;
  const { name } = keyField(collection).column;
  const table = sql`${tableOf(collection)} AS t`;
  const free = skippedSql(skip, { table, column: name, where: whereSql(write, condition) });
  return sql`WHERE ${identifier('t', name)} = ${free}`;
}

/** The keys of several items, with their positions. */
function keysSql(): Sql {
  return sql`unnest(${new StatementParameter(0)}::text[]) WITH ORDINALITY AS k(k, n)`;
}

/**
 * The keys of several items, with their positions and, for separate values, their values and
 * deltas.
 */
function itemsSql({ isEach, fields }: Target): Sql {
  if (!isEach) return keysSql();
  const arrays = Array.from({ length: fields.length + 2 }, (_, index) => {
    return sql`${new StatementParameter(index)}::text[]`;
  });
  const names = fields.map((_, place) => raw(`c${place}`));
  return sql`unnest(${join(arrays)}) WITH ORDINALITY AS k(${join([raw('k'), ...names, raw('d'), raw('n')])})`;
}

/** Whether a separate statement locks the items first. */
export function locksBefore({ isList }: KeyedWrite, { reaches }: { reaches: boolean }): boolean {
  // Several items are locked in key order, like all other locks of several items.
  return isList || reaches;
}

/**
 * Locks the items before the rules read other tables, so that the rules see those tables after the
 * wait.
 */
export function lockSql(write: Target, condition: Sql | null): Sql {
  const { collection, isList } = write;
  const keys = isList ? sql`, ${keysSql()}` : empty;
  const order = sql` ORDER BY ${identifier('t', keyField(collection).column.name)}`;
  return sql`SELECT FROM ${tableOf(collection)} AS t${keys} ${whereSql(write, condition)}${isList ? order : empty} FOR UPDATE OF t`;
}

/** Stores the deleted rows for subscribers; null without subscribers. */
function keptSql(write: Target, condition: Sql | null): Sql | null {
  const { collection, isList, listeners } = write;
  if (listeners === null) return null;
  const keys = isList ? sql`, ${keysSql()}` : empty;
  const rows = sql`FROM ${tableOf(collection)} AS t${keys} ${whereSql(write, condition)}`;
  const item = sql`${identifier('t', keyField(collection).column.name)}::text`;
  return saveDeletedRowsSql(listeners, collection, rows, item);
}

/** Fails the statement when some of the items were not written. */
function allWritten(write: Target): Sql {
  const all = sql`(SELECT count(*) FROM ${ROW}) = ${new StatementParameter(write.fields.length + 6)}::int8`;
  return sql`CASE WHEN ${all} THEN 'true' ELSE 'sluice: some were not written' END::boolean`;
}

/** A row with the keys of several items, if there are few enough to publish, and the answer. */
function manyWritten(write: Target, place: Sql, shown: Sql): Sql {
  const { column } = keyField(write.collection);
  const texts = sql`array_agg(${ROW}.${identifier(column.name)}::text ORDER BY ${ROW}.${place})::text`;
  const keys = write.keys.length > MAX_KEYS ? sql`''` : sql`(SELECT ${texts} FROM ${ROW})`;
  return sql`SELECT ${keys}${shown} WHERE ${allWritten(write)}`;
}

/**
 * The statement that writes the items, with placeholders for {@link keyedValues}. It yields one row
 * with the text of the key (or of the key array) and the answer. It yields no row when the only
 * item does not exist or the caller may not write it.
 * @param schema the schema of the system tables
 * @param condition holds for items that the caller may write; null: for all
 * @param answer a SELECT of the answer; null: no answer
 * @param skip takes the only item without waiting, and yields no row while another transaction has
 * locked it
 */
export function keyedSql(
  write: Target,
  schema: string,
  { condition, answer }: { readonly condition: Sql | null; readonly answer: Sql | null },
  skip: SkipLocked | null = null,
): Sql {
  const { action, collection, fields, isList, isEach } = write;
  const key = keyField(collection);
  const set = fields.map(({ column }, place) => {
    const text = isEach ? raw(`k.c${place}`) : sql`${new StatementParameter(place + 1)}::text`;
    return sql`${identifier(column.name)} = ${text}::${bareType(column)}`;
  });
  const table = sql`${tableOf(collection)} AS t`;
  const isUpdate = action === 'update';
  const verb = isUpdate ? sql`UPDATE ${table} SET ${join(set)}` : sql`DELETE FROM ${table}`;
  const from = sql` ${raw(isUpdate ? 'FROM' : 'USING')} ${itemsSql(write)}`;
  const shown = answer === null ? empty : sql`, (${answer})`;
  const where = skip === null ? whereSql(write, condition) : whereFreeSql(write, condition, skip);
  const kept = keptSql(write, condition);
  if (isOnlyRow(write)) {
    const text = sql`${identifier('t', key.column.name)}::text`;
    const before = kept === null ? empty : sql`WITH l AS (${kept}) `;
    return sql`${before}${verb} ${where} RETURNING ${text}${shown}`;
  }
  const own = returnedColumns(write);
  const place = ordinalColumn(collection);
  const deltas = ordinalColumn(collection, 'd');
  const ofEach = isEach ? sql`, k.d AS ${deltas}` : empty;
  const returned = isList ? sql`${own}, k.n AS ${place}${ofEach}` : own;
  const delta = fields.length + 1;
  const told = recordRows(schema, {
    ...{ collection, action, rows: ROW, place: isList ? place : null },
    delta: isEach ? sql`t.${deltas}` : new StatementParameter(delta),
    author: Array.from({ length: 4 }, (_, part) => new StatementParameter(delta + 1 + part)),
  });
  const written = sql`WITH ${ROW} AS (${verb}${isList ? from : empty} ${where} RETURNING ${returned})${told}${kept === null ? empty : sql`, l AS (${kept})`}`;
  return isList
    ? sql`${written} ${manyWritten(write, place, shown)}`
    : sql`${written} SELECT ${ROW}.${identifier(key.column.name)}::text${shown} FROM ${ROW}`;
}

/** The values for the placeholders of {@link keyedSql} and {@link lockSql}. */
export async function keyedValues(
  write: KeyedWrite,
  history: Pick<History, 'author'>,
): Promise<unknown[]> {
  const { collection, keys, isList, isEach, fields, rows } = write;
  const isKept = hasHistory(collection);
  const deltas = await mapEach(rows, (one) =>
    isKept ? deltaText(collection, { delta: deltaOf(collection, one) }) : null,
  );
  const columns = fields.map((field) => rows.map(({ row }) => row.get(field) ?? null));
  const givenOf = (list: readonly (string | null)[]) => (isEach ? parameterOf(list) : list[0]);
  const key = isList ? parameterOf(keys) : keys[0];
  return [key, ...[...columns, deltas].map(givenOf), ...history.author, keys.length];
}

/**
 * Parses the keys in the first column of {@link keyedSql}; null when there are too many to publish.
 */
export function writtenKeys(write: KeyedWrite, text: string): readonly string[] | null {
  if (!write.isList) return [text];
  return write.keys.length > MAX_KEYS ? null : arrayElements(text);
}
