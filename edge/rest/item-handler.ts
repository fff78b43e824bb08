/** The handlers of requests for items, for `/items` and for system collections. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, invalidQuery, ServiceError } from '#core/base/errors/service-error.ts';
import { parseList } from '#core/query/parse/list.ts';
import { type Parameters, parseQuery } from '#core/query/parse/parameter.ts';
import type { Query } from '#core/query/query.ts';
import { parsedQuery, type UnparsedQuery } from '#core/read/statement-cache.ts';
import type { ReadAnswer } from '#core/services/item-reader.ts';
import type { ItemsUpdate } from '#core/services/items.ts';
import type { Precondition, WriteAnswer } from '#core/services/read-back.ts';
import type { Selection } from '#core/services/selected-keys.ts';
import { upsertItems } from '#core/services/upsert.ts';
import { entityTag, namesTag } from '#edge/http/entity-tag.ts';
import type { Response } from '#edge/http/response.ts';
import {
  type Call,
  type CallHandler,
  jsonTextResponse,
  lastSegment,
  NO_CONTENT,
  parseParameters,
  parseUrlQuery,
  readResponse,
  registeredStream,
  unparsedUrlQuery,
} from './call.ts';
import { REST_ENVELOPE } from './envelope.ts';
import { exportItems } from './export.ts';
import { parseSearch, queryBodyLimit, searchBodyLimit } from './query-parameters.ts';
import type { ServedCollection } from './served-collection.ts';

/** The error for a singleton, which has no keys and accepts no further items. */
function noRoute({ request }: Call): ServiceError {
  return new ServiceError('ROUTE_NOT_FOUND', { path: request.path });
}

/** Adds the envelope to items that arrive individually, and joins them to larger pieces. */
async function* pieces(
  items: AsyncIterable<readonly string[]>,
  meta: string | null,
): AsyncGenerator<string> {
  let before = '{"data":[';
  for await (const batch of items) {
    if (batch.length === 0) continue;
    yield before + batch.join(',');
    before = ',';
  }
  yield `${before === ',' ? '' : before}]${meta === null ? '' : `,"meta":${meta}`}}`;
}

/** The response with a list of items. */
function answerOf(call: Call, collection: string, answer: ReadAnswer): Response {
  if (answer.kind === 'text') return readResponse(call, answer);
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: registeredStream(call, { kind: 'items', collection }, pieces(answer.items, answer.meta)),
  };
}

/** The response of a write; without a body when the caller may not read the written items. */
export function writeResponse(answer: WriteAnswer): Response {
  return answer === null
    ? NO_CONTENT
    : { ...jsonTextResponse(REST_ENVELOPE.around(answer)), done: true };
}

/** The query for the response of a write: all written items unless a limit is set. */
export function readBackQuery(call: Call, parameters = call.parameters): Query {
  return parseParameters(call, { limit: -1, ...parameters });
}

/** Like {@link readBackQuery}, but parsed only when its statement is not cached. */
export function unparsedReadBackQuery(call: Call, parameters?: Parameters): UnparsedQuery {
  return { text: unparsedUrlQuery(call).text, query: () => readBackQuery(call, parameters) };
}

/**
 * Checks permissions before the body is read, so that the server parses no body of a caller without
 * permission. Singletons have neither keys nor lists.
 */
async function admitted(
  call: Call,
  { items, target }: ServedCollection,
  ...[action, ...others]: readonly ['create' | 'update', ...('create' | 'update')[]]
): Promise<void> {
  if (await items.admit(target, action, ...others)) throw noRoute(call);
}

/** The body of a write. A list with more items than allowed is refused before it is parsed. */
function bodyOfWrite({ request, services }: Call, { items }: ServedCollection): Promise<unknown> {
  return request.body.json(queryBodyLimit(services.config), (count) => items.requireCount(count));
}

/** The items that a body selects: by "keys" or by "query", never by both. */
function selectionOf(call: Call, keys: unknown, query: unknown): Selection {
  if ((keys === undefined) === (query === undefined)) {
    throw invalidPayload(reason('keys_or_query_missing'));
  }
  if (keys !== undefined) {
    if (!Array.isArray(keys)) throw invalidPayload(reason('keys_list_expected'));
    return { kind: 'keys', keys };
  }
  const { parameters } = parseSearch({ query });
  // A condition that a client sends is intentional, even when its value is null or empty.
  const { search } = parameters;
  if (search === null) throw invalidQuery(reason('search_text_expected'));
  if (typeof search === 'string' && search.trim() === '') {
    throw invalidQuery(reason('search_empty_in_write'));
  }
  // A misspelt member would be ignored as a condition, which would select all items.
  const { bounds } = call.services;
  const options = { strict: true, typed: parameters };
  return { kind: 'query', query: parseQuery(parameters, bounds, options) };
}

/** The members of an object in a body; unknown members are refused. */
function known<N extends string>(body: object, names: readonly N[]) {
  const found: Record<string, unknown> = Object.fromEntries(Object.entries(body));
  const unknown = Object.keys(found).find((name) => !names.some((other) => other === name));
  if (unknown !== undefined)
    throw invalidPayload(reason('write_member_unknown', { member: unknown }));
  return found;
}

/** Parses `{keys, data}`, `{query, data}` or a list of items with their keys. */
function updateOf(call: Call, body: unknown): ItemsUpdate {
  if (Array.isArray(body)) return { kind: 'each', items: body };
  if (typeof body !== 'object' || body === null) {
    throw invalidPayload(reason('update_body_shape'));
  }
  const { keys, query, data } = known(body, ['keys', 'query', 'data']);
  return { kind: 'same', selection: selectionOf(call, keys, query), data };
}

