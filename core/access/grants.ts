/**
 * What a caller may see: the argument without which no statement is compiled. A collection that
 * has no grant does not exist for the caller; a field outside the grant neither.
 */
import type { Filter } from '#core/query/query.ts';

/** Who is asking, as far as statements and history are concerned. */
export interface Caller {
  /** Key of the user; null when anonymous. */
  readonly user: string | null;
  readonly role: string | null;
  /** The role and all its ancestors. */
  readonly roles: readonly string[];
  /** The effective policies, those barred by address left out. */
  readonly policies: readonly string[];
  readonly admin: boolean;
  /** Some effective policy grants what the Admin App needs. */
  readonly app: boolean;
  /** Some effective policy demands a second factor. */
  readonly enforceTfa: boolean;
  /** It is demanded of this session, and the user has none: only setting it up is allowed. */
  readonly lacksSecondFactor: boolean;
  /** Some policy of the account holds at some addresses only, whether at this one or not. */
  readonly byAddress: boolean;
  /** Where the request comes from; null when that is unknown or does not matter. */
  readonly ip: string | null;
  /** The session behind the token; null when anonymous and static tokens. */
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

/** One permission: which fields, of which rows. */
export interface GrantCase {
  /** Null: every field. */
  readonly fields: ReadonlySet<string> | null;
  /** Null: every row. Rules see all fields, whatever the caller may see. */
  readonly rule: Filter | null;
}

/**
 * The permissions of one collection, joined by OR: a row is seen when any case's rule holds, and
 * of that row the fields of all cases whose rules hold. Never empty.
 */
export type Grant = readonly [GrantCase, ...GrantCase[]];

/** The rights of one caller to read. */
export interface Grants {
  /** The caller's permissions on a collection; null: it does not exist for the caller. */
  of(collection: string): Grant | null;
}

/** Every field of every row. */
export const EVERYTHING: Grant = Object.freeze([Object.freeze({ fields: null, rule: null })]);

export const ALL_GRANTS: Grants = Object.freeze({ of: () => EVERYTHING });
