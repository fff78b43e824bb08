/** The fields of the system endpoint that do not concern items of a single collection. */
import {
  type GraphQLArgumentConfig,
  GraphQLBoolean,
  type GraphQLFieldConfig,
  GraphQLID,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql';
import type { RouteRequest } from '#edge/http/inner-request.ts';
import { JSON_VALUE, VOID } from './scalars.ts';
import type { SchemaShapes } from './schema-shapes.ts';
import {
  AUTH_MODE,
  COLLECTIONS,
  CREATE_COLLECTION,
  CREATE_FIELD,
  CREATE_RELATION,
  DELETED_COLLECTION,
  DELETED_FIELD,
  DELETED_RELATION,
  FIELDS,
  GLOBALS,
  RELATIONS,
  SESSIONS,
  SPECS_SCOPE,
  TEXT,
  TFA,
  TOKENS,
  UPDATE_COLLECTION,
  UPDATE_FIELD,
  UPDATE_RELATION,
} from './system-types.ts';

type Given = Readonly<Record<string, unknown>>;

/** A field that a REST route answers. */
export interface RouteField {
  readonly config: GraphQLFieldConfig<unknown, unknown>;
  readonly request: (given: Given) => RouteRequest;
  /** At most once in an operation, because it could guess secrets or is expensive. */
  readonly once: boolean;
  /** The result of the field, instead of the route's response. */
  readonly answer?: (given: Given) => unknown;
}

function required(type: GraphQLNullableInputType): GraphQLArgumentConfig {
  return { type: new GraphQLNonNull(type) };
}

function optional(type: GraphQLInputType): GraphQLArgumentConfig {
  return { type };
}

type Methods = RouteRequest['method'];

function at(...parts: readonly unknown[]): string {
  return parts.map((part) => `/${encodeURIComponent(String(part))}`).join('');
}

function field(
  type: GraphQLOutputType,
  args: Readonly<Record<string, GraphQLArgumentConfig>>,
  method: Methods,
  path: (given: Given) => string,
  more: Partial<Pick<RouteField, 'once' | 'answer'>> & {
    readonly body?: (given: Given) => unknown;
    readonly query?: (given: Given) => string;
  } = {},
): RouteField {
  const { body, query, once = false, answer } = more;
  const request = (given: Given): RouteRequest => ({
    ...{ method, path: path(given) },
    ...(body === undefined ? {} : { body: body(given) }),
    ...(query === undefined ? {} : { query: query(given) }),
  });
  const made = { config: { type, args }, request, once };
  return answer === undefined ? made : { ...made, answer };
}

const one = { collection: required(TEXT), field: required(TEXT) };
const list = (type: GraphQLObjectType) =>
  new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)));
const all = (given: Given) => given;
const dataOf = ({ data }: Given) => data;

/** The present members among these names. */
function only(...names: readonly string[]) {
  return (given: Given): Given =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = given[name];
        return value === undefined || value === null ? [] : [[name, value] as const];
      }),
    );
}

const PUBLIC_QUERIES: Readonly<Record<string, RouteField>> = {
  server_ping: field(TEXT, {}, 'GET', () => '/server/ping'),
  server_info: field(JSON_VALUE, {}, 'GET', () => '/server/info'),
  server_health: field(JSON_VALUE, {}, 'GET', () => '/server/health'),
  permissions_me: field(JSON_VALUE, {}, 'GET', () => '/permissions/me'),
  roles_me: field(JSON_VALUE, {}, 'GET', () => '/roles/me'),
  server_specs_oas: field(JSON_VALUE, {}, 'GET', () => '/server/specs/oas'),
  server_specs_graphql: field(TEXT, { scope: optional(SPECS_SCOPE) }, 'GET', ({ scope }) =>
    scope === 'system' ? '/server/specs/graphql/system' : '/server/specs/graphql/items',
  ),
  users_me_sessions: field(list(SESSIONS), {}, 'GET', () => '/users/me/sessions'),
  policies_me_globals: field(GLOBALS, {}, 'GET', () => '/policies/me/globals'),
};

