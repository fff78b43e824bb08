/**
 * Creates the relations that are in a snapshot but not in the database: foreign keys and metadata.
 */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import { indexName } from '../index-name.ts';
import { relationMetaInput } from '../metadata-input.ts';
import { relationSchemaInput } from '../schema-change.ts';
import type { Alteration } from '../schema-change-context.ts';
import type { SnapshotRelation } from '../snapshot.ts';
import { NAME_BYTES_MAX } from '../validate-name.ts';
import { parsedMeta, tableNamed } from './apply-new.ts';
import { addForeignKey, type ForeignKeyRequest, refuseOrphans } from './foreign-key.ts';
import { insertRelation } from './relation-meta.ts';

/**
 * The columns of a key from a comma-separated text; names may contain commas too. Null when no
 * split matches.
 */
function columnsOf(text: unknown, known: ReadonlySet<string>): string[] | null {
  if (typeof text !== 'string') return null;
  if (known.has(text)) return [text];
  for (let at = text.indexOf(','); at >= 0; at = text.indexOf(',', at + 1)) {
    if (!known.has(text.slice(0, at))) continue;
    const rest = columnsOf(text.slice(at + 1), known);
    if (rest !== null) return [text.slice(0, at), ...rest];
  }
  return null;
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= NAME_BYTES_MAX
    ? value
    : null;
}

/** The foreign key of a relation; its tables already exist. */
export function foreignKeyRequest(
  alteration: Alteration,
  { collection, field, related_collection: related, schema }: SnapshotRelation,
  columnNames: (collection: string) => ReadonlySet<string>,
): ForeignKeyRequest | null {
  if (schema === null) return null;
  if (related === null)
    throw invalidPayload(reason('relation_refers_to_nothing', { collection, field }));
  const { on_delete, on_update } = schema;
  const place = `the relation ${collection}.${field}`;
  const actions = parsedMeta(relationSchemaInput, { on_delete, on_update }, place);
  const columns = columnsOf(schema.column, columnNames(collection));
  const targetColumns = columnsOf(schema.foreign_key_column, columnNames(related));
  if (columns === null || columns.length !== targetColumns?.length) {
    const why = reason('relation_columns_unnamed', { collection, field, related });
    throw new ServiceError('UNPROCESSABLE_ENTITY', { collection, field, reason: why });
  }
  return {
    name: text(schema.constraint_name) ?? indexName(collection, field, 'foreign'),
    table: tableNamed(alteration, collection),
    columns,
    target: tableNamed(alteration, related),
    targetColumns,
    onDelete: actions.on_delete ?? 'NO ACTION',
    onUpdate: actions.on_update ?? 'NO ACTION',
  };
}

/**
 * Creates a relation: its foreign key, if any, and its metadata.
 * @param isNew the referring table is new, and therefore empty
 */
export async function createSnapshotRelation(
  alteration: Alteration,
  relation: SnapshotRelation,
  order: ForeignKeyRequest | null,
  isNew: boolean,
): Promise<void> {
  const { collection, field, related_collection: related, meta } = relation;
  if (order !== null) {
    if (!isNew && order.columns.length === 1) await refuseOrphans(alteration, relation, order);
    await addForeignKey(alteration, order);
  }
  if (meta === null) return;
  const row = parsedMeta(relationMetaInput, meta, `the relation ${collection}.${field}`);
  await insertRelation(alteration, { collection, field, related, meta: row });
}
