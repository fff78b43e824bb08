/**
 * The rights of a caller: for each collection and action the permissions of its policies. All
 * callers with the same policies share them, so they contain no data of a single caller.
 */
import type { Filter } from '#core/query/query.ts';
import { ALL_GRANTS, type Grant, type GrantCase, type Grants } from './grants.ts';

export const ACTIONS = ['create', 'read', 'update', 'delete', 'share'] as const;
export type Action = (typeof ACTIONS)[number];

/** One permission. If an action has several, any of them may apply. */
export interface Permission extends GrantCase {
  /** The validation for the payload of a create or update; null: no validation. */
  readonly validation: Filter | null;
  /** Presets: values for fields that the payload of a create or update does not contain. */
  readonly presets: Readonly<Record<string, unknown>>;
}

export interface Rights {
  /** Everything is allowed. */
  readonly admin: boolean;
  /** The collections of all permissions; they need not exist. Empty for administrators. */
  readonly collections: ReadonlySet<string>;
  /** The caller's permissions for an action; later ones take precedence. */
  of(collection: string, action: Action): readonly Permission[];
  /** The read permissions, in the form that the query compiler uses. */
  readonly reading: Grants;
}

/** Everything, unconditionally. */
const FULL_PERMISSION: Permission = Object.freeze({
  fields: null,
  rule: null,
  validation: null,
  presets: Object.freeze({}),
});

const FULL: readonly Permission[] = Object.freeze([FULL_PERMISSION]);

/** The rights of administrators. */
export const FULL_RIGHTS: Rights = Object.freeze({
  admin: true,
  collections: new Set<string>(),
  of: () => FULL,
  reading: ALL_GRANTS,
});

/** A permission with its collection and action. */
export interface PermissionRow extends Permission {
  readonly collection: string;
  readonly action: Action;
}

const NONE: readonly Permission[] = Object.freeze([]);

/** Rights made from the permissions of several policies. */
class PolicyRights implements Rights {
  readonly admin = false;
  readonly collections: ReadonlySet<string>;
  readonly reading: Grants;
  readonly #permissions: ReadonlyMap<string, readonly Permission[]>;

  constructor(rows: readonly PermissionRow[]) {
    this.collections = new Set(rows.map((row) => row.collection));
    this.#permissions = Map.groupBy(rows, (row) => `${row.action} ${row.collection}`);
    this.reading = { of: (collection) => this.#grantOf(collection) };
  }

  of(collection: string, action: Action): readonly Permission[] {
    return this.#permissions.get(`${action} ${collection}`) ?? NONE;
  }

  #grantOf(collection: string): Grant | null {
    const [first, ...others] = this.of(collection, 'read');
    return first === undefined ? null : [first, ...others];
  }
}

/** Combines permissions, given in the order of their precedence. */
export function rightsFrom(rows: readonly PermissionRow[]): Rights {
  return new PolicyRights(rows);
}
