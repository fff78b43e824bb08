/** Reads, checks and writes the rows of `system_relations`. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { identifier, join, sql } from '#core/database/sql.ts';
import { type Catalog, isColumn } from '#core/model/catalog/catalog.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { RelationMetaInput } from '../metadata-input.ts';
import type { Alteration } from '../schema-change-context.ts';
import { givenMembers } from './metadata-row.ts';

/** The identity of a relation: the referring collection and field. */
export interface RelationAddress {
  readonly collection: string;
  readonly field: string;
}

/** The complete row of a relation, with given and unchanged members. */
export interface RelationRow extends RelationAddress {
  /** Null: several collections (many-to-any). */
  readonly related: string | null;
  readonly meta: RelationMetaInput;
}

/** Checks that this member of the row contains another column of the referring collection. */
function requireColumn(catalog: Catalog, row: RelationRow, member: keyof RelationMetaInput): void {
  const name = row.meta[member] ?? null;
  if (name === null) return;
  if (name !== row.field && isColumn(catalog.collections.get(row.collection)?.fields.get(name)))
    return;
  throw invalidPayload(
    reason('relation_member_no_column', { member, name, collection: row.collection }),
  );
}

/**
 * Checks that the name of the reverse field is free: neither a column nor another relation uses it.
 */
function requireFreeName(catalog: Catalog, { collection, field, related, meta }: RelationRow) {
  const name = meta.one_field ?? null;
  if (name === null || related === null) return;
  if (name.trim() === '') throw invalidPayload(reason('one_field_empty'));
  if (isColumn(catalog.collections.get(related)?.fields.get(name))) {
    throw invalidPayload(reason('one_field_is_column', { name, related }));
  }
  for (const { descriptor } of catalog.collections.values()) {
    for (const { manyCollection, manyField, oneCollection, oneField } of descriptor.relations) {
      const own = manyCollection === collection && manyField === field;
      if (own || oneCollection !== related || oneField !== name) continue;
      throw invalidPayload(reason('one_field_taken', { name, related, manyCollection, manyField }));
    }
  }
}

function requireSeveral(catalog: Catalog, { meta }: RelationRow): void {
  const allowed = meta.one_allowed_collections?.split(',') ?? [];
  if ((meta.one_collection_field ?? null) === null || allowed.length === 0) {
    throw invalidPayload(reason('relation_members_missing'));
  }
  for (const name of allowed) {
    const collection = catalog.collections.get(name);
    if (collection === undefined) {
      throw invalidPayload(reason('allowed_collection_unknown', { name }));
    }
    if (collection.primaryKey.length !== 1) {
      throw invalidPayload(reason('target_without_single_key', { name }));
    }
  }
}

function refuseSeveral({ meta, related }: RelationRow): void {
  for (const member of ['one_collection_field', 'one_allowed_collections'] as const) {
    if ((meta[member] ?? null) === null) continue;
    throw invalidPayload(
      reason('member_of_other_relation_kind', { member, collection: related ?? '' }),
    );
  }
}

/**
 * Refuses a row with nonexistent references.
 * @throws INVALID_PAYLOAD
 */
export function checkRelation(catalog: Catalog, row: RelationRow): void {
  if (row.related === null) requireSeveral(catalog, row);
  else refuseSeveral(row);
  requireColumn(catalog, row, 'one_collection_field');
  requireColumn(catalog, row, 'junction_field');
  requireColumn(catalog, row, 'sort_field');
  requireFreeName(catalog, row);
}

/** Inserts the row of a relation. */
export function insertRelation(
  { run, system }: Alteration,
  { collection, field, related, meta }: RelationRow,
): Promise<void> {
  const row = {
    many_collection: collection,
    many_field: field,
    one_collection: related,
    ...meta,
  };
  const members = givenMembers(row);
  return run(sql`
    INSERT INTO ${systemTable(system, 'relations')}
      (${join(members.map(([name]) => identifier(name)))})
    VALUES (${join(members.map(([, value]) => sql`${value}`))})`);
}

/** Changes the given members of a row. */
export async function updateRelationRow(
  { run, system }: Alteration,
  { collection, field }: RelationAddress,
  meta: RelationMetaInput,
): Promise<void> {
  const members = givenMembers(meta);
  if (members.length === 0) return;
  const changes = members.map(([name, value]) => sql`${identifier(name)} = ${value}`);
  await run(sql`
    UPDATE ${systemTable(system, 'relations')} SET ${join(changes)}
    WHERE many_collection = ${collection} AND many_field = ${field}`);
}

/** Deletes the row of a relation, if it has one. */
export function deleteRelationRow(
  { run, system }: Alteration,
  { collection, field }: RelationAddress,
): Promise<void> {
  return run(sql`
    DELETE FROM ${systemTable(system, 'relations')}
    WHERE many_collection = ${collection} AND many_field = ${field}`);
}
