/** A request that reads items, as the copied texts write it in their languages. */
import type { Filter } from '../data/schema-types.ts';

/** What of the items is read. */
export interface ListRequest {
  readonly kind: 'list';
  readonly collection: string;
  readonly fields: readonly string[];
  readonly filter?: Filter;
  readonly search?: string;
  readonly sort?: readonly string[];
  readonly limit: number;
  readonly page?: number;
}

/** One item by its key, or the item of a singleton. */
export interface ItemRequest {
  readonly kind: 'item' | 'singleton';
  readonly collection: string;
  readonly fields: readonly string[];
  /** The key as the URLs of the App have it; empty for that of a singleton. */
  readonly key: string;
}

export type ReadRequest = ListRequest | ItemRequest;

const SYSTEM = 'system_';

/** Whether the routes of the collection are those of Sluice itself. */
export function isSystem(collection: string): boolean {
  return collection.startsWith(SYSTEM);
}

/** The name of the collection in the routes and the GraphQL schema that serve it. */
export function servedName(collection: string): string {
  return isSystem(collection) ? collection.slice(SYSTEM.length) : collection;
}

/** The path of the route that answers the request. */
export function routePath(request: ReadRequest): string {
  const name = encodeURIComponent(servedName(request.collection));
  const list = isSystem(request.collection) ? `/${name}` : `/items/${name}`;
  return request.kind === 'item' ? `${list}/${request.key}` : list;
}

/** The query of the request; what is as the server has it by default is left out. */
export function queryOf(request: ReadRequest): Readonly<Record<string, unknown>> {
  const { fields } = request;
  if (request.kind !== 'list') return { fields };
  const { filter, search, sort = [], limit, page = 1 } = request;
  return {
    fields,
    ...(filter !== undefined && { filter }),
    ...(search !== undefined && { search }),
    ...(sort.length > 0 && { sort }),
    limit,
    ...(page > 1 && { page }),
  };
}
