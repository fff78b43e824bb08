/** Reads a role or a user as its form changes it: with its policies, and with the tag of all that. */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { may, mayField } from '../data/rights.ts';
import type { Rights } from '../data/schema-types.ts';
import { OWN_FIELDS } from './access-queries.ts';
import { ACCESS, ROLES, USERS } from './access-types.ts';
import type { Attachment } from './attachments.ts';

/** A role or a user with its policies, in their order. */
export interface StoredHolder<T> {
  readonly value: T;
  readonly access: readonly Attachment[];
  /** For `If-Match`. */
  readonly tag: string | null;
}

/** How a role or a user is read by its form: what is written back is compared with that. */
export interface HolderRead {
  readonly collection: string;
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
}

const ATTACHED = ['id', 'policy', 'sort'].map((field) => `policies.${field}`);

function holderRead(
  collection: string,
  id: string,
  fields: readonly string[],
  withPolicies: boolean,
): HolderRead {
  return {
    collection,
    path: `/${collection.slice('system_'.length)}/${encodeURIComponent(id)}`,
    query: {
      fields: withPolicies ? [...fields, ...ATTACHED] : fields,
      ...(withPolicies && { deep: { policies: { _limit: -1, _sort: ['sort', 'id'] } } }),
    },
  };
}

export const holderQuery = <T>({ collection, path, query }: HolderRead) =>
  queryOptions({
    queryKey: ['items', collection, 'form', path, query],
    queryFn: async ({ signal }): Promise<StoredHolder<T>> => {
      const answer = await client.open('GET', path, { query, signal });
      const { data }: { readonly data: T & { readonly policies?: readonly Attachment[] } } =
        await answer.json();
      return { value: data, access: data.policies ?? [], tag: answer.headers.get('etag') };
    },
  });

/** Whether the caller may read which policies a holder has. */
export function readsPolicies(rights: Rights, collection: string): boolean {
  return mayField(rights, collection, 'read', 'policies') && may(rights, ACCESS, 'read');
}

/** What the form of a user changes; what changes by itself, as the last access does, is not among it. */
export const userRead = (id: string, rights: Rights) =>
  holderRead(
    USERS,
    id,
    OWN_FIELDS.filter((field) => mayField(rights, USERS, 'read', field)),
    readsPolicies(rights, USERS),
  );

export const roleRead = (id: string, rights: Rights) =>
  holderRead(
    ROLES,
    id,
    ['id', 'name', 'icon', 'description', 'parent'],
    readsPolicies(rights, ROLES),
  );
