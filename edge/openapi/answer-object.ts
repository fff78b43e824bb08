/** The OpenAPI descriptions of successful responses. */
import type { Collection } from '#core/model/catalog/catalog.ts';
import { FORMATS } from '#core/transfer/export/format.ts';
import { jobSchema } from '#edge/rest/answer/job.ts';
import type { RouteFacts } from '#edge/rest/route-facts.ts';
import {
  anyOf,
  type JsonSchema,
  jsonSchemaOf,
  listOf,
  objectOf,
  refTo,
  TEXT,
} from './json-schema.ts';
import type { Part, SchemaVisibility } from './visibility.ts';

const COUNT: JsonSchema = { type: 'integer', minimum: 0 };

/** Schemas that many responses share. */
export const SHARED_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Job: jsonSchemaOf(jobSchema),
  Meta: objectOf({ total_count: COUNT, filter_count: COUNT, estimated_count: COUNT }),
};

const LOCATION: JsonSchema = { Location: { schema: TEXT } };

/** Responses that many operations share. */
export const SHARED_RESPONSES: Readonly<Record<string, JsonSchema>> = {
  NotModified: { description: 'The client has it already' },
  Accepted: {
    description:
      'The work goes on as a job; its body is missing when the request has waited for it',
    headers: LOCATION,
    content: {
      'application/json': { schema: objectOf({ data: refTo('schemas', 'Job') }, ['data']) },
    },
  },
};

/** The response envelopes of a collection's items. */
export function envelopes(
  sight: SchemaVisibility,
  { name }: Collection,
): readonly (readonly [Part, JsonSchema])[] {
  const item = sight.ref(name, '');
  const list = {
    ...objectOf({ data: listOf(item), meta: refTo('schemas', 'Meta') }, ['data']),
    description: 'With `aggregate` or `groupBy` groups stand in place of items',
  };
  return [
    ['One', objectOf({ data: item }, ['data'])],
    ['List', list],
  ];
}

const KEY_ALONE = objectOf({ data: { type: 'object' } }, ['data']);

/** The body of a response with items. */
function itemAnswer(
  sight: SchemaVisibility,
  { name, singleton }: Collection,
  entry: RouteFacts,
): JsonSchema {
  if (!sight.reads(name)) return KEY_ALONE;
  const [one, list] = [sight.ref(name, 'One'), sight.ref(name, 'List')];
  if (singleton) return one;
  switch (entry.items?.form) {
    case 'list':
    case 'search':
    case 'updateMany':
      return list;
    case 'create':
    case 'upsert':
      return anyOf([one, list]);
    default:
      return one;
  }
}

/** The export formats besides JSON. */
const EXPORTS: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.values(FORMATS)
    .map(({ mediaType }) => mediaType.replace(/;.*/, ''))
    .filter((type) => type !== 'application/json')
    .map((type) => [type, { schema: TEXT }]),
);

function contentOf(
  sight: SchemaVisibility,
  entry: RouteFacts,
  collection: Collection | null,
): JsonSchema {
  const { answer, items } = entry;
  if (answer.type === null) return {};
  if (items === undefined || collection === null) {
    const { schema } = answer;
    const media = schema === undefined ? mediaOf(answer.type) : { schema: jsonSchemaOf(schema) };
    return { content: { [answer.type]: media } };
  }
  const json = { 'application/json': { schema: itemAnswer(sight, collection, entry) } };
  const isFile = items.form === 'list' || items.form === 'search';
  const isExported = isFile && entry.parameters?.export !== undefined;
  // An export of a list as JSON is a bare list without an envelope.
  const whole = { 'application/json': { schema: anyOf([json['application/json'].schema, BARE]) } };
  return { content: isExported ? { ...whole, ...EXPORTS } : json };
}

const BARE: JsonSchema = { type: 'array', description: 'With `export=json`' };

/** Texts have a schema; binary content has no schema (OpenAPI 3.1). */
function mediaOf(type: string): JsonSchema {
  return type.startsWith('text/') || type === 'application/graphql' ? { schema: TEXT } : {};
}

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  101: 'The connection is a WebSocket from here on',
  200: 'Done',
  201: 'Created',
  204: 'Done; there is nothing to show',
  206: 'A part of the bytes',
  302: 'It is elsewhere',
};

function answerAt(
  sight: SchemaVisibility,
  entry: RouteFacts,
  collection: Collection | null,
  status: number,
): JsonSchema {
  const description = DESCRIPTIONS[status] ?? String(status);
  if (status === 302 || status === 201) return { description, headers: LOCATION };
  if (status === 204) {
    return entry.answer.job === true ? { description, headers: LOCATION } : { description };
  }
  return { description, ...contentOf(sight, entry, collection) };
}

/** The responses of a successful request by status. */
export function answers(
  sight: SchemaVisibility,
  entry: RouteFacts,
  collection: Collection | null,
): Readonly<Record<string, JsonSchema>> {
  const { statuses, job, type } = entry.answer;
  const isTagged = entry.method === 'GET' && type !== null && type !== 'text/event-stream';
  const own = statuses
    .filter((status) => status !== 304)
    .map((status) => [status, answerAt(sight, entry, collection, status)] as const);
  return {
    ...Object.fromEntries(own),
    ...(job === true && { 202: refTo('responses', 'Accepted') }),
    ...(isTagged && { 304: refTo('responses', 'NotModified') }),
  };
}
