/** The OpenAPI descriptions of request bodies. */
import type { Collection } from '#core/model/catalog/catalog.ts';
import type { BodyFacts, ItemForm, RouteFacts } from '#edge/rest/route-facts.ts';
import { keySchema } from './item-schema.ts';
import { anyOf, type JsonSchema, jsonSchemaOf, listOf, objectOf, TEXT } from './json-schema.ts';
import type { SchemaVisibility } from './visibility.ts';

/** A form with a file, preceded by fields that describe the file. */
const FORM: JsonSchema = {
  type: 'object',
  properties: { file: { ...TEXT, contentMediaType: 'application/octet-stream' } },
  required: ['file'],
  additionalProperties: TEXT,
};

function created(sight: SchemaVisibility, { name }: Collection): JsonSchema {
  const one = sight.ref(name, 'Create');
  return anyOf([one, listOf(one)]);
}

/** Each item with its key. */
function updated(sight: SchemaVisibility, collection: Collection): JsonSchema {
  const { name, singleton, primaryKey } = collection;
  const data = sight.ref(name, 'Update');
  if (singleton) return data;
  const keys = listOf(keySchema(collection));
  const query = sight.ref(name, 'Query');
  const keyed = {
    allOf: [data, { type: 'object', required: primaryKey.map((field) => field.name) }],
  };
  return anyOf([
    listOf(keyed),
    objectOf({ keys, data }, ['keys', 'data']),
    objectOf({ query, data }, ['query', 'data']),
  ]);
}

function itemBody(sight: SchemaVisibility, collection: Collection, form: ItemForm): JsonSchema {
  const { name } = collection;
  const keys = listOf(keySchema(collection));
  const query = sight.ref(name, 'Query');
  switch (form) {
    case 'search':
      return objectOf({ query, keys });
    case 'create':
    case 'upsert':
      return created(sight, collection);
    case 'updateMany':
      return updated(sight, collection);
    case 'deleteMany':
      return anyOf([keys, objectOf({ keys }, ['keys']), objectOf({ query }, ['query'])]);
    default:
      return sight.ref(name, 'Update');
  }
}

function withBeside(item: JsonSchema, beside: BodyFacts['beside']): JsonSchema {
  return beside === undefined ? item : { allOf: [item, jsonSchemaOf(beside)] };
}

/** Whether the body of a route contains its items; an import by URL has a different body. */
function hasItems({ items, body }: RouteFacts): boolean {
  return items !== undefined && body !== null && body.ofItems === true;
}

/** The body of a route; null when the route has no body. */
export function requestBody(
  sight: SchemaVisibility,
  entry: RouteFacts,
  collection: Collection | null,
): JsonSchema | null {
  const { body, bytes, items } = entry;
  if (bytes !== undefined) return { content: { [bytes]: {} } };
  if (body === null) return null;
  const { schema, types } = body;
  const json =
    hasItems(entry) && items !== undefined && collection !== null
      ? withBeside(itemBody(sight, collection, items.form), body.beside)
      : schema === null
        ? null
        : jsonSchemaOf(schema);
  const content = types.flatMap((type): [string, JsonSchema][] => {
    if (type === 'multipart/form-data') return [[type, { schema: FORM }]];
    return json === null ? [] : [[type, { schema: json }]];
  });
  const isOptional = schema?.type === 'optional' || items?.form === 'search';
  return { required: !isOptional, content: Object.fromEntries(content) };
}
