/** Applies a diff completely in one transaction, or not at all. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { catalogWithout } from '../catalog-without.ts';
import { type DiffPlan, planDiff } from '../plan-diff.ts';
import type { Alteration, TableLock } from '../schema-change-context.ts';
import {
  type Snapshot,
  type SnapshotCollection,
  type SnapshotRelation,
  snapshotHash,
  takeSnapshot,
} from '../snapshot.ts';
import type { SchemaDiff } from '../snapshot-diff.ts';
import {
  changeCollections,
  changeFields,
  changeRelations,
  changeSystemFields,
} from './apply-changed.ts';
import { createSnapshotCollections, createSnapshotFields, tableNamed } from './apply-new.ts';
import { createSnapshotRelation, foreignKeyRequest } from './apply-new-relation.ts';
import { applyRights } from './apply-rights.ts';
import { deleteCollection } from './collection-delete.ts';
import { dependentsFirst } from './column-dependents.ts';
import { removeFields } from './field-delete.ts';
import { dropForeignKey } from './foreign-key.ts';
import { deleteRelationRow } from './relation-meta.ts';

/** A diff and the hash of the schema on which it is based. */
export interface SnapshotChanges {
  /** The hash of that schema. */
  readonly hash: string;
  readonly diff: SchemaDiff;
  /** Apply it although the schema has changed since, and lose incompatible values. */
  readonly force: boolean;
}

/** Locks all tables at once, so that the change never waits for another lock later. */
function locksOf(alteration: Alteration, plan: DiffPlan): TableLock[] {
  const strong = new Set([
    ...plan.collections.gone.map(({ collection }) => collection),
    ...[plan.collections, plan.fields].flatMap(({ gone, made }) =>
      [...gone, ...made].map(({ collection }) => collection),
    ),
    ...plan.fields.changed.map(({ now }) => now.collection),
  ]);
  const weak = new Set<string>();
  const ends = ({ collection, related_collection: related }: SnapshotRelation) =>
    related === null ? [collection] : [collection, related];
  for (const relation of plan.relations.gone) for (const end of ends(relation)) strong.add(end);
  for (const { now } of plan.relations.changed) for (const end of ends(now)) strong.add(end);
  for (const relation of plan.relations.made) for (const end of ends(relation)) weak.add(end);
  return [...new Set([...strong, ...weak])].flatMap((name): TableLock[] => {
    const table = alteration.catalog.collections.get(name)?.table ?? null;
    if (table?.kind !== 'table' && table?.kind !== 'partitioned') return [];
    const mode = strong.has(name) ? 'ACCESS EXCLUSIVE' : 'SHARE ROW EXCLUSIVE';
    return [{ schema: table.schema, name: table.name, mode }];
  });
}

/** Drops relations while their fields still exist. */
async function dropRelations(alteration: Alteration, plan: DiffPlan): Promise<Alteration> {
  const gone = new Map<string, Map<string, string | null>>();
  for (const relation of plan.relations.gone) {
    const { collection, field, schema, meta } = relation;
    const name = schema?.constraint_name;
    const constraint = typeof name === 'string' ? name : null;
    if (constraint !== null) {
      await dropForeignKey(alteration, {
        table: tableNamed(alteration, collection),
        name: constraint,
      });
    }
    if (meta !== null) await deleteRelationRow(alteration, relation);
    gone.set(collection, (gone.get(collection) ?? new Map()).set(field, constraint));
  }
  if (gone.size === 0) return alteration;
  return { ...alteration, catalog: await catalogWithout(alteration.catalog, { relations: gone }) };
}

async function dropFields(alteration: Alteration, plan: DiffPlan): Promise<Alteration> {
  if (plan.fields.gone.length === 0) return alteration;
  await removeFields(alteration, plan.fields.gone);
  const fields = new Map<string, Set<string>>();
  for (const { collection, field } of plan.fields.gone) {
    fields.set(collection, (fields.get(collection) ?? new Set()).add(field));
  }
  return { ...alteration, catalog: await catalogWithout(alteration.catalog, { fields }) };
}

/** Drops collections of one kind, and removes them from the catalog. */
async function dropCollections(
  alteration: Alteration,
  names: readonly string[],
): Promise<Alteration> {
  if (names.length === 0) return alteration;
  for (const name of names) await deleteCollection(alteration, name);
  return {
    ...alteration,
    catalog: await catalogWithout(alteration.catalog, { collections: new Set(names) }),
  };
}

