/** What the profile shows of the caller's own user, as far as the caller may read it. */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { CALLER } from '../data/query-keys.ts';
import { mayField } from '../data/rights.ts';
import type { Rights } from '../data/schema-types.ts';
import type { Stored } from '../draft/use-draft.ts';

export const USERS = 'system_users';

/** The fields that the form changes. */
export const DETAILS = [
  'first_name',
  'last_name',
  'email',
  'title',
  'location',
  'description',
] as const;
const READ = ['id', 'avatar', 'tfa_secret', ...DETAILS] as const;

export type Detail = (typeof DETAILS)[number];
export type Details = Readonly<Partial<Record<Detail, string | null>>>;

/** Key of what a field of the form is called. */
export function detailText(field: string): string {
  return `profile.${field === 'title' ? 'jobTitle' : field}`;
}

export interface Profile extends Details {
  readonly id: string;
  readonly avatar?: string | null;
  /** Concealed: it tells only whether there is a second factor. */
  readonly tfa_secret?: string | null;
}

export const profileQuery = (rights: Rights) => {
  const fields = READ.filter((field) => mayField(rights, USERS, 'read', field));
  return queryOptions({
    queryKey: [CALLER, 'profile', fields],
    queryFn: ({ signal }) =>
      client.request<Profile>('GET', '/users/me', { query: { fields }, signal }),
  });
};

/** The part of a profile that the form changes. */
export function storedDetails(profile: Profile): Stored<Details> {
  const known = DETAILS.flatMap((name) => {
    const value = profile[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { item: Object.fromEntries(known), tag: null };
}

export const sessionsQuery = queryOptions({
  queryKey: [CALLER, 'sessions'],
  queryFn: ({ signal }) => client.me.sessions.list({ signal }),
});
