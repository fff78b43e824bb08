/** Who may do what in a world, as the tables of the service hold it, and what follows for a caller. */
import type { Json } from '../model.ts';

/** A row of the permissions. */
export interface Permission {
  readonly policy: string;
  readonly collection: string;
  readonly action: string;
  readonly permissions: Json;
  readonly validation: Json;
  readonly presets: Json;
  /** A comma list; `*` in it stands for every field. */
  readonly fields: string | null;
}

export interface Role {
  readonly id: string;
  readonly parent: string | null;
}

/** A policy for a role, for a user, or for the public. */
export interface Access {
  readonly policy: string;
  readonly role: string | null;
  readonly user: string | null;
  readonly sort: number;
}

export interface Person {
  /** Null: anonymous. */
  readonly user: string | null;
  readonly role: string | null;
}

export interface Society {
  readonly policies: readonly string[];
  readonly roles: readonly Role[];
  readonly access: readonly Access[];
  /** In the order of their ids. */
  readonly permissions: readonly Permission[];
  readonly persons: readonly Person[];
}

/** The role and its ancestors, the nearest first; a circle ends where it closes. */
export function rolesOf(society: Society, person: Person): string[] {
  const chain: string[] = [];
  let next = person.role;
  while (next !== null && !chain.includes(next)) {
    const current = next;
    chain.push(current);
    next = society.roles.find(({ id }) => id === current)?.parent ?? null;
  }
  return chain;
}

/**
 * The policies that hold for a person: those of the most distant ancestor first, the person's own
 * last. The public has its policies, and so has whoever has no role.
 */
export function policiesOf(society: Society, person: Person): string[] {
  const given = (fits: (access: Access) => boolean) =>
    society.access
      .filter(fits)
      .sort((a, b) => a.sort - b.sort)
      .map(({ policy }) => policy);
  const roles = rolesOf(society, person).reverse();
  const all = [
    ...(person.role === null ? given(({ role, user }) => role === null && user === null) : []),
    ...roles.flatMap((role) => given((access) => access.role === role)),
    ...(person.user === null ? [] : given((access) => access.user === person.user)),
  ];
  // One that is given several times counts where it weighs most.
  return all.filter((policy, index) => all.lastIndexOf(policy) === index);
}

/** One permission for one action: which fields, of which items. */
export interface Case {
  /** Null: all of them. */
  readonly fields: ReadonlySet<string> | null;
  readonly rule: Json;
  readonly validation: Json;
  readonly presets: Json;
}

function fieldsOf(text: string | null): ReadonlySet<string> | null {
  const names = (text ?? '').split(',');
  return names.includes('*') ? null : new Set(names.filter((name) => name !== ''));
}

/** The permissions of a person for an action on a collection; empty: none. */
export function casesOf(
  society: Society,
  person: Person,
  { collection, action }: { readonly collection: string; readonly action: string },
): Case[] {
  return policiesOf(society, person).flatMap((policy) =>
    society.permissions
      .filter(
        (row) => row.policy === policy && row.collection === collection && row.action === action,
      )
      .map(({ fields, permissions, validation, presets }) => ({
        fields: fieldsOf(fields),
        rule: permissions,
        validation,
        presets,
      })),
  );
}
