/**
 * The read permissions of a caller. Every statement is compiled with them. A collection without a
 * grant does not exist for the caller, and neither does a field outside the grant.
 */
import type { Filter } from '#core/query/query.ts';

/** The caller, as statements and history use it. */
export interface Caller {
  /** Key of the user; null when anonymous. */
  readonly user: string | null;
  readonly role: string | null;
  /** The role and all its ancestors. */
  readonly roles: readonly string[];
  /** The policies that apply; those excluded by the address are missing. */
  readonly policies: readonly string[];
  readonly admin: boolean;
  /** One of the policies has app access. */
  readonly app: boolean;
  /** One of the policies requires a second factor. */
  readonly enforceTfa: boolean;
  /** A second factor is required and the user has none: only setting it up is allowed. */
  readonly lacksSecondFactor: boolean;
  /** One of the account's policies applies only at certain addresses. */
  readonly byAddress: boolean;
  /** The client's address; null when it is unknown or irrelevant. */
  readonly ip: string | null;
  /** The session of the token; null for anonymous callers and static tokens. */
  readonly session: string | null;
}

/** A request without a token. */
export const ANONYMOUS: Caller = Object.freeze({
  user: null,
  role: null,
  roles: [],
  policies: [],
  admin: false,
  app: false,
  enforceTfa: false,
  lacksSecondFactor: false,
  byAddress: false,
  ip: null,
  session: null,
});

/** One permission: which fields of which rows. */
export interface GrantCase {
  /** Null: every field. */
  readonly fields: ReadonlySet<string> | null;
  /** Null: every row. Rules can use all fields, even those that the caller may not read. */
  readonly rule: Filter | null;
}

/**
 * The permissions on one collection. A row is visible when the rule of any case matches; its
 * visible fields are those of all matching cases. Never empty.
 */
export type Grant = readonly [GrantCase, ...GrantCase[]];

/** The read rights of one caller. */
export interface Grants {
  /** The caller's permissions on a collection; null when it does not exist for the caller. */
  of(collection: string): Grant | null;
}

/** Every field of every row. */
export const EVERYTHING: Grant = Object.freeze([Object.freeze({ fields: null, rule: null })]);

export const ALL_GRANTS: Grants = Object.freeze({ of: () => EVERYTHING });
