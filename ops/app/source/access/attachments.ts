/**
 * The policies of a role or a user, in their order. Where policies preset different values, those of a
 * later one win.
 */
import type { Item } from '../data/schema-types.ts';
import { sameValue } from '../data/values.ts';
import type { Sending } from '../draft/use-save.ts';
import type { Access } from './access-types.ts';
import type { StoredHolder } from './form-queries.ts';

export type Attachment = Pick<Access, 'id' | 'policy' | 'sort'>;

/** The keys of the policies. */
export function policiesOf(stored: readonly Attachment[]): readonly string[] {
  return [...new Set(stored.map(({ policy }) => policy))];
}

/** The list with an entry one place further up or down. */
export function moved(list: readonly string[], entry: string, by: -1 | 1): readonly string[] {
  const from = list.indexOf(entry);
  const to = from + by;
  const other = list[to];
  return other === undefined ? list : list.with(from, other).with(to, entry);
}

/**
 * The member of a payload that makes the list out of what is stored; none when it is already.
 * @param numbers whether the order is stored, too, which needs the right to change attachments
 */
function attachmentPayload(
  stored: readonly Attachment[],
  wanted: readonly string[],
  numbers: boolean,
): Item {
  if (sameValue(policiesOf(stored), wanted)) return {};
  const kept = new Map(stored.map((row) => [row.policy, row]));
  const placeOf = (policy: string) => wanted.indexOf(policy) + 1;
  const create = wanted
    .filter((policy) => !kept.has(policy))
    .map((policy) => ({ policy, ...(numbers && { sort: placeOf(policy) }) }));
  const update = [...kept.values()]
    .filter(({ policy, sort }) => numbers && placeOf(policy) > 0 && sort !== placeOf(policy))
    .map(({ id, policy }) => ({ id, sort: placeOf(policy) }));
  const gone = stored.filter(({ policy }) => !wanted.includes(policy)).map(({ id }) => id);
  return { policies: { create, update, delete: gone } };
}

/** What is sent to store the changes of a role or a user. */
export function holderPayload(
  { changes, base }: Sending<StoredHolder<object>>,
  numbers: boolean,
): Item {
  const { policies: wanted } = { ...base.item, ...changes };
  const { policies: _, ...own } = changes;
  return { ...own, ...attachmentPayload(base.access, wanted, numbers) };
}
