/** Users, roles, policies and permissions, as the API tells them. */
import type { Filter, Item } from '../data/schema-types.ts';

/** Their fields are chosen at run time, so that the compiler knows none. */
export const USERS: string = 'system_users';
export const ROLES: string = 'system_roles';
export const POLICIES: string = 'system_policies';
export const ACCESS: string = 'system_access';
export const PERMISSIONS: string = 'system_permissions';

export type Action = 'create' | 'read' | 'update' | 'delete';

/** What can be done with items, in the order of the matrix. */
export const ACTIONS: readonly Action[] = ['create', 'read', 'update', 'delete'];

export interface Policy {
  readonly id: string;
  readonly name: string;
  readonly icon: string | null;
  readonly description: string | null;
  readonly ip_access: readonly string[] | null;
  readonly enforce_tfa: boolean;
  readonly admin_access: boolean;
  readonly app_access: boolean;
}

/** A row of permissions; of several for one action any may apply. */
export interface Permission {
  /** Missing for what app access grants, which has no row. */
  readonly id?: number;
  readonly policy?: string | null;
  readonly collection: string;
  readonly action: string;
  readonly permissions: Filter | null;
  readonly validation: Filter | null;
  readonly presets: Item | null;
  readonly fields: readonly string[] | null;
  readonly system?: boolean;
}

export interface Role {
  readonly id: string;
  readonly name: string;
  readonly icon: string | null;
  readonly description: string | null;
  readonly parent: string | null;
}

/** Gives a policy to a role or a user; without both it is public. */
export interface Access {
  readonly id: string;
  readonly role: string | null;
  readonly user: string | null;
  readonly policy: string;
  readonly sort: number | null;
}

export interface User {
  readonly id: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly email: string | null;
  readonly status: string;
  readonly role: string | null;
  readonly language: string | null;
  readonly last_access: string | null;
  /** Masked, so that it only tells whether there is one. */
  readonly token: string | null;
  readonly tfa_secret: string | null;
}
