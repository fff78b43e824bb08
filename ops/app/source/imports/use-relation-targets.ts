/** The collections that a new field can refer to: those whose items have a key of one field. */
import { useMemo } from 'react';
import { useCollections } from '../data/queries.ts';
import type { Collection } from '../data/schema-types.ts';
import { isSystem } from '../model/collection-rows.ts';
import { collectionName } from '../translation/names.ts';
import { useLocaleState } from '../translation/use-translate.ts';
import type { RelationTarget } from './new-field-chips.tsx';

/** Whether the collection is a table whose key is not of several fields. */
function isTable({ schema }: Collection): boolean {
  return schema !== null && schema.type === undefined && schema.primary_key === undefined;
}

/** Collections in the order of their names. */
export function useRelationTargets(): readonly RelationTarget[] {
  const [locale] = useLocaleState();
  const collections = useCollections();
  return useMemo(() => {
    const { compare } = new Intl.Collator(locale, { numeric: true });
    return [...collections.values()]
      .filter((one) => !isSystem(one) && isTable(one))
      .map((one) => ({ collection: one.collection, name: collectionName(one, locale) }))
      .toSorted((a, b) => compare(a.name, b.name));
  }, [collections, locale]);
}
