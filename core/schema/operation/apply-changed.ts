/** Changes existing collections, fields and relations to match a snapshot. */

import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { identifier, literal, raw, render, sql } from '#core/database/sql.ts';
import { columnType, isColumnType } from '../column-type.ts';
import { differences } from '../json-difference.ts';
import { collectionMetaInput, relationMetaInput } from '../metadata-input.ts';
import type { ChangedEntry } from '../plan-diff.ts';
import type { FieldPatch } from '../schema-change.ts';
import type { Alteration } from '../schema-change-context.ts';
import type {
  SnapshotCollection,
  SnapshotField,
  SnapshotRelation,
  SnapshotSystemField,
} from '../snapshot.ts';
import { type ColumnSchema, columnSchema, exactType } from '../snapshot-column.ts';
import { describeField, parsedMeta, tableNamed } from './apply-new.ts';
import { foreignKeyRequest } from './apply-new-relation.ts';
import { writeCollection } from './collection-meta.ts';
import { alterTable } from './field.ts';
import { updateFields } from './field-update.ts';
import { replaceForeignKey } from './foreign-key.ts';
import { deleteRelationRow, insertRelation, updateRelationRow } from './relation-meta.ts';

function differ(a: unknown, b: unknown): boolean {
  return differences(a, b).length > 0;
}

/** Comments of tables, and rows of metadata. */
export async function changeCollections(
  alteration: Alteration,
  changes: readonly ChangedEntry<SnapshotCollection>[],
): Promise<void> {
  for (const { now, next } of changes) {
    const { collection, meta, schema } = next;
    if (schema !== null && differ(now.schema?.comment, schema.comment)) {
      const { schema: place, name } = tableNamed(alteration, collection);
      const comment = typeof schema.comment === 'string' ? literal(schema.comment) : raw('NULL');
      await alteration.run(sql`COMMENT ON TABLE ${identifier(place, name)} IS ${comment}`);
    }
    // A first row is created together with the rows of new collections.
    if (meta === null || now.meta === null || !differ(now.meta, meta)) continue;
    await writeCollection(alteration, {
      collection,
      meta: parsedMeta(collectionMetaInput, meta, collection),
    });
  }
}

const TYPE_MEMBERS = ['data_type', 'max_length', 'numeric_precision', 'numeric_scale'] as const;
const OTHER_MEMBERS = [
  'default_value',
  'is_nullable',
  'is_unique',
  'is_indexed',
  'comment',
] as const;

/** Types between which a value is converted without loss or not at all. */
const SIBLINGS: readonly (readonly string[])[] = [
  ['smallint', 'integer'],
  ['json', 'jsonb'],
];

/** The new type is only a variant of the old one, so PostgreSQL loses no value silently. */
function isSibling(before: ColumnSchema, after: ColumnSchema): boolean {
  const types = [before.data_type ?? '', after.data_type ?? ''];
  const [from, to] = types;
  if (from === to)
    return (after.max_length ?? null) === null && (after.numeric_precision ?? null) === null;
  if (from === 'real' && to === 'double precision') return true;
  return SIBLINGS.some((pair) => types.every((type) => pair.includes(type)));
}

/**
 * Changes the type of a column to one that the type of a field cannot express.
 * @returns whether it changed the type
 * @throws ServiceError UNPROCESSABLE_ENTITY when it is not possible
 */
async function exactRetype(
  alteration: Alteration,
  { now, next }: ChangedEntry<SnapshotField>,
): Promise<boolean> {
  const [before, after] = [columnSchema(now), columnSchema(next)];
  const { collection, field, type } = next;
  const exact = await exactType(alteration, next, after);
  if (now.type === type && isSibling(before, after)) {
    const table = tableNamed(alteration, collection);
    await alteration.run(alterTable(table, sql`ALTER COLUMN ${identifier(field)} TYPE ${exact}`));
    return true;
  }
  const text = render(exact).text;
  const usual = isColumnType(type) ? render(await columnType(alteration, type, after)).text : null;
  const isOther = now.type !== type && type !== 'unknown';
  const isUsual = text === usual && (isOther || before.data_type === after.data_type);
  if (isUsual) return false;
  const why = reason('type_unchangeable_here', { collection, field, type: text });
  throw new ServiceError('UNPROCESSABLE_ENTITY', { reason: why });
}

/** The other changes of a column; null without changes. */
async function patchOf(
  alteration: Alteration,
  change: ChangedEntry<SnapshotField>,
): Promise<FieldPatch | null> {
  const [before, after] = [columnSchema(change.now), columnSchema(change.next)];
  const { field, type } = change.next;
  const others = OTHER_MEMBERS.filter((member) => differ(before[member], after[member]));
  const measured = TYPE_MEMBERS.some((member) => differ(before[member], after[member]));
  const retyped = measured && !(await exactRetype(alteration, change));
  const members = retyped ? [...TYPE_MEMBERS, ...others] : others;
  if (members.length === 0) return null;
  const schema = Object.fromEntries(members.map((member) => [member, after[member]]));
  return { field, schema, ...(retyped && isColumnType(type) ? { type } : {}) };
}

/** Columns, and rows of metadata. */
export async function changeFields(
  alteration: Alteration,
  changes: readonly ChangedEntry<SnapshotField>[],
): Promise<void> {
  const patches = new Map<string, FieldPatch[]>();
  for (const change of changes) {
    if (change.next.schema === null) continue;
    const patch = await patchOf(alteration, change);
    const { collection } = change.next;
    if (patch !== null) patches.set(collection, [...(patches.get(collection) ?? []), patch]);
  }
  for (const [collection, list] of patches) await updateFields(alteration, collection, list);
  for (const { now, next } of changes) {
    if (differ(now.meta, next.meta)) await describeField(alteration, next);
  }
}

/** Indexes on fields of system collections. */
export async function changeSystemFields(
  alteration: Alteration,
  fields: readonly SnapshotSystemField[],
): Promise<void> {
  for (const { collection, field, schema } of fields) {
    await updateFields(alteration, collection, [{ field, schema }]);
  }
}

/** Actions of foreign keys, and rows of metadata. */
export async function changeRelations(
  alteration: Alteration,
  changes: readonly ChangedEntry<SnapshotRelation>[],
  columns: (collection: string) => ReadonlySet<string>,
): Promise<void> {
  for (const { now, next } of changes) {
    const { collection, field, related_collection: related, meta } = next;
    const order = differ(now.schema, next.schema)
      ? foreignKeyRequest(alteration, next, columns)
      : null;
    if (order !== null) await replaceForeignKey(alteration, order);
    if (!differ(now.meta, meta)) continue;
    if (meta === null) {
      await deleteRelationRow(alteration, next);
      continue;
    }
    const row = parsedMeta(relationMetaInput, meta, `the relation ${collection}.${field}`);
    if (now.meta === null)
      await insertRelation(alteration, { collection, field, related, meta: row });
    else await updateRelationRow(alteration, next, row);
  }
}
