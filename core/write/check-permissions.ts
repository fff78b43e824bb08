/**
 * Checks the caller's permissions before a write changes the first row: the fields in the payload,
 * and the existing items to change. One forbidden item rejects the whole request.
 */
import type { Permission } from '#core/access/rights.ts';
import { reason } from '#core/base/errors/reason.ts';
import { refusal } from '#core/base/errors/refusal.ts';
import { forbidden, ServiceError } from '#core/base/errors/service-error.ts';
import { TimeSlice } from '#core/base/process/time-slice.ts';
import { bareType } from '#core/database/column-type.ts';
import { rowsOf } from '#core/database/prepared.ts';
import { identifier, join, render, type Sql, sql } from '#core/database/sql.ts';
import type { Key } from '#core/query/key.ts';
import type { Filter } from '#core/query/query.ts';
import { permittedChangeRows, rowsWithRuleResults } from '#core/read/sql/table-rows.ts';
import type { Action, Item } from './payload.ts';
import type { ItemUpdate, WriteContext } from './write-context.ts';

/**
 * The members of an item that a permission must cover. On update, key members only identify the
 * item.
 */
function members(write: WriteContext, action: Action, item: Item): string[] {
  const names = Object.keys(item).filter((name) => item[name] !== undefined);
  if (action === 'create') return names;
  const key = new Set(write.collection.primaryKey.map((field) => field.name));
  return names.filter((name) => !key.has(name));
}

/** The names that no permission covers. */
function uncovered(permissions: readonly Permission[], names: readonly string[]): string[] {
  if (permissions.some(({ fields }) => fields === null)) return [];
  return names.filter((name) => !permissions.some(({ fields }) => fields?.has(name)));
}

function noFields({ collection }: WriteContext, action: Action, names: readonly string[]): Error {
  return refusal({ collection: collection.name, fields: names }, { to: action });
}

/** The error for a caller that may not perform an action on any item of a collection. */
export function actionForbidden(collection: string, action: Action | 'delete'): Error {
  return refusal({ collection }, { to: `${action} items in` });
}

function permissionsFor(write: WriteContext, action: Action | 'delete'): readonly Permission[] {
  const { name } = write.collection;
  const permissions = write.target.rights.of(name, action);
  if (permissions.length > 0) return permissions;
  throw actionForbidden(name, action);
}

/** Rejects columns that requests may never write in this collection. */
function checkWritable(write: WriteContext, names: readonly string[]): void {
  const { writable } = write.rule;
  if (writable === null) return;
  const { fields } = write.collection;
  const refused = names.filter((name) => !writable.has(name) && fields.get(name)?.column);
  const [first] = refused;
  if (first === undefined) return;
  throw forbidden(reason('field_kept_by_server', { first, name: write.collection.name }));
}

/** @throws ServiceError FORBIDDEN unless the caller may create the item */
export function checkItemCreation(
  write: WriteContext,
  item: Item,
  permissions = permissionsFor(write, 'create'),
): void {
  const names = members(write, 'create', item);
  checkWritable(write, names);
  const refused = uncovered(permissions, names);
  if (refused.length > 0) throw noFields(write, 'create', refused);
}

/** @throws ServiceError FORBIDDEN unless the caller may create each of the items */
export async function checkCreation(write: WriteContext, items: readonly Item[]): Promise<void> {
  const permissions = permissionsFor(write, 'create');
  const slice = new TimeSlice();
  for (const item of items) {
    if (slice.isOver()) await slice.pause();
    checkItemCreation(write, item, permissions);
  }
}

/** For each key, in order, whether each of the rules holds for its item. */
function rulesStatement(write: WriteContext, keys: readonly Key[], rules: readonly Filter[]): Sql {
  const table = rowsWithRuleResults(
    { ...write.target, collection: write.collection.name },
    rules,
    write.now,
  );
  const fields = write.collection.primaryKey;
  const arrays = fields.map((_, part) => sql`${keys.map((key) => key[part] ?? null)}::text[]`);
  const names = fields.map((_, part) => identifier(`k${part + 1}`));
  const match = fields.map(
    (field, part) =>
      sql`${table.column(field.column.name)} = ${identifier('k', `k${part + 1}`)}::${bareType(field.column)}`,
  );
  return sql`SELECT ${join(table.verdicts)} FROM ${table.from} JOIN unnest(${join(arrays)}) WITH ORDINALITY AS k(${join([...names, identifier('n')])}) ON ${join(match, ' AND ')} ORDER BY k.n`;
}