const SCHEMA_QUERIES: Readonly<Record<string, RouteField>> = {
  collections: field(list(COLLECTIONS), {}, 'GET', () => '/collections'),
  collections_by_name: field(COLLECTIONS, { name: required(TEXT) }, 'GET', ({ name }) =>
    at('collections', name),
  ),
  fields: field(list(FIELDS), {}, 'GET', () => '/fields'),
  fields_in_collection: field(
    list(FIELDS),
    { collection: required(TEXT) },
    'GET',
    ({ collection }) => at('fields', collection),
  ),
  fields_by_name: field(FIELDS, one, 'GET', (given) => at('fields', given.collection, given.field)),
  relations: field(list(RELATIONS), {}, 'GET', () => '/relations'),
  relations_in_collection: field(
    list(RELATIONS),
    { collection: required(TEXT) },
    'GET',
    ({ collection }) => at('relations', collection),
  ),
  relations_by_name: field(RELATIONS, one, 'GET', (given) =>
    at('relations', given.collection, given.field),
  ),
};

const MODES = { mode: optional(AUTH_MODE) };
/** By default GraphQL returns tokens in the response. */
const withMode = (given: Given): Given => ({ mode: 'json', ...only('mode')(given) });
const once = { once: true } as const;

const PUBLIC_MUTATIONS: Readonly<Record<string, RouteField>> = {
  auth_login: field(
    TOKENS,
    { email: required(TEXT), password: required(TEXT), otp: optional(TEXT), ...MODES },
    'POST',
    () => '/auth/login',
    {
      ...once,
      body: (given) => ({ ...only('email', 'password', 'otp')(given), ...withMode(given) }),
    },
  ),
  auth_refresh: field(
    TOKENS,
    { refresh_token: optional(TEXT), ...MODES },
    'POST',
    () => '/auth/refresh',
    { ...once, body: (given) => ({ ...only('refresh_token')(given), ...withMode(given) }) },
  ),
  auth_logout: field(
    GraphQLBoolean,
    { refresh_token: optional(TEXT), ...MODES },
    'POST',
    () => '/auth/logout',
    { ...once, body: (given) => ({ ...only('refresh_token')(given), ...withMode(given) }) },
  ),
  auth_password_request: field(
    GraphQLBoolean,
    { email: required(TEXT), reset_url: optional(TEXT) },
    'POST',
    () => '/auth/password/request',
    { ...once, body: only('email', 'reset_url') },
  ),
  auth_password_reset: field(
    GraphQLBoolean,
    { token: required(TEXT), password: required(TEXT) },
    'POST',
    () => '/auth/password/reset',
    { ...once, body: all },
  ),
  users_register: field(
    GraphQLBoolean,
    {
      ...{ email: required(TEXT), password: required(TEXT), verification_url: optional(TEXT) },
      ...{ first_name: optional(TEXT), last_name: optional(TEXT) },
    },
    'POST',
    () => '/users/register',
    {
      ...once,
      body: only('email', 'password', 'verification_url', 'first_name', 'last_name'),
    },
  ),
  users_invite_accept: field(
    GraphQLBoolean,
    { token: required(TEXT), password: required(TEXT) },
    'POST',
    () => '/users/invite/accept',
    { ...once, body: all },
  ),
  utils_random_string: field(
    TEXT,
    { length: optional(GraphQLInt) },
    'GET',
    () => '/utils/random/string',
    { query: ({ length }) => (typeof length === 'number' ? `length=${length}` : '') },
  ),
  utils_hash_generate: field(
    TEXT,
    { string: required(TEXT) },
    'POST',
    () => '/utils/hash/generate',
    { ...once, body: all },
  ),
  utils_hash_verify: field(
    GraphQLBoolean,
    { string: required(TEXT), hash: required(TEXT) },
    'POST',
    () => '/utils/hash/verify',
    { ...once, body: all },
  ),
};

const USER_MUTATIONS: Readonly<Record<string, RouteField>> = {
  users_me_tfa_generate: field(
    TFA,
    { password: required(TEXT) },
    'POST',
    () => '/users/me/tfa/generate',
    { ...once, body: all },
  ),
  users_me_tfa_enable: field(
    GraphQLBoolean,
    { otp: required(TEXT), secret: required(TEXT) },
    'POST',
    () => '/users/me/tfa/enable',
    { ...once, body: all },
  ),
  users_me_tfa_disable: field(
    GraphQLBoolean,
    { otp: required(TEXT) },
    'POST',
    () => '/users/me/tfa/disable',
    { ...once, body: all },
  ),
  users_me_sessions_end: field(GraphQLBoolean, { id: required(GraphQLID) }, 'DELETE', ({ id }) =>
    at('users', 'me', 'sessions', id),
  ),
  users_me_sessions_end_others: field(
    GraphQLBoolean,
    {},
    'DELETE',
    () => '/users/me/sessions',
    once,
  ),
  users_invite: field(
    GraphQLBoolean,
    { email: required(TEXT), role: required(TEXT), invite_url: optional(TEXT) },
    'POST',
    () => '/users/invite',
    { ...once, body: only('email', 'role', 'invite_url') },
  ),
  utils_sort: field(
    GraphQLBoolean,
    { collection: required(TEXT), item: required(GraphQLID), to: required(GraphQLID) },
    'POST',
    ({ collection }) => at('utils', 'sort', collection),
    { body: only('item', 'to') },
  ),
  utils_revert: field(GraphQLBoolean, { revision: required(GraphQLID) }, 'POST', ({ revision }) =>
    at('utils', 'revert', revision),
  ),
};

