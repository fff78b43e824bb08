/**
 * What a caller may do: for each collection and action the permissions that its policies give.
 * Shared by all callers with the same policies, so it holds nothing of a single caller.
 */
import type { Filter } from '#core/query/query.ts';
import type { GrantCase, Grants } from './grant.ts';

export const ACTIONS = ['create', 'read', 'update', 'delete', 'share'] as const;
export type Action = (typeof ACTIONS)[number];

/** One permission. Of several for one action any may apply. */
export interface Permission extends GrantCase {
  /** What the payload of a create or update must meet; null: anything. */
  readonly validation: Filter | null;
  /** Values for fields that the payload of a create or update leaves out. */
  readonly presets: Readonly<Record<string, unknown>>;
}

export interface Rights {
  /** Everything is allowed. */
  readonly admin: boolean;
  /** The caller's permissions for an action; empty: none. */
  of(collection: string, action: Action): readonly Permission[];
  /** The same for reading, as the compiler of queries takes it. */
  readonly reading: Grants;
}

/** Everything, unconditionally. */
export const FULL_PERMISSION: Permission = Object.freeze({
  fields: null,
  rule: null,
  validation: null,
  presets: Object.freeze({}),
});
