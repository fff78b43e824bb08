/**
 * What the App reads of the server beside items, as queries of TanStack Query: each is read once and
 * kept until something invalidates it. Metadata is read per collection, because that of all of an
 * installation with 500 collections is several megabytes.
 */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { client } from './client.ts';
import { CALLER, SCHEMA } from './query-keys.ts';
import { undescribedLists } from './relation-of.ts';
import type { Collection, Field, Relation, Rights } from './schema-types.ts';

const FOR_LONG = { staleTime: Number.POSITIVE_INFINITY } as const;

export interface Me {
  readonly id: string;
  readonly first_name?: string | null;
  readonly last_name?: string | null;
  readonly email?: string | null;
  readonly language?: string | null;
  readonly appearance?: string | null;
  readonly text_direction?: string | null;
  readonly avatar?: string | null;
  readonly role?: string | null;
}

export interface Project {
  readonly project_name?: string;
  readonly project_descriptor?: string | null;
  readonly project_color?: string;
  readonly project_logo?: string | null;
  readonly public_note?: string | null;
  readonly public_favicon?: string | null;
  readonly public_background?: string | null;
  readonly default_language?: string;
  readonly default_appearance?: string;
  readonly public_registration?: boolean;
  readonly public_registration_verify_email?: boolean;
}

/** The public settings of the project, which everybody may read. */
export const projectQuery = queryOptions({
  queryKey: ['project'],
  queryFn: async ({ signal }): Promise<Project> => {
    const { project } = await client.request<{ project: Project }>('GET', '/server/info', {
      signal,
    });
    return project;
  },
  ...FOR_LONG,
});

const ME_FIELDS = ['id', 'first_name', 'last_name', 'email', 'language', 'appearance'];

export const meQuery = queryOptions({
  queryKey: [CALLER, 'me'],
  queryFn: ({ signal }) =>
    client.request<Me>('GET', '/users/me', {
      query: { fields: [...ME_FIELDS, 'text_direction', 'avatar', 'role'] },
      signal,
    }),
  ...FOR_LONG,
});

export const globalsQuery = queryOptions({
  queryKey: [CALLER, 'globals'],
  queryFn: ({ signal }) => client.me.access({ signal }),
  ...FOR_LONG,
});

export const rightsQuery = queryOptions({
  queryKey: [CALLER, 'rights'],
  queryFn: ({ signal }) => client.me.permissions({ signal }),
  ...FOR_LONG,
});

export interface ServerAbilities {
  readonly websocket?: false | { readonly rest: false | object };
  readonly version?: string;
  /** Whether mails are sent. */
  readonly mail?: boolean;
}

/** What the server can do, and which it is. */
export const serverQuery = queryOptions({
  queryKey: [CALLER, 'server'],
  queryFn: ({ signal }): Promise<ServerAbilities> =>
    client.request('GET', '/server/info', { signal }),
  ...FOR_LONG,
});

/** All collections that the caller may see, by name. */
export const collectionsQuery = queryOptions({
  queryKey: [SCHEMA, 'collections'],
  queryFn: async ({ signal }) => {
    const list = await client.request<Collection[]>('GET', '/collections', { signal });
    return new Map(list.map((collection) => [collection.collection, collection]));
  },
  ...FOR_LONG,
});

/** The same fields, with those of the key at their places in the order of the key. */
function inKeyOrder(fields: readonly Field[], key: readonly string[]): readonly Field[] {
  const inOrder = key.flatMap((name) => fields.find(({ field }) => field === name) ?? []);
  return fields.map((field) => (key.includes(field.field) ? (inOrder.shift() ?? field) : field));
}

/**
 * The fields of one collection, in the order of its form, then the lists of items that refer to its
 * own; see `keyFields` for those of its key.
 */
export const fieldsQuery = (collection: string) =>
  queryOptions({
    queryKey: [SCHEMA, 'fields', collection],
    queryFn: async ({ signal, client: queryClient }): Promise<readonly Field[]> => {
      const path = `/fields/${encodeURIComponent(collection)}`;
      const fields = await client.request<Field[]>('GET', path, { signal });
      const place = ({ meta }: Field) => meta?.sort ?? Number.MAX_SAFE_INTEGER;
      const relations = await queryClient.fetchQuery(relationsQuery).catch(() => []);
      const described = fields.toSorted((a, b) => place(a) - place(b));
      const sorted = [...described, ...undescribedLists(collection, described, relations)];
      const key = (await queryClient.ensureQueryData(collectionsQuery)).get(collection)?.schema;
      return inKeyOrder(sorted, key?.primary_key ?? []);
    },
    ...FOR_LONG,
  });

/** The fields of all collections at once, which may be megabytes. */
export const allFieldsQuery = queryOptions({
  queryKey: [SCHEMA, 'all-fields'],
  queryFn: ({ signal }) => client.request<Field[]>('GET', '/fields', { signal }),
  ...FOR_LONG,
});

export const relationsQuery = queryOptions({
  queryKey: [SCHEMA, 'relations'],
  queryFn: ({ signal }) =>
    client.request<Relation[]>('GET', '/relations', { query: { reverse: true }, signal }),
  ...FOR_LONG,
});

const NO_RIGHTS: Rights = {};
const NO_FIELDS: readonly Field[] = [];
const NO_COLLECTIONS: ReadonlyMap<string, Collection> = new Map();

/** What the caller may do; nothing while that is not known. */
export function useRights(): Rights {
  return useQuery(rightsQuery).data ?? NO_RIGHTS;
}

export function useIsAdministrator(): boolean {
  return useQuery(globalsQuery).data?.admin_access === true;
}

/** All collections by name; empty while they load. */
export function useCollections(): ReadonlyMap<string, Collection> {
  return useQuery(collectionsQuery).data ?? NO_COLLECTIONS;
}

/** The fields of a collection; empty while they load. @public */
export function useFields(collection: string): readonly Field[] {
  return useQuery(fieldsQuery(collection)).data ?? NO_FIELDS;
}
