/** The system collections that requests can access as items, and their writable fields. */
import type { Collection } from '#core/model/catalog/catalog.ts';
import { isBuiltIn } from '#core/model/catalog/system-descriptors.ts';
import { SYSTEM_COLLECTIONS } from '#core/model/system-collections/registry.ts';
import type { CollectionFilter } from '../request-context.ts';

/** The writable fields: those marked in the registry, and those added to the collection. */
export function writableFields({ name, system, fields }: Collection): ReadonlySet<string> {
  const own = SYSTEM_COLLECTIONS.get(name)?.fields ?? {};
  const writable = [...fields.keys()].filter(
    (field) => own[field]?.writable === true || !isBuiltIn({ name, system }, field),
  );
  return new Set(writable);
}

/** The system collections with routes of their own. */
export const servesSystem: CollectionFilter = ({ name }) =>
  (SYSTEM_COLLECTIONS.get(name)?.service ?? null) !== null;
