/**
 * Generates the operations of one entry in the route table: one for each collection that its path
 * may contain.
 */

import type { Action } from '#core/access/rights.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import type { ItemForm, RequiredRight, RouteFacts } from '#edge/rest/route-facts.ts';
import { answers } from './answer-object.ts';
import { requestBody } from './body-object.ts';
import type { ErrorAnswers } from './error-answer.ts';
import type { JsonSchema } from './json-schema.ts';
import { pascal } from './name.ts';
import { headerParameters, pathParameters, queryParameters } from './parameter-object.ts';
import type { SchemaVisibility } from './visibility.ts';

/** The inputs for generating an operation. */
export interface Surroundings {
  readonly sight: SchemaVisibility;
  /** The caller is a user. */
  readonly user: boolean;
  readonly errors: ErrorAnswers;
}

export interface Placed {
  /** The path with braces around its parameters. */
  readonly path: string;
  /** In lower case; a method that OpenAPI 3.1 does not support is in upper case. */
  readonly method: string;
  /** Generated on demand, because hundreds of collections have thousands of operations. */
  readonly operation: () => JsonSchema;
}

const ACTIONS: Readonly<Record<ItemForm, readonly Action[]>> = {
  list: ['read'],
  search: ['read'],
  read: ['read'],
  create: ['create'],
  upsert: ['create', 'update'],
  updateMany: ['update'],
  updateOne: ['update'],
  deleteMany: ['delete'],
  deleteOne: ['delete'],
};

const VERBS: Readonly<Record<ItemForm, string>> = {
  list: 'read',
  search: 'search',
  read: 'readSingle',
  create: 'create',
  upsert: 'upsert',
  updateMany: 'update',
  updateOne: 'updateSingle',
  deleteMany: 'delete',
  deleteOne: 'deleteSingle',
};

/** Only authenticated users may use it, so a request without a token is refused. */
const BY_USERS: readonly JsonSchema[] = [{ bearer: [] }, { accessToken: [] }, { session: [] }];

/** The forms of routes for singletons. */
const OF_SINGLETONS: ReadonlySet<ItemForm> = new Set(['list', 'search', 'updateMany']);
/** Forms that need a key. */
const BY_KEY: ReadonlySet<ItemForm> = new Set(['read', 'updateOne', 'deleteOne']);

/** Whether a collection supports this form and the caller has permission for it. */
function isUsable(sight: SchemaVisibility, collection: Collection, form: ItemForm): boolean {
  const { name, singleton, primaryKey } = collection;
  if (singleton && !OF_SINGLETONS.has(form)) return false;
  if (BY_KEY.has(form) && primaryKey.length === 0) return false;
  return ACTIONS[form].every((action) =>
    action === 'read' ? sight.reads(name) : sight.mayWrite(action, collection),
  );
}

function meets(sight: SchemaVisibility, { action, collection }: RequiredRight): boolean {
  if (sight.rights.admin) return true;
  if (collection !== 'any' && collection !== 'path') return sight.may(action, collection);
  return sight.collections.some((one) => !one.system && sight.may(action, one.name));
}

/** Whether the caller may use a route that does not concern items. */
function mayUse({ sight, user }: Surroundings, { access, needs = [] }: RouteFacts): boolean {
  switch (access) {
    case 'anyone':
      return true;
    case 'user':
    case 'account':
      return user;
    case 'administrator':
      return sight.rights.admin;
    case 'rights':
      return needs.some((need) => meets(sight, need));
  }
}

/** The collections that a path may contain; null for any. */
function namesIn(
  sight: SchemaVisibility,
  { needs = [], path }: RouteFacts,
): readonly string[] | null {
  if (!path.includes(':collection')) return null;
  const own = needs.filter(({ collection }) => collection === 'path');
  const known = [...sight.catalog.collections.values()];
  if (own.length === 0) {
    return known.filter(({ name }) => sight.may('read', name)).map(({ name }) => name);
  }
  return known
    .filter(({ name, system, table, primaryKey }) => {
      const isWritten = !system && table !== null && primaryKey.length > 0;
      return isWritten && own.some(({ action }) => sight.may(action, name));
    })
    .map(({ name }) => name);
}

function pathOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

/** `postAuthLogin` for `POST /auth/login`. */
function idOf({ method, path }: RouteFacts): string {
  const parts = path.split('/').map((part) => {
    return part.startsWith(':') ? `By${pascal(part.slice(1))}` : pascal(part);
  });
  return method.toLowerCase() + parts.join('');
}

/** The first segment of a path is its tag. */
function tagOf({ path }: RouteFacts): string {
  return pascal(path.split('/')[1] ?? '');
}

function methodOf({ method, headOnly }: RouteFacts): string {
  if (method === 'SEARCH') return method;
  return headOnly === true ? 'head' : method.toLowerCase();
}

interface Facts {
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly collection: Collection | null;
  readonly names: readonly string[] | null;
}

function operationOf({ sight, errors }: Surroundings, entry: RouteFacts, facts: Facts): JsonSchema {
  const { collection } = facts;
  const body = requestBody(sight, entry, collection);
  const parameters = [
    ...pathParameters(facts.path, collection, facts.names),
    ...queryParameters(sight, entry, collection),
    ...headerParameters(entry),
  ];
  const isOfUsers = ['user', 'account', 'administrator'].includes(entry.access);
  return {
    operationId: facts.id,
    summary: facts.summary,
    tags: [facts.tag],
    ...(isOfUsers ? { security: BY_USERS } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null ? {} : { requestBody: body }),
    responses: { ...answers(sight, entry, collection), ...errors.of(entry) },
  };
}

function placed(around: Surroundings, entry: RouteFacts, facts: Facts): Placed {
  return {
    path: pathOf(facts.path),
    method: methodOf(entry),
    operation: () => operationOf(around, entry, facts),
  };
}

/** The operations of a route for the items of a collection. */
function ofCollection(
  around: Surroundings,
  entry: RouteFacts,
  form: ItemForm,
  collection: Collection,
): Placed {
  const name = around.sight.nameOf(collection.name);
  // `:` in a name would be parsed as a path parameter.
  const path = entry.path.replace(':collection', () =>
    encodeURIComponent(collection.name).replaceAll(':', '%3A'),
  );
  // A path with more segments than the usual ones has its own name.
  const isOwn = entry.items?.collection !== null && !isUsual(entry);
  return placed(around, entry, {
    path,
    id: isOwn ? idOf(entry) : VERBS[form] + name,
    tag: name,
    summary:
      entry.items?.collection === null ? `${entry.summary} of ${collection.name}` : entry.summary,
    collection,
    names: null,
  });
}

/** `/users` and `/users/:key`, but not `/users/me`. */
function isUsual({ path }: RouteFacts): boolean {
  return /^\/\w+(\/:key)?$/.test(path);
}

/** The operations of a route that the caller may use. */
export function operationsOf(around: Surroundings, entry: RouteFacts): readonly Placed[] {
  const { sight } = around;
  const { items } = entry;
  if (entry.leftOut !== undefined) return [];
  if (items !== undefined && items.collection === null) {
    return sight.collections
      .filter((one) => !one.system && isUsable(sight, one, items.form))
      .map((one) => ofCollection(around, entry, items.form, one));
  }
  if (items !== undefined) {
    const collection = sight.catalog.collections.get(items.collection ?? '');
    const isAllowed =
      entry.access === 'rights'
        ? collection !== undefined && isUsable(sight, collection, items.form)
        : mayUse(around, entry);
    if (collection === undefined || !isAllowed) return [];
    return [ofCollection(around, entry, items.form, collection)];
  }
  if (!mayUse(around, entry)) return [];
  const { path, summary } = entry;
  const names = namesIn(sight, entry);
  return [
    placed(around, entry, {
      path,
      id: idOf(entry),
      tag: tagOf(entry),
      summary,
      collection: null,
      names,
    }),
  ];
}
