/** Changes fields: the changed properties of their columns, and the metadata. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import { identifier, raw, type Sql, sql } from '#core/database/sql.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import type { TableDescriptor } from '#core/model/catalog/descriptor.ts';
import { isBuiltIn } from '#core/model/catalog/system-descriptors.ts';
import { columnTypeName, commentOn, maxLengthOf } from '../column-type.ts';
import { defaultExpression } from '../default-sql.ts';
import { defaultValue } from '../read-default.ts';
import type { ColumnTypeName, FieldPatch } from '../schema-change.ts';
import type { Alteration, LockMode, TableLock } from '../schema-change-context.ts';
import { changeColumnType, checkTypeChange } from './change-type.ts';
import { refuseViews } from './column-dependents.ts';
import { alterTable } from './field.ts';
import { writeFieldMeta } from './field-meta.ts';
import { type ColumnPlan, type FieldPlan, indexesOn, planFieldPatch } from './field-patch.ts';
import { requireCollection, requireField } from './find-target.ts';

/** System collections allow only changes of indexes. */
function refuseSystem(collection: Collection, patches: readonly FieldPatch[]): void {
  const { name } = collection;
  for (const { field, type, meta, schema } of patches) {
    if (!isBuiltIn(collection, field)) continue;
    const members = Object.keys(schema ?? {});
    const only = members.length > 0 && members.every((member) => member === 'is_indexed');
    if (type === undefined && !meta && only) continue;
    throw invalidPayload(reason('system_field_only_indexed', { name }), { field });
  }
}

function refuseTwice(patches: readonly FieldPatch[]): void {
  const names = new Set<string>();
  for (const { field } of patches) {
    if (names.has(field)) throw invalidPayload(reason('field_named_twice', { field }), { field });
    names.add(field);
  }
}

/** The change needs a lock that excludes readers too. */
function locksOut({ type, default: value, nullable, unique, indexed }: ColumnPlan): boolean {
  return (
    [type, value, nullable].some((part) => part !== null) || unique === false || indexed === false
  );
}

/** The tables at the other end of foreign keys on the column, which PostgreSQL checks again. */
function neighbours({ catalog }: Alteration, { table, field }: ColumnPlan): TableLock[] {
  const own = table.foreignKeys
    .filter(({ columns }) => columns.includes(field.name))
    .map(({ targetSchema, targetTable }) => ({ schema: targetSchema, name: targetTable }));
  const others = [...catalog.collections.values()].flatMap(({ table: other }) =>
    other?.foreignKeys.some(
      ({ targetSchema, targetTable, targetColumns }) =>
        targetSchema === table.schema &&
        targetTable === table.name &&
        targetColumns.includes(field.name),
    )
      ? [other]
      : [],
  );
  return [...own, ...others].map(({ schema, name }) => ({ schema, name }));
}

/** Only plain tables can be indexed concurrently with writes. */
function isBuiltLater({ concurrently }: Alteration, { kind }: TableDescriptor): boolean {
  return concurrently && kind === 'table';
}

async function lock(alteration: Alteration, plans: readonly ColumnPlan[]): Promise<void> {
  const tables = new Map<string, TableLock>();
  const add = ({ schema, name }: TableLock, mode: LockMode) => {
    const key = JSON.stringify([schema, name]);
    if (tables.get(key)?.mode !== 'ACCESS EXCLUSIVE') tables.set(key, { schema, name, mode });
  };
  for (const plan of plans) {
    if (locksOut(plan)) add(plan.table, 'ACCESS EXCLUSIVE');
    else if ((plan.unique || plan.indexed) && !isBuiltLater(alteration, plan.table)) {
      add(plan.table, 'SHARE ROW EXCLUSIVE');
    }
    if (plan.type === null) continue;
    for (const table of neighbours(alteration, plan)) add(table, 'ACCESS EXCLUSIVE');
  }
  if (tables.size > 0) await alteration.lock([...tables.values()]);
}

/** The default of the column after a change of its type: the given one, or the old one. */
function keptDefault({ field, default: given }: ColumnPlan): unknown {
  if (given !== null) return given.value;
  return defaultValue(field.column, field.type);
}

async function changeType(alteration: Alteration, plan: ColumnPlan, collection: Collection) {
  const { field, table, type: target } = plan;
  if (target === null) return;
  await refuseViews(alteration, table, [field.name]);
  const counts = field.column.identity !== null || field.column.sequence !== null;
  if (counts && target.type !== 'integer' && target.type !== 'bigInteger') {
    const why = reason('counting_field_type_fixed', { name: field.name });
    throw invalidPayload(why, { field: field.name });
  }
  const column = identifier(field.name);
  const hadDefault = !counts && field.column.defaultExpression !== null;
  // A default is not converted with the values; it is created again for the new type.
  if (hadDefault) await alteration.run(alterTable(table, sql`ALTER COLUMN ${column} DROP DEFAULT`));
  await changeColumnType(alteration, { collection, table, field, target });
  if (counts) await widenSequence(alteration, plan, target.type);
  if (hadDefault) await setDefault(alteration, plan, target.type, keptDefault(plan));
}

