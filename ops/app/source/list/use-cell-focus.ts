/**
 * The cells of a table that are edited in their place: arrow keys lead from one to the next, Enter, F2 or a
 * double click opens one. Tab comes to one cell of the table alone.
 */
import { type FocusEvent, type KeyboardEvent, type MouseEvent, useRef, useState } from 'react';

export interface CellPlace {
  readonly key: string;
  readonly field: string;
}

export interface EditedCell extends CellPlace {
  readonly anchor: HTMLElement;
}

/** Where one goes from a cell that was edited. */
export type Leaving = 'stay' | 'next' | 'previous';

function cellOf(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>('[data-editable]') : null;
}

function placeOf(cell: HTMLElement): CellPlace | null {
  const key = cell.closest<HTMLElement>('[data-key]')?.dataset.key;
  const field = cell.dataset.editable;
  return key === undefined || field === undefined ? null : { key, field };
}

function cellsIn(row: Element | null | undefined): readonly HTMLElement[] {
  return [...(row?.querySelectorAll<HTMLElement>('[data-editable]') ?? [])];
}

/** The cell of the same column in another row. */
function beside(cell: HTMLElement, row: Element | null | undefined): HTMLElement | null {
  return cellsIn(row).find(({ dataset }) => dataset.editable === cell.dataset.editable) ?? null;
}

/** The cell that comes after one, or before it, across the rows. */
function following(cell: HTMLElement, step: 1 | -1): HTMLElement | null {
  const all = cellsIn(cell.closest('tbody'));
  return all[all.indexOf(cell) + step] ?? null;
}

/** The cell that a key leads to. */
function target(cell: HTMLElement, { key, ctrlKey, metaKey }: KeyboardEvent): HTMLElement | null {
  const row = cell.closest('tr');
  const cells = cellsIn(row);
  const at = cells.indexOf(cell);
  const isMirrored = getComputedStyle(cell).direction === 'rtl';
  const far = ctrlKey || metaKey;
  switch (key) {
    case 'ArrowDown':
      return beside(cell, row?.nextElementSibling);
    case 'ArrowUp':
      return beside(cell, row?.previousElementSibling);
    case 'ArrowRight':
      return cells[at + (isMirrored ? -1 : 1)] ?? null;
    case 'ArrowLeft':
      return cells[at + (isMirrored ? 1 : -1)] ?? null;
    case 'Home':
      return (far ? cellsIn(cell.closest('tbody')) : cells).at(0) ?? null;
    case 'End':
      return (far ? cellsIn(cell.closest('tbody')) : cells).at(-1) ?? null;
    default:
      return null;
  }
}

const ACTIVE_CELL = '[data-editable][tabindex="0"]';

export function useCellFocus() {
  const [active, setActive] = useState<CellPlace | null>(null);
  const [editing, setEditing] = useState<EditedCell | null>(null);
  const current = useRef(editing);
  current.current = editing;
  const edit = (cell: HTMLElement) => {
    const place = placeOf(cell);
    if (place !== null) setEditing({ ...place, anchor: cell });
  };
  const onFocus = (event: FocusEvent) => {
    const cell = cellOf(event.target);
    if (cell !== null) setActive(placeOf(cell));
  };
  const onDoubleClick = (event: MouseEvent) => {
    const cell = cellOf(event.target);
    if (cell !== null) edit(cell);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const cell = cellOf(event.target);
    // What stands in the cell, such as its link, has keys of its own.
    if (cell === null || cell !== event.target) return;
    // Enter follows the link of a cell; F2 edits it.
    const link = event.key === 'Enter' ? cell.querySelector('a') : null;
    if (link !== null) {
      event.preventDefault();
      link.click();
      return;
    }
    if (event.key === 'Enter' || event.key === 'F2') {
      event.preventDefault();
      edit(cell);
      return;
    }
    const next = target(cell, event);
    if (next === null) return;
    event.preventDefault();
    next.focus();
  };
  const leave = (leaving: Leaving) => {
    const from = editing?.anchor;
    // An editor that was left while it saved closes no other.
    if (from === undefined || current.current?.anchor !== from) return;
    setEditing(null);
    const next = leaving === 'stay' ? from : following(from, leaving === 'next' ? 1 : -1);
    // The saved value may have taken the row out of the list.
    const stays = from.isConnected ? from : document.querySelector<HTMLElement>(ACTIVE_CELL);
    if (next === null) stays?.focus();
    else {
      next.focus();
      if (leaving !== 'stay') edit(next);
    }
  };
  return { active, editing, leave, handlers: { onFocus, onDoubleClick, onKeyDown } };
}
