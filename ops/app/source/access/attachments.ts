/** The policies of a role or a user, with what has been changed of them. */
import type { Item } from '../data/schema-types.ts';
import type { Access } from './access-types.ts';

export interface Attachments {
  /** Keys of policies. */
  readonly added: readonly string[];
  /** Keys of rows of access. */
  readonly removed: readonly string[];
}

export const UNCHANGED: Attachments = { added: [], removed: [] };

export function areChanged({ added, removed }: Attachments): boolean {
  return added.length + removed.length > 0;
}

/** The keys of the policies that are left. */
export function attached(stored: readonly Access[], { added, removed }: Attachments) {
  const kept = stored.filter(({ id }) => !removed.includes(id)).map(({ policy }) => policy);
  return [...kept, ...added];
}

export function attach(
  stored: readonly Access[],
  changes: Attachments,
  policy: string,
): Attachments {
  const before = stored.find((row) => row.policy === policy);
  if (before !== undefined) {
    return { ...changes, removed: changes.removed.filter((id) => id !== before.id) };
  }
  return { ...changes, added: [...changes.added, policy] };
}

export function detach(
  stored: readonly Access[],
  changes: Attachments,
  policy: string,
): Attachments {
  return {
    added: changes.added.filter((other) => other !== policy),
    removed: [
      ...changes.removed,
      ...stored.filter((row) => row.policy === policy).map(({ id }) => id),
    ],
  };
}

/** The member of a payload that stores the changes; none when there are none. */
export function attachmentPayload(changes: Attachments): Item {
  if (!areChanged(changes)) return {};
  const create = changes.added.map((policy) => ({ policy }));
  return { policies: { create, update: [], delete: changes.removed } };
}
