/** The messages of the REST WebSocket for items, answered by the REST routes. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import { isJsonObject, type JsonObject } from '#core/base/json/json-object.ts';
import { SYSTEM_PREFIX } from '#core/model/system-collections/name.ts';
import { routeResponse } from '#edge/graphql/rest-bridge.ts';
import type { RouteRequest } from '#edge/http/inner-request.ts';
import type { Request } from '#edge/http/request.ts';
import type { Response } from '#edge/http/response.ts';
import type { EdgeServices } from '#edge/services.ts';
import type { ItemsMessage, SubscribeMessage } from './rest-message.ts';

/** Prefixes of collections that are not user-defined, here and in Directus. */
const RESERVED = [SYSTEM_PREFIX, 'directus_'];

/**
 * Refuses collections that are not user-defined.
 * @throws ServiceError INVALID_COLLECTION
 */
export function requireItemCollection(collection: string): void {
  if (!RESERVED.some((prefix) => collection.startsWith(prefix))) return;
  const why = reason('no_collection_of_items', { collection });
  throw new ServiceError('INVALID_COLLECTION', { collection, reason: why });
}

function pathOf(collection: string, key?: string | number): string {
  const path = `/items/${encodeURIComponent(collection)}`;
  return key === undefined
    ? path
    : `${path}/${encodeURIComponent(String(key)).replaceAll('%2C', ',')}`;
}

/** A query object as the parameters of a URL. */
function urlQuery(query: JsonObject | null | undefined): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    parameters.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return parameters.toString();
}

/** The text of a response. */
async function textOf({ body, release }: Response, limit: number): Promise<string> {
  if (body === null || body === undefined) return '';
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) {
    const text = Buffer.from(body).toString();
    release?.();
    return text;
  }
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    pieces.push(Buffer.from(piece));
    size += piece.length;
    if (size <= limit) continue;
    const why = reason('message_too_large', { limit });
    throw new ServiceError('CONTENT_TOO_LARGE', {
      limit,
      variable: 'ANSWER_MAX_SIZE',
      reason: why,
    });
  }
  return Buffer.concat(pieces).toString();
}

/** Sends requests to the REST routes on behalf of one connection. */
export class ItemRequests {
  readonly #services: EdgeServices;
  readonly #request: Request;

  constructor(services: EdgeServices, request: Request) {
    this.#services = services;
    this.#request = request;
  }

  /**
   * The members of a route's response: `"data":…` and optionally `"meta":…`; empty for an empty
   * response.
   */
  async ask(asked: RouteRequest): Promise<string> {
    await this.#services.limits.enter(this.#request);
    const answer = await routeResponse(this.#services, this.#request, asked);
    const text = await textOf(answer, this.#services.config.ANSWER_MAX_SIZE);
    return text === '' ? '' : text.slice(1, -1);
  }

  /** The value of `data` in a route's response. */
  async value(asked: RouteRequest): Promise<unknown> {
    const parsed: unknown = JSON.parse(`{${await this.ask(asked)}}`);
    return isJsonObject(parsed) ? parsed.data : undefined;
  }

  /** The first data for a subscriber: the current items. */
  async current({ collection, item, query }: SubscribeMessage): Promise<string> {
    if (item === null || item === undefined) return await this.#list(collection, query);
    const path = pathOf(collection, item);
    return await this.ask({ method: 'GET', path, query: urlQuery(query) });
  }

  async answer(message: ItemsMessage): Promise<string> {
    requireItemCollection(message.collection);
    switch (message.action) {
      case 'create':
        return await this.#create(message);
      case 'read':
        return await this.#read(message);
      case 'update':
        return await this.#update(message);
      case 'delete':
        return await this.#delete(message);
    }
  }

  async #list(collection: string, query: JsonObject | null | undefined): Promise<string> {
    const body = { query: query ?? {} };
    return await this.ask({ method: 'SEARCH', path: pathOf(collection), body });
  }

  async #create({ collection, data, query }: ItemsMessage): Promise<string> {
    if (data === undefined) throw invalidPayload(reason('message_data_item_expected'));
    const path = pathOf(collection);
    return await this.ask({ method: 'POST', path, query: urlQuery(query), body: data });
  }

  async #read({ collection, id, ids, query }: ItemsMessage): Promise<string> {
    if (id !== null && id !== undefined) {
      return await this.ask({
        ...{ method: 'GET', path: pathOf(collection, id), query: urlQuery(query) },
      });
    }
    if (!ids) return await this.#list(collection, query);
    const named = { [await this.#key(collection)]: { _in: ids } };
    const own = query?.filter;
    const filter = own === undefined || own === null ? named : { _and: [own, named] };
    return await this.#list(collection, { limit: -1, ...query, filter });
  }

  async #update(message: ItemsMessage): Promise<string> {
    const { collection, id, ids, data, query } = message;
    if (data === undefined) throw invalidPayload(reason('message_data_change_expected'));
    if (id !== null && id !== undefined) {
      return await this.ask({ method: 'PATCH', path: pathOf(collection, id), body: data });
    }
    const path = pathOf(collection);
    if (ids) {
      const body = { keys: ids, data };
      return await this.ask({ method: 'PATCH', path, query: urlQuery(query), body });
    }
    if (Array.isArray(data) || !query) {
      return await this.ask({ method: 'PATCH', path, query: urlQuery(query), body: data });
    }
    return await this.ask({ method: 'PATCH', path, body: { query, data } });
  }

  async #delete({ collection, id, ids, query }: ItemsMessage): Promise<string> {
    if (id !== null && id !== undefined) {
      await this.ask({ method: 'DELETE', path: pathOf(collection, id) });
      return `"data":${JSON.stringify(id)}`;
    }
    const keys = ids ?? (await this.#keysOf(collection, query));
    if (keys.length > 0) {
      await this.ask({ method: 'DELETE', path: pathOf(collection), body: keys });
    }
    return `"data":${JSON.stringify(keys)}`;
  }

  /** The keys of the items that a query finds. */
  async #keysOf(
    collection: string,
    query: JsonObject | null | undefined,
  ): Promise<readonly unknown[]> {
    if (!query) throw invalidPayload(reason('message_target_missing'));
    const name = await this.#key(collection);
    const asked = { ...query, fields: [name] };
    const path = pathOf(collection);
    const found = await this.value({ method: 'SEARCH', path, body: { query: asked } });
    return Array.isArray(found)
      ? found.map((item) => (isJsonObject(item) ? item[name] : item))
      : [];
  }

  /** The primary key field. */
  async #key(name: string): Promise<string> {
    const collection = this.#services.catalog.current().collections.get(name);
    const [field, ...others] = collection?.primaryKey ?? [];
    if (field !== undefined && others.length === 0) return field.name;
    // A caller without read permission gets that error, and no information about the key.
    await this.#list(name, { limit: 0 });
    throw invalidPayload(reason('message_ids_of_composite_key'));
  }
}