/** For each key, in order, the permissions whose rules hold for its item. */
async function permissionsOf(
  write: WriteContext,
  keys: readonly Key[],
  permissions: readonly Permission[],
): Promise<(readonly Permission[])[]> {
  const rules = [...new Set(permissions.flatMap(({ rule }) => (rule === null ? [] : [rule])))];
  if (rules.length === 0) return keys.map(() => permissions);
  const statement = render(rulesStatement(write, keys, rules));
  const rows = await rowsOf<boolean[]>(write.client, statement);
  return keys.map((_, place) => {
    const verdicts = new Map(rules.map((rule, index) => [rule, rows[place]?.[index] === true]));
    return permissions.filter(({ rule }) => rule === null || verdicts.get(rule) === true);
  });
}

/**
 * Checks permissions for changes of locked items.
 * @throws ServiceError FORBIDDEN unless the permissions that hold for each current item cover all
 * of its new members
 */
export async function checkUpdates(
  write: WriteContext,
  changes: readonly ItemUpdate[],
): Promise<void> {
  const permissions = permissionsFor(write, 'update');
  const slice = new TimeSlice();
  const named = await slice.map(changes, ({ item }) => {
    const names = members(write, 'update', item);
    checkWritable(write, names);
    return names;
  });
  const always = permissions.filter(({ rule }) => rule === null);
  const all = new Set(named.flat());
  if (always.length > 0 && uncovered(always, [...all]).length === 0) return;
  const keys = changes.map(({ key }) => key);
  const holding = await permissionsOf(write, keys, permissions);
  for (const [place, found] of holding.entries()) {
    if (found.length === 0) throw forbidden();
    const refused = uncovered(found, named[place] ?? []);
    if (refused.length > 0) throw noFields(write, 'update', refused);
  }
}

/** @throws ServiceError FORBIDDEN unless a permission to delete holds for each of the locked items */
export async function checkDeletion(write: WriteContext, keys: readonly Key[]): Promise<void> {
  const permissions = permissionsFor(write, 'delete');
  if (permissions.some(({ rule }) => rule === null)) return;
  const holding = await permissionsOf(write, keys, permissions);
  if (holding.some((found) => found.length === 0)) throw forbidden();
}

/**
 * The permissions that must hold for an item so that they cover all of its new members. At least
 * one permission of each list must hold. Null when no permission covers some member.
 */
export function coveringPermissions(
  permissions: readonly Permission[],
  names: readonly string[],
): readonly (readonly Permission[])[] | null {
  const [only] = permissions;
  if (permissions.length === 1 && only?.fields === null) {
    return only.rule === null ? [] : [permissions];
  }
  const covering = [
    permissions,
    ...names.map((name) => permissions.filter(({ fields }) => fields === null || fields.has(name))),
  ];
  if (covering.some((set) => set.length === 0)) return null;
  const demanding = covering.filter((set) => set.every(({ rule }) => rule !== null));
  const distinct = new Map(
    demanding.map((set) => [set.map((one) => permissions.indexOf(one)).join(), set]),
  );
  return [...distinct.values()];
}

/**
 * The condition for the rows of `t` that the caller may possibly change, so that a caller never
 * locks other rows. Null when it permits all rows, or when only the full check can decide.
 */
export function permittedRows(write: WriteContext, action: 'update' | 'delete'): Sql | null {
  const { target, collection, now } = write;
  const rules = target.rights.of(collection.name, action).map(({ rule }) => rule);
  if (rules.length === 0) return sql`FALSE`;
  const filters = rules.filter((rule) => rule !== null);
  if (filters.length === 0 || filters.length < rules.length) return null;
  try {
    return permittedChangeRows({ ...target, collection: collection.name }, [filters], now)
      .condition;
  } catch (error) {
    // The full check reports the fault of the rule.
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

/** @throws ServiceError FORBIDDEN when no permission allows the action */
export function requireAction(write: WriteContext, action: Action | 'delete'): void {
  permissionsFor(write, action);
}
