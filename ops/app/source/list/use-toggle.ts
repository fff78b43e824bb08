/** Selects an item, or takes it out of the selection. The function stays the same, so that rows do. */
import { useCallback, useRef } from 'react';

export function useToggle(
  selected: ReadonlySet<string>,
  onSelect: (keys: ReadonlySet<string>) => void,
): (key: string) => void {
  const latest = useRef({ selected, onSelect });
  latest.current = { selected, onSelect };
  return useCallback((key) => {
    const next = new Set(latest.current.selected);
    if (!next.delete(key)) next.add(key);
    latest.current.onSelect(next);
  }, []);
}
