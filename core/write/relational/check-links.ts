/**
 * Checks that the caller may read the rows that a payload refers to but does not write. Only
 * administrators can distinguish an unreadable row from a missing one.
 */
import { canSeeField, knownEnd } from '#core/access/schema-visibility.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden, invalidPayload } from '#core/base/errors/service-error.ts';
import { isJsonObject } from '#core/base/json/json-object.ts';
import { TimeSlice } from '#core/base/process/time-slice.ts';
import { bareType } from '#core/database/column-type.ts';
import { rowsOf } from '#core/database/prepared.ts';
import { identifier, join, render, type Sql, sql } from '#core/database/sql.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import type { AnyToOne, End, ManyToOne } from '#core/model/catalog/relation.ts';
import { textChecker } from '#core/model/values/check-value.ts';
import { readableRows } from '#core/read/sql/table-rows.ts';
import { ownMember } from '../payload.ts';
import type { WriteContext } from '../write-context.ts';
import { columnField, keyColumns } from './lock.ts';
import { pathText } from './payload-planner.ts';
import { keyOfRow, type RowNode, type Work } from './work.ts';

/** The connection, collection and caller of a lookup. */
type LinkContext = Pick<WriteContext, 'client' | 'collection' | 'target'>;

/** The column values that identify a row. */
type Values = readonly string[];

/** For each row, in order, whether it exists and the caller may read it. */
function readableStatement(
  write: LinkContext,
  columns: readonly string[],
  rows: readonly Values[],
): Sql {
  const table = readableRows({ ...write.target, collection: write.collection.name });
  const arrays = columns.map((_, part) => sql`${rows.map((row) => row[part])}::text[]`);
  const names = columns.map((_, part) => identifier(`k${part + 1}`));
  const match = columns.map((column, part) => {
    const { column: described } = columnField(write.collection, column);
    return sql`${table.column(column)} = ${identifier('k', `k${part + 1}`)}::${bareType(described)}`;
  });
  const where = table.where([join(match, ' AND ')]);
  return sql`SELECT EXISTS (SELECT FROM ${table.from}${where}) FROM unnest(${join(arrays)}) WITH ORDINALITY AS k(${join([...names, identifier('n')])}) ORDER BY k.n`;
}

/**
 * For each row, in order, whether the caller may read it.
 * @param columns the columns that identify a row
 */
async function readable(
  write: LinkContext,
  columns: readonly string[],
  rows: readonly Values[],
): Promise<readonly boolean[]> {
  const { rights, grants } = write.target;
  if (rights.admin || rows.length === 0) return rows.map(() => true);
  if (grants.of(write.collection.name) === null) return rows.map(() => false);
  const distinct = [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];
  const statement = render(readableStatement(write, columns, distinct));
  const found = await rowsOf<[boolean]>(write.client, statement);
  const seen = new Map(distinct.map((row, n) => [JSON.stringify(row), found[n]?.[0] === true]));
  return rows.map((row) => seen.get(JSON.stringify(row)) === true);
}

/** Keys of rows that the caller may read, as texts that can be looked up. */
export async function readableKeys(
  write: LinkContext,
  keys: readonly Values[],
): Promise<Set<string>> {
  const verdicts = await readable(write, keyColumns(write.collection), keys);
  return new Set(keys.filter((_, place) => verdicts[place]).map((key) => JSON.stringify(key)));
}

/** @throws ServiceError FORBIDDEN unless the caller may read all rows */
async function requireReadable(
  write: LinkContext,
  columns: readonly string[],
  rows: readonly Values[],
): Promise<void> {
  const verdicts = await readable(write, columns, rows);
  if (!verdicts.every((seen) => seen)) throw forbidden();
}

/** The value that a column will have; undefined when another row determines it. */
function valueIn(collection: Collection, node: RowNode, column: string): unknown {
  const { name } = columnField(collection, column);
  return Object.hasOwn(node.item, name) ? node.item[name] : (node.found?.texts.get(column) ?? null);
}

/** A reference value as text, as its column would read it. */
function linkText(target: Collection, column: string, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text === 'string' && textChecker(columnField(target, column))(text) === null) {
    return text;
  }
  throw forbidden();
}

/** Whether the payload of a row sets a reference by plain values. */
function names(collection: Collection, { sent }: RowNode, relation: ManyToOne | AnyToOne): boolean {
  const own = ownMember(sent, relation.field);
  // A nested item has its own permission check.
  if (isJsonObject(own)) return false;
  return membersOf(collection, relation).some((name) => Object.hasOwn(sent, name));
}

