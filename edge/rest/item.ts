/** The routes of items: `/items/:collection` and `/items/:collection/:key`. */
import { invalidPayload, ServiceError } from '#core/errors/service-error.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import type { Query } from '#core/query/query.ts';
import type { Target } from '#core/services/context.ts';
import type { Answer } from '#core/services/item-reader.ts';
import type { Update, WriteAnswer } from '#core/services/items.ts';
import { questionOf } from '#core/services/question.ts';
import type { Response } from '#edge/http/response.ts';
import type { Router } from '#edge/http/router.ts';
import type { EdgeServices } from '#edge/services.ts';
import {
  type Call,
  type CallHandler,
  jsonText,
  lastSegment,
  NO_CONTENT,
  param,
  questionOfUrl,
  routesOf,
} from './call.ts';
import { exportItems } from './export.ts';
import { searchOf } from './parameter.ts';

function targetOf(call: Call): Target {
  return { caller: call.caller, collection: param(call, 'collection') };
}

/** A singleton has no items to be addressed or added. */
function noRoute({ request }: Call): ServiceError {
  return new ServiceError('ROUTE_NOT_FOUND', { path: request.path });
}

/** The envelope around items that come one by one, in pieces worth sending. */
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

function answerOf(answer: Answer): Response {
  if (answer.kind === 'text') return jsonText(answer.text);
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: pieces(answer.items, answer.meta),
  };
}

const list: CallHandler = async (call) => {
  const { items } = call.services;
  if (call.request.query.includes('export') && call.parameters.export !== undefined) {
    return exportItems(call, targetOf(call), call.parameters);
  }
  return answerOf(await items.list(targetOf(call), questionOfUrl(call), call.request.signal));
};

const search: CallHandler = async (call) => {
  const { parameters, keys } = searchOf(await call.request.body.json());
  const all = { ...call.parameters, ...parameters };
  const target = targetOf(call);
  if (all.export !== undefined && keys === null) return exportItems(call, target, all);
  const query = parseQuery(all, call.services.bounds);
  const { items } = call.services;
  if (keys !== null && !(await items.isSingleton(target))) {
    return jsonText(await items.some(target, keys, query, call.request.signal));
  }
  return answerOf(await items.list(target, questionOf(query), call.request.signal));
};

const read: CallHandler = async (call) => {
  const { request, services } = call;
  const question = questionOfUrl(call);
  return jsonText(
    await services.items.one(targetOf(call), lastSegment(call), question, request.signal),
  );
};

/** What was done but may not be shown has no body. */
function written(text: WriteAnswer): Response {
  return text === null ? NO_CONTENT : jsonText(text);
}

/** The query of an answer to a write: unless a limit is asked, all that was written is shown. */
function readBackOf(call: Call): Query {
  return parseQuery({ limit: -1, ...call.parameters }, call.services.bounds);
}

const create: CallHandler = async (call) => {
  const body = await call.request.body.json();
  const { items } = call.services;
  const target = targetOf(call);
  if (await items.isSingleton(target)) throw noRoute(call);
  return written(await items.create(target, body, readBackOf(call)));
};

const updateOne: CallHandler = async (call) => {
  const body = await call.request.body.json();
  const { items } = call.services;
  const target = targetOf(call);
  if (await items.isSingleton(target)) throw noRoute(call);
  return written(await items.updateOne(target, lastSegment(call), body, readBackOf(call)));
};

/** Reads `{keys, data}` or a list of items with their keys. */
function updateOf(body: unknown): Update {
  if (Array.isArray(body)) return { kind: 'each', items: body };
  if (typeof body !== 'object' || body === null) {
    throw invalidPayload('The body must be a list of items, or an object with "keys" and "data".');
  }
  const { keys, data, ...rest } = Object.fromEntries(Object.entries(body));
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw invalidPayload(`The body takes no "${unknown}".`);
  if (!Array.isArray(keys)) throw invalidPayload('"keys" must be a list of keys.');
  return { kind: 'same', keys, data };
}

const updateMany: CallHandler = async (call) => {
  const body = await call.request.body.json();
  const { items } = call.services;
  const target = targetOf(call);
  if (await items.isSingleton(target)) {
    return written(await items.upsertSingleton(target, body, readBackOf(call)));
  }
  return written(await items.updateMany(target, updateOf(body), readBackOf(call)));
};

const deleteOne: CallHandler = async (call) => {
  await call.services.items.deleteOne(targetOf(call), lastSegment(call));
  return NO_CONTENT;
};

/** Reads a list of keys, bare or as `{keys}`. */
function keysOf(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body;
  if (typeof body === 'object' && body !== null && 'keys' in body && Array.isArray(body.keys)) {
    const [unknown] = Object.keys(body).filter((name) => name !== 'keys');
    if (unknown !== undefined) throw invalidPayload(`The body takes no "${unknown}".`);
    return body.keys;
  }
  throw invalidPayload('The body must be a list of keys, or an object with "keys".');
}

const deleteMany: CallHandler = async (call) => {
  const keys = keysOf(await call.request.body.json());
  await call.services.items.deleteMany(targetOf(call), keys);
  return NO_CONTENT;
};

export function addItemRoutes(router: Router, services: EdgeServices): void {
  const route = routesOf(services);
  router
    .add('GET', '/items/:collection', route(list))
    .add('SEARCH', '/items/:collection', route(search))
    .add('GET', '/items/:collection/:key', route(read))
    .add('POST', '/items/:collection', route(create))
    .add('PATCH', '/items/:collection', route(updateMany))
    .add('PATCH', '/items/:collection/:key', route(updateOne))
    .add('DELETE', '/items/:collection', route(deleteMany))
    .add('DELETE', '/items/:collection/:key', route(deleteOne));
}
