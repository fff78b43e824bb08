/** The response schemas of collections, fields, relations and snapshots. */
import * as v from 'valibot';
import { anyObjectSchema } from './value.ts';

const name = v.string();
/** A row of metadata, limited to the caller's permissions. */
const meta = v.nullable(anyObjectSchema);

export const collectionSchema = v.strictObject({
  collection: name,
  meta,
  schema: v.nullable(
    v.strictObject({
      schema: name,
      name,
      comment: v.nullable(v.string()),
      primary_key: v.optional(v.array(name)),
      type: v.optional(v.literal('view')),
    }),
  ),
});

const column = v.strictObject({
  name,
  table: name,
  schema: name,
  data_type: v.string(),
  default_value: v.unknown(),
  generation_expression: v.nullable(v.string()),
  max_length: v.nullable(v.number()),
  numeric_precision: v.nullable(v.number()),
  numeric_scale: v.nullable(v.number()),
  enum_values: v.optional(v.array(v.string())),
  is_generated: v.boolean(),
  is_nullable: v.boolean(),
  is_unique: v.boolean(),
  is_indexed: v.boolean(),
  is_primary_key: v.boolean(),
  has_auto_increment: v.boolean(),
  foreign_key_schema: v.nullable(name),
  foreign_key_table: v.nullable(name),
  foreign_key_column: v.nullable(name),
  comment: v.nullable(v.string()),
  index_state: v.optional(v.picklist(['building', 'ready', 'invalid'])),
});

export const fieldSchema = v.strictObject({
  collection: name,
  field: name,
  type: v.string(),
  meta,
  schema: v.nullable(column),
});

const ACTIONS = ['NO ACTION', 'RESTRICT', 'CASCADE', 'SET NULL', 'SET DEFAULT'] as const;

export const relationSchema = v.strictObject({
  collection: name,
  field: name,
  related_collection: v.nullable(name),
  schema: v.nullable(
    v.strictObject({
      constraint_name: name,
      table: name,
      column: v.string(),
      foreign_key_schema: name,
      foreign_key_table: name,
      foreign_key_column: v.string(),
      on_update: v.picklist(ACTIONS),
      on_delete: v.picklist(ACTIONS),
    }),
  ),
  meta,
  /** Only in lists that ask for it. */
  reverse: v.optional(
    v.nullable(
      v.strictObject({
        field: name,
        junction_field: v.nullable(name),
        deselect_action: v.picklist(['nullify', 'delete']),
      }),
    ),
  ),
});

const entries = v.array(v.looseObject({ collection: name }));

/** A snapshot; with permissions it has more members. */
export const snapshotSchema = v.looseObject({
  version: v.picklist([1, 2]),
  sluice: v.string(),
  vendor: v.literal('postgres'),
  collections: entries,
  fields: entries,
  systemFields: entries,
  relations: entries,
});

/** The differences to a snapshot, for applying them. */
export const diffSchema = v.strictObject({
  hash: v.string(),
  diff: v.looseObject({
    collections: entries,
    fields: entries,
    systemFields: entries,
    relations: entries,
  }),
});

/** The SQL statements of a diff; empty once the diff is applied. */
export const dryRunSchema = v.strictObject({ sql: v.array(v.string()) });
