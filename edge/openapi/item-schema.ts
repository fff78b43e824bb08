/** The items of a collection: as they are read, created and updated. */
import type { Collection, Field } from '#core/model/catalog/catalog.ts';
import { isColumn, isConcealed } from '#core/model/catalog/catalog.ts';
import type { Relation } from '#core/model/catalog/relation.ts';
import { AGGREGATE_FUNCTIONS } from '#core/query/aggregate.ts';
import {
  ANYTHING,
  anyOf,
  type JsonSchema,
  listOf,
  NULL,
  nullable,
  objectOf,
  TEXT,
} from './json-schema.ts';
import { readSchema, writeSchema } from './value-schema.ts';
import type { SchemaVisibility } from './visibility.ts';

type Properties = Record<string, JsonSchema>;

/** The key of an item, in a list of keys or in place of the item. */
export function keySchema({ primaryKey }: Collection): JsonSchema {
  const [only, ...others] = primaryKey;
  if (only === undefined) return ANYTHING;
  if (others.length === 0) return readSchema(only);
  const { length } = primaryKey;
  return {
    type: 'array',
    minItems: length,
    maxItems: length,
    items: anyOf([TEXT, { type: 'number' }]),
  };
}

function noteOf({ meta, column }: Field): JsonSchema {
  const note = meta?.row.note ?? column?.comment;
  return typeof note === 'string' && note !== '' ? { description: note } : {};
}

/** A key of a collection that may not be described otherwise. */
function keyOf(sight: SchemaVisibility, name: string): JsonSchema {
  const collection = sight.catalog.collections.get(name);
  return collection === undefined ? ANYTHING : keySchema(collection);
}

/** What a relation is read as: keys, or the items themselves. */
function relatedSchema(sight: SchemaVisibility, relation: Relation): JsonSchema | null {
  const targets = sight.targets(relation);
  const items = targets.map((target) => sight.ref(target, ''));
  if (relation.kind === 'a2o') return nullable(anyOf([TEXT, ...items]));
  if (items.length === 0) return null;
  const [target = ''] = targets;
  const one = anyOf([keyOf(sight, target), ...items]);
  return relation.kind === 'm2o' ? nullable(one) : nullable(listOf(one));
}

/** An item as it is read. All fields may be missing: queries choose them. */
export function itemSchema(sight: SchemaVisibility, collection: Collection): JsonSchema {
  const { name, primaryKey, singleton, meta, table } = collection;
  const keys = new Set(primaryKey.map((field) => field.name));
  const properties: Properties = {};
  for (const field of sight.readable(collection)) {
    const relation = sight.relation(name, field.name);
    const related = relation === undefined ? null : relatedSchema(sight, relation);
    if (related !== null) properties[field.name] = { ...related, ...noteOf(field) };
    else if (isColumn(field)) {
      const isNull = field.column.nullable || !sight.isAlwaysSeen(name, field.name);
      const value = readSchema(field);
      // A singleton that was never written shows defaults.
      const maybe = (isNull && !keys.has(field.name)) || singleton ? nullable(value) : value;
      properties[field.name] = { ...maybe, ...noteOf(field) };
    }
  }
  for (const [field, relation] of sight.relations(collection)) {
    const related = relatedSchema(sight, relation);
    if (related !== null) properties[field] ??= related;
  }
  // Groups of items have members of these names beside the fields.
  for (const name of AGGREGATE_FUNCTIONS) {
    const own = properties[name];
    if (own !== undefined) properties[name] = anyOf([own, { type: 'object' }, TEXT, NULL]);
  }
  const note = meta?.row.note ?? table?.comment;
  return {
    type: 'object',
    ...(typeof note === 'string' && note !== '' ? { description: note } : {}),
    properties,
  };
}

/** Specials of fields that get their value by themselves. */
const GIVEN = /^(?:uuid|(?:date|user|role)-(?:created|updated))$/;

/** Whether a new item needs a value of the field. */
function isRequired(sight: SchemaVisibility, collection: Collection, field: Field): boolean {
  if (!isColumn(field)) return false;
  const { column, special, meta, name } = field;
  if (special.some((flag) => GIVEN.test(flag))) return false;
  const given =
    column.identity !== null || column.sequence !== null || column.defaultExpression !== null;
  const isPreset = sight.rights
    .of(collection.name, 'create')
    .every(({ presets }) => name in presets);
  if (isPreset && !sight.rights.admin) return false;
  return (!column.nullable && !given) || meta?.required === true;
}

/** The ways in which a body names one related item. */
function nested(sight: SchemaVisibility, target: string, isList: boolean): readonly JsonSchema[] {
  const collection = sight.catalog.collections.get(target);
  if (collection === undefined) return [];
  const creates = sight.mayWrite('create', collection) && sight.nameOf(target) !== '';
  const updates = sight.mayWrite('update', collection) && sight.nameOf(target) !== '';
  const create = creates ? [sight.ref(target, 'Create')] : [];
  const update = updates ? [sight.ref(target, 'Update')] : [];
  // The key of a new item in a list comes from the item around it, so nothing is required there.
  return [keySchema(collection), ...(isList ? [...update, ...create] : [...create, ...update])];
}

/** What a body may have for a relation. */
function payloadOf(sight: SchemaVisibility, relation: Relation): JsonSchema {
  if (relation.kind === 'a2o') {
    const items = relation.allowed.flatMap(({ collection }) =>
      nested(sight, collection, false).slice(1),
    );
    return anyOf([TEXT, { type: 'number' }, ...items, NULL]);
  }
  if (relation.kind === 'm2o')
    return anyOf([...nested(sight, relation.one.collection, false), NULL]);
  const target = relation.many.collection;
  const [key = ANYTHING, ...items] = nested(sight, target, true);
  const changes = objectOf({
    ...(items.length === 0 ? {} : { create: listOf(anyOf(items)), update: listOf(anyOf(items)) }),
    delete: listOf(key),
  });
  return anyOf([listOf(anyOf([key, ...items])), changes, NULL]);
}

/** The values of a new item, or of a changed one. */
export function payloadSchema(
  sight: SchemaVisibility,
  collection: Collection,
  action: 'create' | 'update',
): JsonSchema {
  const properties: Properties = {};
  const required: string[] = [];
  for (const field of sight.writable(action, collection)) {
    const relation = sight.relation(collection.name, field.name);
    if (relation !== undefined) {
      properties[field.name] = { ...payloadOf(sight, relation), ...noteOf(field) };
    } else if (isColumn(field)) {
      const value = writeSchema(field);
      const maybe = field.column.nullable || isConcealed(field) ? nullable(value) : value;
      properties[field.name] = { ...maybe, ...noteOf(field) };
    } else continue;
    if (action === 'create' && isRequired(sight, collection, field)) required.push(field.name);
  }
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}
