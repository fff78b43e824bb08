/** Moves the focus in the matrix by arrow keys: the whole of it is one stop of the Tab key. */
import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect } from 'react';

const CELL = '[data-cell]';

function cellsOf(row: Element | null | undefined): readonly HTMLElement[] {
  return [...(row?.querySelectorAll<HTMLElement>(CELL) ?? [])];
}

/** The cell to which a key leads from another. */
function target(key: string, cell: HTMLElement, whole: boolean): HTMLElement | undefined {
  const row = cell.closest('tr');
  const members = cellsOf(row);
  const place = members.indexOf(cell);
  const rtl = getComputedStyle(cell).direction === 'rtl';
  const rows = [...(row?.parentElement?.children ?? [])];
  switch (key) {
    case 'ArrowDown':
      return cellsOf(row?.nextElementSibling)[place];
    case 'ArrowUp':
      return cellsOf(row?.previousElementSibling)[place];
    case 'ArrowRight':
      return members[rtl ? place - 1 : place + 1];
    case 'ArrowLeft':
      return members[rtl ? place + 1 : place - 1];
    case 'Home':
      return whole ? cellsOf(rows[0])[0] : members[0];
    case 'End':
      return whole ? cellsOf(rows.at(-1)).at(-1) : members.at(-1);
    default:
      return undefined;
  }
}

/** What the table of the matrix listens to. */
export function useMatrixKeys(table: RefObject<HTMLTableElement | null>) {
  // One cell can always be reached by Tab: the last one that had the focus, or the first.
  useEffect(() => {
    const cells = table.current?.querySelectorAll<HTMLElement>(CELL) ?? [];
    const [first] = cells;
    if (first !== undefined && ![...cells].some(({ tabIndex }) => tabIndex === 0)) {
      first.tabIndex = 0;
    }
  });
  return {
    onFocus({ target: cell }: FocusEvent<HTMLTableElement>) {
      if (!cell.matches(CELL)) return;
      for (const other of table.current?.querySelectorAll<HTMLElement>(`${CELL}[tabindex="0"]`) ??
        [])
        other.tabIndex = -1;
      cell.tabIndex = 0;
    },
    onKeyDown(event: KeyboardEvent<HTMLTableElement>) {
      const cell =
        event.target instanceof HTMLElement ? event.target.closest<HTMLElement>(CELL) : null;
      if (cell === null) return;
      const next = target(event.key, cell, event.ctrlKey || event.metaKey);
      if (next === undefined) return;
      event.preventDefault();
      next.focus();
    },
  };
}
