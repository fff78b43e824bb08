/** Which items of a list are selected: by their keys, or all that match its search and filter. */
import { useCallback, useMemo, useState } from 'react';
import { keyOf } from '../data/item-key.ts';
import type { Field, Filter, Item } from '../data/schema-types.ts';
import type { Matching } from './selection.ts';

const NONE: ReadonlySet<string> = new Set();

export function useSelection(
  fields: readonly Field[],
  items: readonly Item[],
  filter: Filter | null,
  search: string,
) {
  const [keys, setKeys] = useState(NONE);
  /** The conditions whose items are all selected. */
  const [whole, setWhole] = useState<string | null>(null);
  const conditions = JSON.stringify([filter, search]);
  const isWhole = whole === conditions;
  const matching = useMemo(
    (): Matching | null => (isWhole ? { filter, search } : null),
    [isWhole, filter, search],
  );
  const selected = useMemo(() => {
    if (!isWhole) return keys;
    return new Set(items.map((item) => keyOf(fields, item)).filter((key) => key !== null));
  }, [isWhole, keys, items, fields]);
  /** Selects these items alone. */
  const select = useCallback((next: ReadonlySet<string>) => {
    setWhole(null);
    setKeys(next);
  }, []);
  const clear = useCallback(() => select(NONE), [select]);
  const selectMatching = () => setWhole(conditions);
  return { selected, select, clear, matching, selectMatching };
}
