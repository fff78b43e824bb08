/** The schemas of a collection's items: as read, created and updated. */
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

/** The key of a collection that the document may not describe further. */
function keyOf(sight: SchemaVisibility, name: string): JsonSchema {
  const collection = sight.catalog.collections.get(name);
  return collection === undefined ? ANYTHING : keySchema(collection);
}

/** The value of a relation when read: keys, or the items themselves. */
function relatedSchema(sight: SchemaVisibility, relation: Relation): JsonSchema | null {
  const targets = sight.targets(relation);
  const items = targets.map((target) => sight.ref(target, ''));
  if (relation.kind === 'a2o') return nullable(anyOf([TEXT, ...items]));
  if (items.length === 0) return null;
  const [target = ''] = targets;
  const one = anyOf([keyOf(sight, target), ...items]);
  return relation.kind === 'm2o' ? nullable(one) : nullable(listOf(one));
}

/** An item as it is read. All fields are optional, because queries select them. */
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
      // A singleton without a row shows default values.
      const maybe = (isNull && !keys.has(field.name)) || singleton ? nullable(value) : value;
      properties[field.name] = { ...maybe, ...noteOf(field) };
    }
  }
  for (const [field, relation] of sight.relations(collection)) {
    const related = relatedSchema(sight, relation);
    if (related !== null) properties[field] ??= related;
  }
  // Groups of items have aggregate members of these names besides the fields.
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

/** Specials of fields whose values are generated. */
const GIVEN = /^(?:uuid|(?:date|user|role)-(?:created|updated))$/;

/** Whether a new item requires a value of the field. */
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

/** The ways in which a body refers to one related item. */
function nested(sight: SchemaVisibility, target: string, isList: boolean): readonly JsonSchema[] {
  const collection = sight.catalog.collections.get(target);
  if (collection === undefined) return [];
  const creates = sight.mayWrite('create', collection) && sight.nameOf(target) !== '';
  const updates = sight.mayWrite('update', collection) && sight.nameOf(target) !== '';
  const create = creates ? [sight.ref(target, 'Create')] : [];
  const update = updates ? [sight.ref(target, 'Update')] : [];
  // The surrounding item supplies the foreign key of a new item in a list, so no field is required.
  return [keySchema(collection), ...(isList ? [...update, ...create] : [...create, ...update])];
}

/** The possible values of a relation in a body. */
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

/** The values of a new item, or of an update. */
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