/** The collections to drop: the views in a possible order, and the other collections. */
async function droppedCollections(alteration: Alteration, plan: DiffPlan) {
  const isView = ({ schema }: SnapshotCollection) => String(schema?.kind ?? '').endsWith('view');
  const views = plan.collections.gone.filter(isView);
  const others = plan.collections.gone.filter((collection) => !isView(collection));
  const nameOf = ({ collection }: SnapshotCollection) => collection;
  return {
    views: await dependentsFirst(alteration, views.map(nameOf)),
    others: others.map(nameOf),
  };
}

/** The columns of collections after their fields are created. */
function columnsAfter({ catalog }: Alteration, plan: DiffPlan) {
  const made = new Map<string, Set<string>>();
  for (const { collection, field, schema } of plan.fields.made) {
    if (schema === null) continue;
    made.set(collection, (made.get(collection) ?? new Set()).add(field));
  }
  return (name: string): ReadonlySet<string> => {
    const columns = catalog.collections.get(name)?.table?.columns ?? [];
    return new Set([...columns.map((column) => column.name), ...(made.get(name) ?? [])]);
  };
}

async function makeRelations(
  alteration: Alteration,
  plan: DiffPlan,
  columns: (collection: string) => ReadonlySet<string>,
): Promise<void> {
  const { collections } = alteration.catalog;
  for (const relation of plan.relations.made) {
    const order = foreignKeyRequest(alteration, relation, columns);
    const { collection, field, related_collection: related } = relation;
    const isOld = collections.get(collection)?.fields.has(field) && collections.has(related ?? '');
    await createSnapshotRelation(alteration, relation, order, !isOld);
  }
}

/** Deletes metadata of parts that remain. */
async function forgetMetadata({ run, system }: Alteration, plan: DiffPlan): Promise<void> {
  for (const { now, next } of plan.fields.changed) {
    if (now.meta === null || next.meta !== null) continue;
    await run(sql`
      DELETE FROM ${systemTable(system, 'fields')}
      WHERE collection = ${now.collection} AND field = ${now.field}`);
  }
  for (const { now, next } of plan.collections.changed) {
    if (now.meta === null || next.meta !== null) continue;
    await run(sql`
      DELETE FROM ${systemTable(system, 'collections')} WHERE collection = ${now.collection}`);
  }
}

async function carryOut(alteration: Alteration, plan: DiffPlan): Promise<void> {
  const locks = locksOf(alteration, plan);
  if (locks.length > 0) await alteration.lock(locks);
  const { views, others } = await droppedCollections(alteration, plan);
  // Views are dropped before the tables that they read.
  const withoutViews = await dropCollections(alteration, views);
  const withoutRelations = await dropRelations(withoutViews, plan);
  const withoutFields = await dropFields(withoutRelations, plan);
  const left = await dropCollections(withoutFields, others);
  const isNew = new Set(plan.collections.made.map(({ collection }) => collection));
  const within = plan.fields.made.filter(({ collection }) => isNew.has(collection));
  const beside = plan.fields.made.filter(({ collection }) => !isNew.has(collection));
  await createSnapshotCollections(left, {
    collections: plan.collections.made,
    fields: within,
    described: plan.collections.changed.flatMap(({ now, next }) => (now.meta === null ? next : [])),
  });
  await createSnapshotFields(left, beside);
  await changeCollections(left, plan.collections.changed);
  await forgetMetadata(left, plan);
  await changeFields(left, plan.fields.changed);
  await changeSystemFields(left, plan.systemFields);
  const columns = columnsAfter(left, plan);
  await makeRelations(left, plan, columns);
  await changeRelations(left, plan.relations.changed, columns);
}

/** @throws ServiceError INVALID_PAYLOAD when the diff is based on another schema */
async function refuseStale(current: Snapshot, { hash, force }: SnapshotChanges): Promise<void> {
  if (force || hash === (await snapshotHash(current))) return;
  throw invalidPayload(reason('diff_outdated'));
}

/**
 * Applies a diff.
 * @throws ServiceError INVALID_PAYLOAD when the diff is outdated or does not match the schema;
 *   UNPROCESSABLE_ENTITY for impossible changes, or changes that would lose values without force
 */
export async function applyDiff(
  alteration: Alteration,
  application: SnapshotChanges,
): Promise<void> {
  const current = await takeSnapshot(alteration.catalog);
  await refuseStale(current, application);
  await carryOut(alteration, planDiff(current, application.diff));
  await applyRights(alteration, application.diff);
}
