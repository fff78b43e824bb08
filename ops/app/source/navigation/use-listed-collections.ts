/** The collections of the menu as a list, without those that are hidden. */
import { useMemo } from 'react';
import { useCollections, useRights } from '../data/queries.ts';
import { useLocaleState } from '../translation/use-translate.ts';
import { type Branch, buildTree, collectionsOf } from './tree.ts';

export function useListedCollections(): readonly Branch[] {
  const [locale] = useLocaleState();
  const collections = useCollections();
  const rights = useRights();
  return useMemo(
    () => collectionsOf(buildTree(collections, { rights, locale, withHidden: false })),
    [collections, rights, locale],
  );
}
