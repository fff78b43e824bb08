/** The OpenAPI descriptions of path, query and header parameters. */

import { QUEUE_NAMES } from '#core/jobs/queue.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import { ITEM_PARAMETERS } from '#edge/rest/parameter/item.ts';
import type { ParameterFacts, RequestHeader, RouteFacts } from '#edge/rest/route-facts.ts';
import { keySchema } from './item-schema.ts';
import { type JsonSchema, jsonSchemaOf, oneOf, refTo, TEXT } from './json-schema.ts';
import { pascal } from './name.ts';
import { ALIAS, partSchema } from './query-schema.ts';
import type { SchemaVisibility } from './visibility.ts';

const UUID: JsonSchema = { ...TEXT, format: 'uuid' };

/** Path parameters with the same meaning in every route. */
const PATH_PARTS: Readonly<
  Record<string, { readonly summary: string; readonly schema: JsonSchema }>
> = {
  id: { summary: 'The key', schema: UUID },
  key: { summary: 'The key', schema: TEXT },
  collection: { summary: 'The name of a collection', schema: TEXT },
  field: { summary: 'The name of a field', schema: TEXT },
  filename: { summary: 'A name for people; any', schema: { ...TEXT, minLength: 1 } },
  revision: { summary: 'The key of a revision', schema: { type: 'integer', minimum: 1 } },
  queue: { summary: 'The name of a queue', schema: oneOf(QUEUE_NAMES) },
};

function describedPart(name: string, schema: JsonSchema): JsonSchema {
  const description = PATH_PARTS[name]?.summary ?? name;
  return { name, in: 'path', required: true, description, schema };
}

/** Composite keys are joined with commas. */
function pathKey(collection: Collection): JsonSchema {
  return collection.primaryKey.length > 1 ? TEXT : keySchema(collection);
}

/**
 * The parameters of a path.
 * @param collection whose key the path ends with
 * @param names the collections that it may contain; null for any
 */
export function pathParameters(
  path: string,
  collection: Collection | null,
  names: readonly string[] | null,
): readonly JsonSchema[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, part = '']) => {
    if (part === 'key' && collection !== null) return describedPart(part, pathKey(collection));
    if (part === 'collection' && names !== null && names.length > 0) {
      return describedPart(part, oneOf(names));
    }
    return describedPart(part, PATH_PARTS[part]?.schema ?? TEXT);
  });
}

/** Whether every parameter of a path has a description. */
export function knowsParts(path: string): boolean {
  return [...path.matchAll(/:(\w+)/g)].every(([, part = '']) => part in PATH_PARTS);
}

function queryParameter(name: string, facts: ParameterFacts, schema: JsonSchema): JsonSchema {
  const described = { name, in: 'query', description: facts.summary };
  if (facts.spelling === 'json')
    return { ...described, content: { 'application/json': { schema } } };
  const list = facts.spelling === 'list' ? { style: 'form', explode: false } : {};
  return { ...described, ...list, schema };
}

/** Query parameters that do not depend on the collection. */
const SHARED: ReadonlyMap<string, ParameterFacts> = new Map(
  Object.entries<ParameterFacts>(ITEM_PARAMETERS).filter(
    ([, { schema }]) => typeof schema !== 'string' || schema === 'alias',
  ),
);

/** Whether a form returns a list of items. */
function isListed({ form }: NonNullable<RouteFacts['items']>, { singleton }: Collection): boolean {
  return !singleton && !['read', 'updateOne', 'deleteOne'].includes(form);
}

/** The query parameters of a route. */
export function queryParameters(
  sight: SchemaVisibility,
  entry: RouteFacts,
  collection: Collection | null,
): readonly JsonSchema[] {
  const { items, parameters = {} } = entry;
  return Object.entries(parameters).flatMap(([name, facts]) => {
    const { schema } = facts;
    if (items !== undefined && collection !== null) {
      if (facts.ofLists === true && !isListed(items, collection)) return [];
      if (typeof schema === 'string' && schema !== 'alias') {
        return [refTo('parameters', sight.nameOf(collection.name) + pascal(schema))];
      }
    }
    if (SHARED.get(name) === facts) return [refTo('parameters', name)];
    return [queryParameter(name, facts, typeof schema === 'string' ? TEXT : jsonSchemaOf(schema))];
  });
}

/** The query parameters of a collection, by name. */
export function collectionParameters(
  sight: SchemaVisibility,
  collection: Collection,
): readonly (readonly [string, JsonSchema])[] {
  return Object.entries<ParameterFacts>(ITEM_PARAMETERS).flatMap(([name, facts]) => {
    const { schema: part } = facts;
    if (typeof part !== 'string' || part === 'alias') return [];
    const schema = partSchema(sight, collection, part);
    const key = sight.nameOf(collection.name) + pascal(part);
    return [[key, queryParameter(name, facts, schema)] as const];
  });
}

const HEADERS: Readonly<Record<RequestHeader | 'If-None-Match', JsonSchema>> = {
  Prefer: {
    description:
      '`respond-async` answers with the job at once, `handling=strict` refuses what is unknown',
    schema: TEXT,
  },
  'If-Match': { description: 'The tag of what was read, which must be unchanged', schema: TEXT },
  'If-None-Match': { description: 'The tag of what the client has already', schema: TEXT },
  'Idempotency-Key': {
    description: 'The same key gives the same job',
    schema: { ...TEXT, minLength: 1, maxLength: 255 },
  },
  Range: { description: 'A part of the bytes', schema: TEXT },
  'Last-Event-ID': { description: 'The last event that arrived', schema: TEXT },
  'Tus-Resumable': { description: 'The version of tus', schema: { const: '1.0.0' } },
  'Upload-Length': { description: 'Bytes of the whole', schema: { type: 'integer', minimum: 0 } },
  'Upload-Offset': { description: 'Bytes that are there', schema: { type: 'integer', minimum: 0 } },
  'Upload-Metadata': { description: 'Fields of the file, in Base64', schema: TEXT },
};

/** References to the request headers that a route evaluates. */
export function headerParameters({
  method,
  headers = [],
  answer,
}: RouteFacts): readonly JsonSchema[] {
  const isTagged = method === 'GET' && answer.type !== null && answer.type !== 'text/event-stream';
  const names = [...headers, ...(isTagged ? ['If-None-Match'] : [])];
  return names.map((name) => refTo('parameters', pascal(name)));
}

/** The parameters that many operations share, by name. */
export const SHARED_PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  ...Object.fromEntries(
    [...SHARED].map(([name, facts]) => {
      const { schema } = facts;
      const made = typeof schema === 'string' ? ALIAS : jsonSchemaOf(schema);
      return [name, queryParameter(name, facts, made)];
    }),
  ),
  ...Object.fromEntries(
    Object.entries(HEADERS).map(([name, facts]) => [
      pascal(name),
      { name, in: 'header', ...facts },
    ]),
  ),
};
