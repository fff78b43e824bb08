/**
 * Changes or deletes one item by its key: its row, its history and, where nothing else decides on
 * it, its answer are one statement, made once for all that change the same fields under the same
 * rules. What it cannot do, or may not, is left to the writer that goes step by step.
 */
import type { Permission } from '#core/access/rights.ts';
import type { Catalog, Collection, ColumnField } from '#core/catalog/catalog.ts';
import { bareType } from '#core/database/column-type.ts';
import { empty, identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import { deltaText, type History, hasHistory, recordRows } from '#core/history/history.ts';
import { isJsonObject } from '#core/json/json-object.ts';
import type { Key } from '#core/query/key.ts';
import { Given } from '#core/query/plan/slot.ts';
import type { Filter } from '#core/query/query.ts';
import type { Written } from '#core/query/sql/compile.ts';
import { Allowance } from './allowance.ts';
import { needsRecord } from './caller-record.ts';
import { coverage } from './judge.ts';
import type { Item, Row } from './payload.ts';
import { Preparation } from './prepare.ts';
import { hasLinks } from './relational/link.ts';
import { jointColumns } from './relational/lock.ts';
import { Planner } from './relational/parse.ts';
import type { PayloadPath, PlannedItem } from './relational/plan.ts';
import { deltaOf } from './relational/record.ts';
import type { Node } from './relational/work.ts';
import { tableOf } from './statement.ts';
import { NO_RULE, type Write } from './target.ts';

/** The change or the deletion of one item. */
export interface KeyedWrite {
  readonly action: 'update' | 'delete';
  readonly collection: Collection;
  readonly key: string;
  /** What is changed, in the order of the table. */
  readonly fields: readonly ColumnField[];
  readonly row: Row;
  /** The members of the item as they are stored. */
  readonly stored: Item;
  /** Of each list one of the rules holds for the item, or it may not be written. */
  readonly rules: readonly (readonly Filter[])[];
  /** Writes of the same form are the same statement. */
  readonly form: string;
}

/** The row as the statement wrote it. */
const ROW = raw('w');

/** The item as the rest of the statement reads it. */
export const WRITTEN_ROW: Written = { source: ROW, isList: false };

/** Whether nobody but the statement itself has a say in what becomes of a row. */
function isPlain({ collection: { table, primaryKey }, rule }: Write): boolean {
  return (
    table?.kind === 'table' && !table.userTriggers && primaryKey.length === 1 && rule === NO_RULE
  );
}

/** The rules of permissions, of which some must hold for each of the names; null: some never does. */
function rulesFor(
  permissions: readonly Permission[],
  names: readonly string[],
): { readonly rules: (readonly Filter[])[]; readonly form: string } | null {
  const sets = coverage(permissions, names);
  if (sets === null) return null;
  const rules = sets.map((set) => set.flatMap(({ rule }) => (rule === null ? [] : [rule])));
  return { rules, form: sets.map((set) => set.map((one) => permissions.indexOf(one))).join('|') };
}

/** What a catalog says of updates of a collection. */
interface UpdateFacts {
  /** Columns that only together say what a row refers to. */
  readonly hasJointColumns: boolean;
  /** The relations by which items refer to others. */
  readonly hasLinks: boolean;
  /** The columns that foreign keys of the same table refer to: a row may change again by these. */
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

/** An item of the payload that brings no others along; null when it does, or may. */
async function plannedItem(write: Write, key: Key, value: unknown): Promise<PlannedItem | null> {
  const { collection, target } = write;
  const place: PayloadPath = [];
  const relations = target.catalog.relations.get(collection.name);
  const isOwn = (name: string) => collection.fields.has(name) && !relations?.has(name);
  if (isJsonObject(value) && Object.keys(value).every(isOwn)) {
    return { place, item: value, sent: value, lists: [], key, intent: 'update' };
  }
  const planner = new Planner(target.catalog, new Allowance(undefined));
  const input = { place, value, intent: 'update', key } as const;
  const { items, toOne, toMany } = await planner.level(collection, [input]);
  return toOne.length + toMany.length === 0 ? (items[0] ?? null) : null;
}

/**
 * Plans the change of one item.
 * @returns null when it takes more than one statement, or is to be refused
 * @throws ServiceError as the step-by-step writer does, though not always the first of its errors
 */
export async function planUpdate(
  write: Write,
  key: Key,
  value: unknown,
): Promise<KeyedWrite | null> {
  const { collection, target } = write;
  const [id] = key;
  if (!isPlain(write) || id === undefined || needsRecord(write, 'update')) return null;
  const facts = updateFacts(target.catalog, collection);
  if (facts.hasJointColumns) return null;
  const item = await plannedItem(write, key, value);
  if (item === null) return null;
  const names = Object.keys(item.item).filter(
    (name) => item.item[name] !== undefined && name !== collection.primaryKey[0]?.name,
  );
  const covering = rulesFor(target.rights.of(collection.name, 'update'), names);
  if (covering === null) return null;
  const prepared = await (await Preparation.open(write, 'update')).of(item.item, item.sent);
  const { row, item: stored } = prepared;
  if (facts.hasLinks) {
    const node: Node = { ...item, action: 'update', found: null, key, row, stored };
    if (await hasLinks({ write, root: true, nodes: [node], toOne: [], toMany: [] })) return null;
  }
  const fields = [...row.keys()].sort((a, b) => a.column.position - b.column.position);
  if (fields.length === 0 || fields.some(({ column }) => facts.referred.has(column.name))) {
    return null;
  }
  const form = `update of ${fields.map(({ column }) => column.position).join()} by ${covering.form}`;
  const { rules } = covering;
  return { action: 'update', collection, key: id, fields, row, stored, rules, form };
}

/** Plans the deletion of one item; null when it takes more than one statement, or is to be refused. */
export function planDeletion(write: Write, key: Key): KeyedWrite | null {
  const { collection, target } = write;
  const [id] = key;
  if (!isPlain(write) || id === undefined) return null;
  const covering = rulesFor(target.rights.of(collection.name, 'delete'), []);
  if (covering === null) return null;
  const form = `delete by ${covering.form}`;
  const { rules } = covering;
  return {
    ...{ action: 'delete', collection, key: id, rules, form },
    ...{ fields: [], row: new Map(), stored: {} },
  };
}

/** The item that is meant, as far as the caller's rules hold for it; the table is called `t`. */
function whereSql({ primaryKey: [key] }: Collection, condition: Sql | null): Sql {
  if (key === undefined) throw new TypeError('an item without a key was to be written');
  const own = sql`${identifier('t', key.column.name)} = ${new Given(0)}::text::${bareType(key.column)}`;
  return condition === null ? sql`WHERE ${own}` : sql`WHERE ${own} AND ${condition}`;
}

/** Locks the item, before rules look at other tables: they see these as they are afterwards. */
export function lockSql({ collection }: KeyedWrite, condition: Sql | null): Sql {
  return sql`SELECT FROM ${tableOf(collection)} AS t ${whereSql(collection, condition)} FOR UPDATE OF t`;
}

/**
 * The statement that writes the item, with places for {@link keyedValues}. It yields one row, the
 * text of the key and the answer; none when the caller may not write the item or there is none.
 * @param schema that of the system tables
 * @param condition holds for items that the caller may write; null: for all
 * @param answer a select of the answer; null: none
 */
export function keyedSql(
  { action, collection, fields }: Pick<KeyedWrite, 'action' | 'collection' | 'fields'>,
  schema: string,
  { condition, answer }: { readonly condition: Sql | null; readonly answer: Sql | null },
): Sql {
  const [key] = collection.primaryKey;
  if (key === undefined || collection.table === null) throw new TypeError('an item has no key');
  const set = fields.map(
    ({ column }, place) =>
      sql`${identifier(column.name)} = ${new Given(place + 1)}::text::${bareType(column)}`,
  );
  const table = sql`${tableOf(collection)} AS t`;
  const verb =
    action === 'update' ? sql`UPDATE ${table} SET ${join(set)}` : sql`DELETE FROM ${table}`;
  const all = collection.table.columns.map(({ name }) => identifier('t', name));
  const place = fields.length + 1;
  const told = recordRows(schema, {
    ...{ collection, action, rows: ROW, isOne: true, deltas: new Given(place) },
    author: Array.from({ length: 4 }, (_, part) => new Given(place + 1 + part)),
  });
  const shown = answer === null ? empty : sql`, (${answer})`;
  return sql`WITH ${ROW} AS (${verb} ${whereSql(collection, condition)} RETURNING ${join(all)})${told}
    SELECT ${ROW}.${identifier(key.column.name)}::text${shown} FROM ${ROW}`;
}

/** The values for the places of {@link keyedSql} and {@link lockSql}. */
export function keyedValues(write: KeyedWrite, history: Pick<History, 'author'>): unknown[] {
  const { collection, key, fields, row } = write;
  const text = hasHistory(collection)
    ? deltaText(collection, { delta: deltaOf(collection, write) })
    : null;
  return [key, ...fields.map((field) => row.get(field) ?? null), text, ...history.author];
}