const ADMIN_MUTATIONS: Readonly<Record<string, RouteField>> = {
  utils_cache_clear: field(VOID, {}, 'POST', () => '/utils/cache/clear', {
    ...once,
    answer: () => null,
  }),
  create_collections_item: field(
    COLLECTIONS,
    { data: required(CREATE_COLLECTION), concurrentIndexCreation: optional(GraphQLBoolean) },
    'POST',
    () => '/collections',
    { body: dataOf, query: concurrently },
  ),
  update_collections_item: field(
    COLLECTIONS,
    { collection: required(TEXT), data: required(UPDATE_COLLECTION) },
    'PATCH',
    ({ collection }) => at('collections', collection),
    { body: dataOf },
  ),
  rename_collections_item: field(
    COLLECTIONS,
    { collection: required(TEXT), to: required(TEXT) },
    'POST',
    ({ collection }) => at('collections', collection, 'rename'),
    { body: ({ to }) => ({ collection: to }) },
  ),
  delete_collections_item: field(
    DELETED_COLLECTION,
    { collection: required(TEXT) },
    'DELETE',
    ({ collection }) => at('collections', collection),
    { answer: only('collection') },
  ),
  create_fields_item: field(
    FIELDS,
    {
      ...{ collection: required(TEXT), data: required(CREATE_FIELD) },
      concurrentIndexCreation: optional(GraphQLBoolean),
    },
    'POST',
    ({ collection }) => at('fields', collection),
    { body: dataOf, query: concurrently },
  ),
  update_fields_item: field(
    FIELDS,
    {
      ...{ ...one, data: required(UPDATE_FIELD) },
      concurrentIndexCreation: optional(GraphQLBoolean),
    },
    'PATCH',
    (given) => at('fields', given.collection, given.field),
    { body: dataOf, query: concurrently },
  ),
  update_fields_items: field(
    list(FIELDS),
    {
      collection: required(TEXT),
      data: required(new GraphQLList(new GraphQLNonNull(UPDATE_FIELD))),
    },
    'PATCH',
    ({ collection }) => at('fields', collection),
    { body: dataOf },
  ),
  rename_fields_item: field(
    FIELDS,
    { ...one, to: required(TEXT) },
    'POST',
    (given) => at('fields', given.collection, given.field, 'rename'),
    { body: ({ to }) => ({ field: to }) },
  ),
  delete_fields_item: field(
    DELETED_FIELD,
    one,
    'DELETE',
    (given) => at('fields', given.collection, given.field),
    { answer: only('collection', 'field') },
  ),
  create_relations_item: field(
    RELATIONS,
    { data: required(CREATE_RELATION) },
    'POST',
    () => '/relations',
    { body: dataOf },
  ),
  update_relations_item: field(
    RELATIONS,
    { ...one, data: required(UPDATE_RELATION) },
    'PATCH',
    (given) => at('relations', given.collection, given.field),
    { body: dataOf },
  ),
  delete_relations_item: field(
    DELETED_RELATION,
    one,
    'DELETE',
    (given) => at('relations', given.collection, given.field),
    { answer: only('collection', 'field') },
  ),
};

function concurrently({ concurrentIndexCreation }: Given): string {
  return concurrentIndexCreation === true ? 'concurrentIndexCreation' : '';
}

/** The fields that a caller with these permissions has. */
export function routeFields({ rights }: SchemaShapes): {
  readonly queries: Readonly<Record<string, RouteField>>;
  readonly mutations: Readonly<Record<string, RouteField>>;
} {
  const seesSchema = rights.admin || rights.collections.size > 0;
  return {
    queries: { ...PUBLIC_QUERIES, ...(seesSchema ? SCHEMA_QUERIES : {}) },
    mutations: {
      ...PUBLIC_MUTATIONS,
      ...USER_MUTATIONS,
      ...(rights.admin ? ADMIN_MUTATIONS : {}),
    },
  };
}