/** Parses a list of keys, bare or as `{keys}`, or a query. */
function deletionOf(call: Call, body: unknown): Selection {
  if (Array.isArray(body)) return { kind: 'keys', keys: body };
  if (typeof body !== 'object' || body === null) {
    throw invalidPayload(reason('delete_body_shape'));
  }
  const { keys, query } = known(body, ['keys', 'query']);
  return selectionOf(call, keys, query);
}

/** The condition `If-Match` (RFC 9110, 13.1.1): the item must be unchanged. */
function preconditionOf({ request }: Call): Precondition | undefined {
  const tags = request.header('if-match');
  if (tags === undefined || tags.trim() === '*') return undefined;
  return (data) => namesTag(tags, entityTag(String(REST_ENVELOPE.around({ data, meta: null }))));
}

/**
 * Refuses a condition on writes that are not limited to one key, because it must not be ignored.
 */
function requireUnconditional(call: Call): void {
  if (preconditionOf(call) === undefined) return;
  const why = reason('if_match_of_several_items');
  throw new ServiceError('PRECONDITION_FAILED', { reason: why });
}

/** The handlers of item routes by operation. */
export interface ItemHandlers {
  readonly list: CallHandler;
  readonly search: CallHandler;
  readonly read: CallHandler;
  readonly create: CallHandler;
  readonly upsert: CallHandler;
  readonly updateMany: CallHandler;
  readonly updateOne: CallHandler;
  readonly deleteMany: CallHandler;
  readonly deleteOne: CallHandler;
}

function readers(collectionOf: (call: Call) => ServedCollection) {
  const list: CallHandler = async (call) => {
    const { items, target } = collectionOf(call);
    if (call.request.query.includes('export') && call.parameters.export !== undefined) {
      return exportItems(call, { items, target }, call.parameters);
    }
    const answer = await items.list(target, unparsedUrlQuery(call), call.request.signal);
    return answerOf(call, target.collection, answer);
  };
  const search: CallHandler = async (call) => {
    const { items, target } = collectionOf(call);
    await items.admitReader(target);
    const { parameters, keys } = parseSearch(
      await call.request.body.json(searchBodyLimit(call.services.config)),
    );
    const all = { ...call.parameters, ...parameters };
    if (all.export !== undefined && keys === null) {
      return exportItems(call, { items, target }, all, parameters);
    }
    const query = parseParameters(call, all, parameters);
    if (keys !== null && !(await items.isSingleton(target))) {
      return readResponse(call, await items.some(target, keys, query));
    }
    const answer = await items.list(target, parsedQuery(query), call.request.signal);
    return answerOf(call, target.collection, answer);
  };
  const read: CallHandler = async (call) => {
    const { items, target } = collectionOf(call);
    return readResponse(
      call,
      await items.one(target, lastSegment(call), unparsedUrlQuery(call), call.request.signal),
    );
  };
  return { list, search, read };
}

function writers(collectionOf: (call: Call) => ServedCollection) {
  const create: CallHandler = async (call) => {
    requireUnconditional(call);
    const { items, target } = collectionOf(call);
    await admitted(call, { items, target }, 'create');
    const body = await call.request.body.json(undefined, (count) => items.requireCount(count));
    return writeResponse(await items.create(target, body, unparsedReadBackQuery(call)));
  };
  const upsert: CallHandler = async (call) => {
    requireUnconditional(call);
    const { items, target } = collectionOf(call);
    await admitted(call, { items, target }, 'create', 'update');
    const { match: raw, ...parameters } = call.parameters;
    const match = raw === undefined ? null : parseList('match', raw);
    const question = unparsedReadBackQuery(call, parameters);
    const body = await call.request.body.json(undefined, (count) => items.requireCount(count));
    return writeResponse(await upsertItems(items, target, { body, match }, question));
  };
  const updateOne: CallHandler = async (call) => {
    const { items, target } = collectionOf(call);
    await admitted(call, { items, target }, 'update');
    const body = await call.request.body.json();
    const key = lastSegment(call);
    const change = { body, precondition: preconditionOf(call) };
    return writeResponse(await items.updateOne(target, key, change, unparsedUrlQuery(call)));
  };
  const updateMany: CallHandler = async (call) => {
    const { items, target } = collectionOf(call);
    const question = unparsedReadBackQuery(call);
    // An invalid query is refused before the body is read.
    const query = question.query();
    if (await items.admit(target, 'update')) {
      const body = await call.request.body.json();
      const change = { body, precondition: preconditionOf(call) };
      return writeResponse(await items.upsertSingleton(target, change, query));
    }
    requireUnconditional(call);
    const body = await bodyOfWrite(call, { items, target });
    const update = updateOf(call, body);
    return writeResponse(
      await items.updateMany(target, update, { text: question.text, query: () => query }),
    );
  };
  const deleteOne: CallHandler = async (call) => {
    const { items, target } = collectionOf(call);
    const precondition = preconditionOf(call);
    const condition =
      precondition === undefined ? undefined : { precondition, query: parseUrlQuery(call) };
    await items.deleteOne(target, lastSegment(call), condition);
    return NO_CONTENT;
  };
  const deleteMany: CallHandler = async (call) => {
    requireUnconditional(call);
    const { items, target } = collectionOf(call);
    await items.admit(target, 'delete');
    const body = await bodyOfWrite(call, { items, target });
    await items.deleteMany(target, deletionOf(call, body));
    return NO_CONTENT;
  };
  return { create, upsert, updateOne, updateMany, deleteOne, deleteMany };
}

/** Creates the handlers for the collection of each call. */
export function itemHandlers(collectionOf: (call: Call) => ServedCollection): ItemHandlers {
  return { ...readers(collectionOf), ...writers(collectionOf) };
}
