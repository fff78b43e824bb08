/** Reads users, roles, policies, and what leads from one to the other. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { mayField } from '../data/rights.ts';
import type { Filter, Rights } from '../data/schema-types.ts';
import {
  ACCESS,
  type Access,
  PERMISSIONS,
  type Permission,
  POLICIES,
  type Policy,
  ROLES,
  type Role,
  USERS,
  type User,
} from './access-types.ts';

export const POLICY_FIELDS = [
  ...['id', 'name', 'icon', 'description', 'ip_access'],
  ...['enforce_tfa', 'admin_access', 'app_access'],
];
export const RULE_FIELDS = [
  ...['id', 'policy', 'collection', 'action'],
  ...['permissions', 'validation', 'presets', 'fields'],
];
const ALL = { limit: -1 } as const;

async function listAll<T>(
  path: string,
  query: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  return client.request<T[]>('GET', path, { query: { ...ALL, ...query }, signal });
}

export const policiesQuery = queryOptions({
  queryKey: ['items', POLICIES, 'list', 'all'],
  queryFn: ({ signal }) =>
    listAll<Policy>('/policies', { fields: POLICY_FIELDS, sort: ['name', 'id'] }, signal),
});

export const rolesQuery = queryOptions({
  queryKey: ['items', ROLES, 'list', 'all'],
  queryFn: ({ signal }) =>
    listAll<Role>(
      '/roles',
      { fields: ['id', 'name', 'icon', 'description', 'parent'], sort: ['name', 'id'] },
      signal,
    ),
});

/** The rows of access that a filter chooses. */
export const accessQuery = (filter: Filter) =>
  queryOptions({
    queryKey: ['items', ACCESS, 'list', filter],
    queryFn: ({ signal }) =>
      listAll<Access>(
        '/access',
        { fields: ['id', 'role', 'user', 'policy', 'sort'], filter, sort: ['sort', 'id'] },
        signal,
      ),
  });

/** What gives policies to roles and to the public: few, however many users there are. */
export const sharedAccessQuery = accessQuery({ user: { _null: true } });

/** The permissions of some policies, and what app access grants besides, marked `system`. */
export const permissionsQuery = (policies: readonly string[]) =>
  queryOptions({
    queryKey: ['items', PERMISSIONS, 'list', policies],
    queryFn: ({ signal }): Promise<readonly Permission[]> => {
      // By SEARCH, because many policies do not fit into a URL.
      const own = policies.length === 0 ? [] : [{ policy: { _in: policies } }];
      const filter = { _or: [...own, { policy: { _null: true } }] };
      const query = { ...ALL, fields: RULE_FIELDS, filter, sort: ['id'] };
      return client.request<Permission[]>('SEARCH', '/permissions', { body: { query }, signal });
    },
  });

const PERSON = ['id', 'first_name', 'last_name', 'email'];

export interface PolicyUse {
  readonly id: string;
  readonly role: Pick<Role, 'id' | 'name'> | null;
  readonly user: Pick<User, 'id' | 'first_name' | 'last_name' | 'email'> | null;
}

/** Who has a policy; both null for everybody. */
export const policyUseQuery = (policy: string) =>
  queryOptions({
    queryKey: ['items', ACCESS, 'list', 'of-policy', policy],
    queryFn: ({ signal }) =>
      listAll<PolicyUse>(
        '/access',
        {
          fields: ['id', 'role.id', 'role.name', ...PERSON.map((field) => `user.${field}`)],
          filter: { policy: { _eq: policy } },
          sort: ['role.name', 'id'],
        },
        signal,
      ),
  });

export const OWN_FIELDS = ['id', 'first_name', 'last_name', 'email', 'status', 'role', 'language'];
const USER_FIELDS = [...OWN_FIELDS, 'last_access', 'token', 'tfa_secret'];

/** What the caller may read of a user. */
export function userFields(rights: Rights): readonly string[] {
  return USER_FIELDS.filter((field) => mayField(rights, USERS, 'read', field));
}

export const userQuery = (id: string, fields: readonly string[]) =>
  queryOptions({
    queryKey: ['items', USERS, 'one', id, fields],
    queryFn: ({ signal }) =>
      client.request<User>('GET', `/users/${encodeURIComponent(id)}`, {
        query: { fields },
        signal,
      }),
  });

export interface UserSearch {
  readonly search: string;
  readonly role: string;
  readonly status: string;
  readonly page: number;
}

export const USERS_PER_PAGE = 50;

interface UserPage {
  readonly data: readonly User[];
  readonly meta: { readonly filter_count: number };
}

/** A page of users; an empty role or status is any, and `none` is no role. */
export const userListQuery = (
  { search, role, status, page }: UserSearch,
  fields: readonly string[],
) =>
  queryOptions({
    queryKey: ['items', USERS, 'list', search, role, status, page, fields],
    queryFn: async ({ signal }): Promise<UserPage> => {
      const ofRole = role === 'none' ? { _null: true } : { _eq: role };
      const filter = {
        _and: [
          ...(role === '' ? [] : [{ role: ofRole }]),
          ...(status === '' ? [] : [{ status: { _eq: status } }]),
        ],
      };
      const query = {
        ...{ fields, filter, page, limit: USERS_PER_PAGE, meta: 'filter_count' },
        sort: ['last_name', 'first_name', 'email', 'id'],
        ...(search.trim() !== '' && { search: search.trim() }),
      };
      const answer = await client.open('GET', '/users', { query, signal });
      return answer.json();
    },
    placeholderData: keepPreviousData,
  });
