/** Reads a user, a role or a policy as its form changes it, with the tag of all that. */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { collectionsQuery } from '../data/queries.ts';
import { queryClient } from '../data/query-client.ts';
import { may, mayField } from '../data/rights.ts';
import type { Rights } from '../data/schema-types.ts';
import type { Stored } from '../draft/use-draft.ts';
import { OWN_FIELDS, POLICY_FIELDS, RULE_FIELDS } from './access-queries.ts';
import { ACCESS, POLICIES, ROLES, type Role, USERS } from './access-types.ts';
import { type Attachment, policiesOf } from './attachments.ts';
import { type StoredPolicy, storedPolicy, type WholePolicy } from './policy-item.ts';
import type { EditedUser } from './user-fields.tsx';

/** A role or a user with the keys of its policies, in their order. */
export interface StoredHolder<T> extends Stored<T & { readonly policies: readonly string[] }> {
  readonly access: readonly Attachment[];
}

/** How a form reads: what is written back is compared with that. */
export interface FormRead<S> {
  readonly collection: string;
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly storedOf: (answer: Response) => Promise<S>;
}

export const formQuery = <S>({ collection, path, query, storedOf }: FormRead<S>) =>
  queryOptions({
    queryKey: ['items', collection, 'form', path, query],
    queryFn: async ({ signal }): Promise<S> =>
      storedOf(await client.open('GET', path, { query, signal })),
  });

function pathOf(collection: string, id: string): string {
  return `/${collection.slice('system_'.length)}/${encodeURIComponent(id)}`;
}

/** Whether the caller may read which policies a holder has. */
export function readsPolicies(rights: Rights, collection: string): boolean {
  return mayField(rights, collection, 'read', 'policies') && may(rights, ACCESS, 'read');
}

const ATTACHED = ['id', 'policy', 'sort'].map((field) => `policies.${field}`);

async function storedHolder<T>(answer: Response): Promise<StoredHolder<T>> {
  const { data }: { readonly data: T & { readonly policies?: readonly Attachment[] } } =
    await answer.json();
  const access = data.policies ?? [];
  const item = { ...data, policies: policiesOf(access) };
  return { item, access, tag: answer.headers.get('etag') };
}

function holderRead<T>(
  collection: string,
  id: string,
  fields: readonly string[],
  rights: Rights,
): FormRead<StoredHolder<T>> {
  const withPolicies = readsPolicies(rights, collection);
  return {
    collection,
    path: pathOf(collection, id),
    query: {
      fields: withPolicies ? [...fields, ...ATTACHED] : fields,
      ...(withPolicies && { deep: { policies: { _limit: -1, _sort: ['sort', 'id'] } } }),
    },
    storedOf: storedHolder<T>,
  };
}

/** What the form of a user changes; what changes by itself, as the last access does, is not among it. */
export function userRead(id: string, rights: Rights) {
  const fields = OWN_FIELDS.filter((field) => mayField(rights, USERS, 'read', field));
  return holderRead<EditedUser>(USERS, id, fields, rights);
}

export function roleRead(id: string, rights: Rights) {
  return holderRead<Role>(ROLES, id, ['id', 'name', 'icon', 'description', 'parent'], rights);
}

export function policyRead(id: string): FormRead<StoredPolicy> {
  return {
    collection: POLICIES,
    path: pathOf(POLICIES, id),
    query: {
      fields: [...POLICY_FIELDS, ...RULE_FIELDS.map((field) => `permissions.${field}`)],
      deep: { permissions: { _limit: -1 } },
    },
    async storedOf(answer) {
      const { data }: { readonly data: WholePolicy } = await answer.json();
      const collections = await queryClient.ensureQueryData(collectionsQuery);
      return storedPolicy(data, collections.keys(), answer.headers.get('etag'));
    },
  };
}
