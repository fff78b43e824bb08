/**
 * Judges and prepares everything that a payload asks for before the first row is written, each
 * level by the rights to its own collection and action.
 */
import { render, type Sql, sql } from '#core/database/sql.ts';
import { forbidden, ServiceError, ServiceErrors } from '#core/errors/service-error.ts';
import { anyKeyCondition } from '#core/query/compile/key.ts';
import { contextOf } from '#core/query/compile/read.ts';
import { openScope, rowRule, tableSql, whereSql } from '#core/query/compile/scope.ts';
import { distinctKeys, type Key, keyOfBody } from '#core/query/key.ts';
import { judgeChanges, judgeCreation, judgeDeletion } from '../judge.ts';
import type { Item } from '../payload.ts';
import { PENDING } from '../payload.ts';
import { Preparation, type Prepared } from '../prepare.ts';
import type { Write } from '../target.ts';
import type { Place } from './plan.ts';
import type { WriteOf } from './resolve.ts';
import type { Node, ToManyWork, Work } from './work.ts';

/** The item as rights see it: with the lists that it brings. */
function judged({ item, lists }: Node): Item {
  return { ...Object.fromEntries(lists.map((name) => [name, PENDING])), ...item };
}

/** The rows of a level that are created, or those that are changed: a bare key changes nothing. */
export function writtenNodes(work: Work, action: 'create' | 'update'): Node[] {
  const nodes = work.nodes.filter((node) => node.action === action);
  if (action === 'create' || work.root) return nodes;
  const primary = new Set(work.write.collection.primaryKey.map((field) => field.name));
  return nodes.filter(({ item, lists }) => {
    return lists.length > 0 || Object.keys(item).some((name) => !primary.has(name));
  });
}

/** The key of a row that exists. */
export function keyOfNode({ key }: Node): Key {
  if (key === null) throw new TypeError('a row that is not written yet has no key');
  return key;
}

/** The error with the place of its item in the payload. */
function placed(error: ServiceError, place: Place): ServiceError {
  const names = place.filter((part, index) => index > 0 || typeof part === 'string');
  const [top, ...below] = names;
  if (top === undefined) return error;
  const { field, path, ...rest } = error.details;
  const inner = [
    ...(typeof field === 'string' ? [field] : []),
    ...(Array.isArray(path) ? path : []),
  ];
  return new ServiceError(
    error.code,
    { ...rest, field: top, path: [...below, ...inner] },
    { cause: error, headers: error.headers },
  );
}

/** Runs what may refuse one item; its errors say where in the payload the item stands. */
async function atPlace<T>(place: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceErrors) {
      const [first, ...rest] = error.errors;
      throw new ServiceErrors([placed(first, place), ...rest.map((one) => placed(one, place))]);
    }
    if (error instanceof ServiceError && error.details.field !== undefined) {
      throw placed(error, place);
    }
    throw error;
  }
}

async function prepare(work: Work, action: 'create' | 'update'): Promise<void> {
  const nodes = writtenNodes(work, action);
  if (nodes.length === 0) return;
  const preparation = new Preparation(work.write, action);
  // Items that were sent once for many keys are prepared once.
  const known = new Map<Item, Prepared>();
  for (const node of nodes) {
    const prepared =
      known.get(node.item) ?? (await atPlace(node.place, () => preparation.of(node.item)));
    known.set(node.item, prepared);
    node.stored = prepared.item;
    node.row = prepared.row;
  }
}

/** How many of the keys belong to items that the caller may read. */
function readableCount(write: Write, keys: readonly Key[]): Sql {
  const context = contextOf(write.target, { backlink: true }, { reusable: false, columns: [] });
  const scope = openScope(context, write.collection.name);
  const where = whereSql([anyKeyCondition(scope, keys), rowRule(scope)]);
  return sql`SELECT count(*)::int FROM ${tableSql(scope)}${where}`;
}

/** @throws ServiceError FORBIDDEN unless the caller may read all items that are linked by key */
async function judgeLinks(write: Write, keys: readonly Key[]): Promise<void> {
  const distinct = distinctKeys(keys);
  if (distinct.length === 0 || write.target.rights.admin) return;
  if (write.target.grants.of(write.collection.name) === null) throw forbidden();
  const { text, values } = render(readableCount(write, distinct));
  const { rows } = await write.client.query<[number]>({ text, values, rowMode: 'array' });
  if (rows[0]?.[0] !== distinct.length) throw forbidden();
}

/** The keys under the fields of a level that refer to other items, by the collection they are in. */
function linkedKeys(work: Work): Map<string, Key[]> {
  const { write, nodes } = work;
  const { catalog } = write.target;
  const found = new Map<string, Key[]>();
  for (const relation of catalog.relations.get(write.collection.name)?.values() ?? []) {
    if (relation.kind !== 'm2o' && relation.kind !== 'a2o') continue;
    const [column, ...more] = relation.many.columns;
    if (column === undefined || more.length > 0) continue;
    for (const node of nodes) {
      const value = node.item[relation.field];
      if (typeof value !== 'string' && typeof value !== 'number') continue;
      const name =
        relation.kind === 'm2o' ? relation.one.collection : node.item[relation.discriminator];
      const target = typeof name === 'string' ? catalog.collections.get(name) : undefined;
      if (target === undefined || target.primaryKey.length !== 1) continue;
      found.set(target.name, [...(found.get(target.name) ?? []), keyOfBody(target, value)]);
    }
  }
  return found;
}

async function judgeTaken({ step, taken }: ToManyWork): Promise<void> {
  if (taken.nodes.length === 0) return;
  if (step.relation.deselect === 'delete') {
    await judgeDeletion(taken.write, taken.nodes.map(keyOfNode));
    return;
  }
  await judgeLevel(taken);
}

async function judgeLevel(work: Work): Promise<void> {
  const { write } = work;
  const created = writtenNodes(work, 'create');
  if (created.length > 0) judgeCreation(write, created.map(judged));
  const changed = writtenNodes(work, 'update');
  if (changed.length > 0) {
    await judgeChanges(
      write,
      changed.map((node) => ({ key: keyOfNode(node), item: judged(node) })),
    );
  }
  await prepare(work, 'create');
  await prepare(work, 'update');
}

/**
 * Judges and prepares a piece of work with all below it.
 * @throws ServiceError FORBIDDEN; ServiceErrors FAILED_VALIDATION naming the place
 */
export async function judgeWork(work: Work, writeOf: WriteOf): Promise<void> {
  for (const { work: targets } of work.toOne) {
    await judgeWork(targets, writeOf);
    const kept = targets.nodes.filter(({ action }) => action === 'keep');
    await judgeLinks(targets.write, kept.map(keyOfNode));
  }
  if (!work.write.target.rights.admin) {
    for (const [name, keys] of linkedKeys(work)) await judgeLinks(writeOf(name), keys);
  }
  await judgeLevel(work);
  for (const step of work.toMany) {
    await judgeTaken(step);
    await judgeWork(step.work, writeOf);
  }
}
