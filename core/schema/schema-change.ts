/**
 * The schema changes: each is plain JSON, sent from the edge that accepts it to the worker that
 * applies it. These schemas validate only the structure; whether a change is possible is checked
 * when it is applied.
 */
import * as v from 'valibot';
import {
  collectionMetaInput,
  fieldMetaInput,
  knownMembers,
  relationMetaInput,
} from './metadata-input.ts';
import { validateName } from './validate-name.ts';

/** Types of fields with a column. */
export const COLUMN_TYPES = [
  'string',
  'text',
  'boolean',
  'integer',
  'bigInteger',
  'float',
  'decimal',
  'date',
  'time',
  'dateTime',
  'timestamp',
  'json',
  'csv',
  'uuid',
  'hash',
  'binary',
  'geometry',
  'geometry.Point',
  'geometry.LineString',
  'geometry.Polygon',
  'geometry.MultiPoint',
  'geometry.MultiLineString',
  'geometry.MultiPolygon',
  'unknown',
] as const;
export type ColumnTypeName = (typeof COLUMN_TYPES)[number];

/** Types of fields without a column; all except the first name the kind of relation. */
export const ALIAS_TYPES = ['alias', 'o2m', 'm2m', 'm2a', 'o2a', 'files', 'translations'] as const;

export const FIELD_TYPES = [...COLUMN_TYPES, ...ALIAS_TYPES] as const;
export type FieldTypeName = (typeof FIELD_TYPES)[number];

/** The name of an existing object; new objects are validated separately. */
const existing = v.string();

const count = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10_485_760));

/** The properties of a column. */
export const fieldSchemaInput = knownMembers(
  {
    /** A value of the column's type, or one of the few allowed functions. */
    default_value: v.optional(v.unknown()),
    max_length: v.optional(v.nullable(count)),
    numeric_precision: v.optional(v.nullable(count)),
    numeric_scale: v.optional(v.nullable(count)),
    is_nullable: v.optional(v.boolean()),
    is_unique: v.optional(v.boolean()),
    is_indexed: v.optional(v.boolean()),
    is_primary_key: v.optional(v.boolean()),
    has_auto_increment: v.optional(v.boolean()),
    comment: v.optional(v.nullable(v.string())),
    /** A PostgreSQL type; used when the field's type allows it. */
    data_type: v.optional(v.nullable(v.string())),
  },
  [
    'name',
    'table',
    'schema',
    'generation_expression',
    'is_generated',
    'foreign_key_schema',
    'foreign_key_table',
    'foreign_key_column',
    'index_state',
    'enum_values',
  ],
  { length: 'max_length' },
);
export type FieldSchemaInput = v.InferOutput<typeof fieldSchemaInput>;

/** A new field. `type` null or one of {@link ALIAS_TYPES}: without a column. */
export const fieldInput = v.strictObject({
  field: validateName('field'),
  type: v.nullable(v.picklist(FIELD_TYPES)),
  schema: v.nullable(fieldSchemaInput),
  meta: v.nullable(fieldMetaInput),
});
export type FieldInput = v.InferOutput<typeof fieldInput>;

/** The changes of a field; missing members stay unchanged. */
export const fieldPatch = v.strictObject({
  field: existing,
  type: v.optional(v.nullable(v.picklist(FIELD_TYPES))),
  schema: v.optional(v.nullable(fieldSchemaInput)),
  meta: v.optional(v.nullable(fieldMetaInput)),
});
export type FieldPatch = v.InferOutput<typeof fieldPatch>;

/** A new collection; with `schema` null a folder, which has no table. */
export const collectionInput = v.strictObject({
  collection: validateName('collection'),
  schema: v.nullable(v.looseObject({ comment: v.optional(v.nullable(v.string())) })),
  /** Null: no metadata. */
  meta: v.nullable(collectionMetaInput),
  fields: v.array(fieldInput),
});
export type CollectionInput = v.InferOutput<typeof collectionInput>;

const ACTIONS = ['NO ACTION', 'SET NULL', 'SET DEFAULT', 'CASCADE', 'RESTRICT'] as const;
const action = v.optional(v.nullable(v.picklist(ACTIONS)));

/** The properties of a foreign key. */
export const relationSchemaInput = knownMembers({ on_delete: action, on_update: action }, [
  'table',
  'column',
  'foreign_key_table',
  'foreign_key_column',
  'foreign_key_schema',
  'constraint_name',
]);
export type RelationSchemaInput = v.InferOutput<typeof relationSchemaInput>;

/** A new relation; `related_collection` null: many-to-any. */
export const relationInput = v.strictObject({
  collection: existing,
  field: existing,
  related_collection: v.nullable(existing),
  schema: v.nullable(relationSchemaInput),
  meta: v.nullable(relationMetaInput),
});
export type RelationInput = v.InferOutput<typeof relationInput>;

/** A field of a new collection that refers to an existing one. */
export const newReference = v.strictObject({
  collection: existing,
  field: existing,
  related_collection: existing,
});
export type NewReference = v.InferOutput<typeof newReference>;

/** One schema change; it is applied completely or not at all. */
export const schemaChange = v.variant('kind', [
  v.strictObject({
    kind: v.literal('collections.create'),
    collections: v.array(collectionInput),
    references: v.optional(v.array(newReference)),
  }),
  v.strictObject({
    kind: v.literal('collections.update'),
    updates: v.array(v.strictObject({ collection: existing, meta: collectionMetaInput })),
  }),
  v.strictObject({ kind: v.literal('collections.delete'), collection: existing }),
  v.strictObject({
    kind: v.literal('collections.rename'),
    collection: existing,
    to: validateName('collection'),
  }),
  v.strictObject({
    kind: v.literal('fields.create'),
    collection: existing,
    field: fieldInput,
  }),
  v.strictObject({
    kind: v.literal('fields.update'),
    collection: existing,
    fields: v.array(fieldPatch),
  }),
  v.strictObject({ kind: v.literal('fields.delete'), collection: existing, field: existing }),
  v.strictObject({
    kind: v.literal('fields.rename'),
    collection: existing,
    field: existing,
    to: validateName('field'),
  }),
  v.strictObject({ kind: v.literal('relations.create'), relation: relationInput }),
  v.strictObject({
    kind: v.literal('relations.update'),
    collection: existing,
    field: existing,
    schema: v.optional(v.nullable(relationSchemaInput)),
    meta: v.optional(v.nullable(relationMetaInput)),
  }),
  v.strictObject({ kind: v.literal('relations.delete'), collection: existing, field: existing }),
  v.strictObject({
    kind: v.literal('apply'),
    hash: v.string(),
    diff: v.record(v.string(), v.unknown()),
    force: v.boolean(),
  }),
]);
export type SchemaChange = v.InferOutput<typeof schemaChange>;