/** The members of an item that set a reference. */
function membersOf(collection: Collection, relation: ManyToOne | AnyToOne): readonly string[] {
  const columns = relation.many.columns.map((column) => columnField(collection, column).name);
  const members = relation.kind === 'a2o' ? [...columns, relation.discriminator] : columns;
  return [relation.field, ...members];
}

/** The referenced end of a many-to-any relation; null without a reference. */
function anyEnd(
  { collection, target }: WriteContext,
  node: RowNode,
  relation: AnyToOne,
): End | null {
  const given = ownMember(node.item, relation.discriminator);
  const column = collection.fields.get(relation.discriminator)?.column?.name ?? '';
  const name = given === undefined ? (node.found?.texts.get(column) ?? null) : given;
  if (name === null) return null;
  const end = knownEnd(target.rights, relation, name);
  if (end !== undefined) return end;
  // The stored value must not be disclosed to a caller that did not send it.
  if (given === undefined && !target.rights.admin) throw forbidden();
  const place = pathText([...node.place, relation.field]);
  throw invalidPayload(
    reason('relation_cannot_hold_collection', { place, name: JSON.stringify(name) }),
  );
}

function placeOf({ client, target }: WriteContext, name: string): LinkContext {
  const collection = target.catalog.collections.get(name);
  if (collection === undefined) throw forbidden();
  return { client, collection, target: { ...target, collection: name } };
}

/** Links to rows of one collection, by the same columns. */
interface Links {
  readonly end: End;
  readonly rows: Values[];
}

/** The relations whose referenced rows must be checked. */
function judgedRelations({ write }: Work): readonly (ManyToOne | AnyToOne)[] {
  const { collection, target } = write;
  const { rights } = target;
  const found: (ManyToOne | AnyToOne)[] = [];
  for (const relation of target.catalog.relations.get(collection.name)?.values() ?? []) {
    // For administrators, foreign keys report missing rows.
    const isJudged = relation.kind === 'm2o' && !rights.admin;
    if (relation.kind !== 'a2o' && !isJudged) continue;
    // Fields that the caller may not name are rejected as unknown fields elsewhere.
    if (
      membersOf(collection, relation).some((name) => canSeeField(rights, collection.name, name))
    ) {
      found.push(relation);
    }
  }
  return found;
}

/** The rows that a piece of work refers to by values in the payload. */
async function linksOf(
  { write, nodes }: Work,
  relations: readonly (ManyToOne | AnyToOne)[],
): Promise<readonly Links[]> {
  const { collection } = write;
  const { admin } = write.target.rights;
  const found = new Map<string, Links>();
  const slice = new TimeSlice();
  for (const relation of relations) {
    for (const node of nodes) {
      if (slice.isOver()) await slice.pause();
      if (node.action === 'keep' || !names(collection, node, relation)) continue;
      const end = relation.kind === 'm2o' ? relation.one : anyEnd(write, node, relation);
      const given = relation.many.columns.map((column) => valueIn(collection, node, column));
      const isPending = given.some((value) => typeof value === 'object' && value !== null);
      if (admin || end === null || isPending || given.includes(null)) continue;
      const target = placeOf(write, end.collection).collection;
      const row = given.map((value, part) => linkText(target, end.columns[part] ?? '', value));
      const name = JSON.stringify([end.collection, end.columns]);
      const links = found.get(name) ?? { end, rows: [] };
      found.set(name, links);
      links.rows.push(row);
    }
  }
  if (slice.isSpent) await slice.pause();
  return [...found.values()];
}

/**
 * Checks permissions for the rows that a piece of work refers to but does not write.
 * @param untouched rows that the payload names but does not change
 * @throws ServiceError FORBIDDEN; INVALID_PAYLOAD for an item of a collection that is not allowed
 */
export async function checkLinks(work: Work, untouched: readonly RowNode[]): Promise<void> {
  const { write } = work;
  if (untouched.length > 0) {
    await requireReadable(write, keyColumns(write.collection), untouched.map(keyOfRow));
  }
  const relations = judgedRelations(work);
  if (relations.length === 0) return;
  for (const { end, rows } of await linksOf(work, relations)) {
    await requireReadable(placeOf(write, end.collection), end.columns, rows);
  }
}

/** Whether rows refer to other rows that the caller must be able to read. */
export async function hasLinks(work: Work): Promise<boolean> {
  const relations = judgedRelations(work);
  return relations.length > 0 && (await linksOf(work, relations)).length > 0;
}