/** Enlarges the sequence, because that of a smaller type would end too early. */
async function widenSequence(
  alteration: Alteration,
  { field }: ColumnPlan,
  type: ColumnTypeName,
): Promise<void> {
  const { sequence } = field.column;
  if (sequence === null) return;
  const name = identifier(...sequence);
  const as = raw(type === 'bigInteger' ? 'bigint' : 'integer');
  await alteration.run(sql`ALTER SEQUENCE ${name} AS ${as}`);
}

async function setDefault(
  alteration: Alteration,
  { field, table, type: target }: ColumnPlan,
  type: ColumnTypeName,
  value: unknown,
): Promise<void> {
  const { maxLength } = field.column;
  const longest = target === null ? maxLength : maxLengthOf(type, { max_length: target.length });
  const expression = defaultExpression(type, value, longest);
  const action = expression === null ? raw('DROP DEFAULT') : sql`SET DEFAULT ${expression}`;
  await alteration.run(alterTable(table, sql`ALTER COLUMN ${identifier(field.name)} ${action}`));
}

async function makeRequired(alteration: Alteration, plan: ColumnPlan, collection: string) {
  const { field, table } = plan;
  const column = identifier(field.name);
  const [{ rows } = { rows: 0 }] = await alteration.ask<{ rows: number }>(
    sql`SELECT count(*)::float8 AS rows FROM ${identifier(table.schema, table.name)}
      WHERE ${column} IS NULL`,
  );
  if (rows > 0) {
    const why = reason('items_without_value', { rows, collection, name: field.name });
    const place = { collection, field: field.name };
    throw new ServiceError('CONTAINS_NULL_VALUES', { ...place, rows, reason: why });
  }
  await alteration.run(alterTable(table, sql`ALTER COLUMN ${column} SET NOT NULL`));
}

/** Drops the indexes on the column alone, and their constraints. */
async function dropIndexes(
  alteration: Alteration,
  table: TableDescriptor,
  column: string,
  unique: boolean,
): Promise<void> {
  for (const { name, unique: isUnique } of indexesOn(table, column)) {
    if (isUnique !== unique) continue;
    const constraint = table.uniques.some((one) => one.name === name);
    const statement: Sql = constraint
      ? alterTable(table, sql`DROP CONSTRAINT ${identifier(name)}`)
      : sql`DROP INDEX ${identifier(table.schema, name)}`;
    await alteration.run(statement);
  }
}

async function carryOut(alteration: Alteration, collection: Collection, plan: ColumnPlan) {
  const { field, table, nullable, comment } = plan;
  const column = identifier(field.name);
  const type = plan.type?.type ?? columnTypeName(field.type);
  // Drops the indexes first, because the new type may not be indexable.
  if (plan.unique === false) await dropIndexes(alteration, table, field.name, true);
  if (plan.indexed === false) await dropIndexes(alteration, table, field.name, false);
  await changeType(alteration, plan, collection);
  if (plan.default !== null && (plan.type === null || field.column.defaultExpression === null)) {
    await setDefault(alteration, plan, type, plan.default.value);
  }
  if (nullable === true) {
    await alteration.run(alterTable(table, sql`ALTER COLUMN ${column} DROP NOT NULL`));
  }
  if (nullable === false) await makeRequired(alteration, plan, collection.name);
  const order = { collection: collection.name, field: field.name, table };
  for (const [wanted, unique] of [
    [plan.unique, true],
    [plan.indexed, false],
  ] as const) {
    if (wanted === true) await alteration.index({ ...order, unique });
  }
  if (comment !== null) await alteration.run(commentOn(table, field.name, comment.text));
}

/**
 * Changes fields of one collection, all or none.
 * @throws FORBIDDEN for an unknown field
 * @throws INVALID_PAYLOAD for impossible changes of this kind of field, and for changes of a system
 *   field besides its index
 * @throws UNPROCESSABLE_ENTITY when values would be lost or views depend on a column
 * @throws CONTAINS_NULL_VALUES when a field becomes required and items lack its value
 */
export async function updateFields(
  alteration: Alteration,
  name: string,
  patches: readonly FieldPatch[],
): Promise<void> {
  const collection = requireCollection(alteration.catalog, name);
  refuseTwice(patches);
  refuseSystem(collection, patches);
  const plans: FieldPlan[] = [];
  for (const patch of patches) {
    const field = requireField(collection, patch.field);
    plans.push(await planFieldPatch(alteration, collection, field, patch));
  }
  const columns = plans.flatMap(({ column }) => column ?? []);
  for (const { field, table, type: target } of columns) {
    if (target === null) continue;
    await refuseViews(alteration, table, [field.name]);
    await checkTypeChange(alteration, { collection, table, field, target });
  }
  await lock(alteration, columns);
  for (const plan of columns) await carryOut(alteration, collection, plan);
  for (const { name: field, meta } of plans) {
    if (meta !== null) await writeFieldMeta(alteration, { collection: name, field }, meta);
  }
}
