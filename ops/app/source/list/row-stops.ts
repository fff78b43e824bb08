/**
 * The controls before the title of a row and the link of the title share one tab stop for each row, which is
 * the link: arrow keys lead to the others, and to the same one of another row.
 */
import type { KeyboardEvent } from 'react';

/** Marks a control by what it is; the same one of other rows has the same mark. */
export type RowStop = 'move' | 'select' | 'open';

const STOP = '[data-stop]';

function stopsIn(row: Element | null | undefined): readonly HTMLElement[] {
  return [...(row?.querySelectorAll<HTMLElement>(STOP) ?? [])];
}

function beside(stop: HTMLElement, row: Element | null | undefined): HTMLElement | undefined {
  return stopsIn(row).find(({ dataset }) => dataset.stop === stop.dataset.stop);
}

/** Where a key leads from a control of a row. */
function fromStop(stop: HTMLElement, key: string): HTMLElement | null | undefined {
  const row = stop.closest('tr');
  const stops = stopsIn(row);
  const at = stops.indexOf(stop);
  switch (key) {
    case 'ArrowDown':
      return beside(stop, row?.nextElementSibling);
    case 'ArrowUp':
      return beside(stop, row?.previousElementSibling);
    case 'ArrowLeft':
      return stops[at - 1];
    case 'ArrowRight':
      return stops[at + 1] ?? row?.querySelector<HTMLElement>('[data-editable]');
    default:
      return null;
  }
}

/** Where a key leads from the first cell that is edited in its place. */
function fromCell(cell: HTMLElement, key: string): HTMLElement | null | undefined {
  const row = cell.closest('tr');
  if (key !== 'ArrowLeft' || row?.querySelector('[data-editable]') !== cell) return null;
  return stopsIn(row).findLast((stop) => !cell.contains(stop));
}

/** Follows an arrow key in the body of a table. */
export function followRowStops(event: KeyboardEvent): void {
  const { target, key, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (event.defaultPrevented || altKey || ctrlKey || metaKey || shiftKey) return;
  // While a row is moved, arrow keys move it.
  if (!(target instanceof HTMLElement) || target.ariaPressed === 'true') return;
  const mirrored: Readonly<Record<string, string>> =
    getComputedStyle(target).direction === 'rtl'
      ? { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' }
      : {};
  const meant = mirrored[key] ?? key;
  const next = target.matches(STOP) ? fromStop(target, meant) : fromCell(target, meant);
  if (!next) return;
  event.preventDefault();
  next.focus();
}
