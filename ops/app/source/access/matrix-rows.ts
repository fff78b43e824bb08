/** The rows of the matrix: the collections that fit a search, and what permissions name besides them. */

import { useMemo } from 'react';
import { useCollections } from '../data/queries.ts';
import { collectionName } from '../translation/names.ts';
import { useLocaleState } from '../translation/use-translate.ts';
import type { Cells } from './permission-rules.ts';

export interface MatrixRow {
  readonly collection: string;
  readonly label: string;
  readonly icon: string | null;
}

export interface MatrixRows {
  readonly rows: readonly MatrixRow[];
  /** How many there are without a search. */
  readonly total: number;
}

const SYSTEM = 'system_';

/** The collections that permissions are for, by their names in the language of the App. */
export function useMatrixRows(cells: Cells, search: string, system: boolean): MatrixRows {
  const collections = useCollections();
  const [locale] = useLocaleState();
  const named = useMemo(
    () => new Set([...cells.keys()].map((key) => key.slice(key.indexOf(' ') + 1))),
    [cells],
  );
  const all = useMemo(() => {
    const served = [...collections.values()]
      .filter(({ schema }) => schema !== null)
      .map((one) => ({
        collection: one.collection,
        label: collectionName(one, locale),
        icon: one.meta?.icon ?? null,
      }));
    // Permissions may be there before their collection is, and outlive it.
    const gone = [...named]
      .filter((name) => !collections.has(name))
      .map((name) => ({ collection: name, label: name, icon: null }));
    return [...served, ...gone]
      .filter(({ collection }) => collection.startsWith(SYSTEM) === system)
      .toSorted((a, b) => a.label.localeCompare(b.label, locale));
  }, [collections, named, locale, system]);
  const wanted = search.trim().toLowerCase();
  const rows = useMemo(
    () =>
      all.filter(
        ({ collection, label }) =>
          collection.toLowerCase().includes(wanted) || label.toLowerCase().includes(wanted),
      ),
    [all, wanted],
  );
  return { rows, total: all.length };
}
