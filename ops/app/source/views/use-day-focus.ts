/** The keyboard in a calendar: Tab comes to one day and its items, arrow keys lead to other days. */
import { type KeyboardEvent, useState } from 'react';
import { addDays, addMonths, type Mode } from './days.ts';

/** The days to which keys lead, from a day of the week at a place. */
function dayFor(key: string, day: string, week: readonly string[], mode: Mode): string | null {
  const isRtl = document.documentElement.dir === 'rtl';
  switch (key) {
    case 'ArrowLeft':
      return addDays(day, isRtl ? 1 : -1);
    case 'ArrowRight':
      return addDays(day, isRtl ? -1 : 1);
    case 'ArrowUp':
      return addDays(day, -7);
    case 'ArrowDown':
      return addDays(day, 7);
    case 'Home':
      return week[0] ?? null;
    case 'End':
      return week.at(-1) ?? null;
    case 'PageUp':
      return mode === 'week' ? addDays(day, -7) : addMonths(day, -1);
    case 'PageDown':
      return mode === 'week' ? addDays(day, 7) : addMonths(day, 1);
    default:
      return null;
  }
}

/**
 * @param days that are shown
 * @param preferred the days to one of which Tab comes first, the best one first
 * @param onTurn shows the period of a day that is not shown
 */
export function useDayFocus(
  days: readonly string[],
  preferred: readonly string[],
  mode: Mode,
  onTurn: (day: string) => void,
) {
  const [visited, setVisited] = useState<string | null>(null);
  /** The day that takes the focus as soon as it is there. */
  const [wanted, setWanted] = useState<string | null>(null);
  const active = [visited, ...preferred].find((day) => day !== null && days.includes(day)) ?? null;
  const onFocus = (day: string) => {
    setVisited(day);
    setWanted(null);
  };
  const onKeyDown = (event: KeyboardEvent, day: string) => {
    const { key, altKey, ctrlKey, metaKey, shiftKey } = event;
    if (event.defaultPrevented || altKey || ctrlKey || metaKey || shiftKey) return;
    const place = days.indexOf(day);
    const first = place - (place % 7);
    const next = dayFor(key, day, days.slice(first, first + 7), mode);
    if (next === null) return;
    event.preventDefault();
    setWanted(next);
    if (!days.includes(next)) onTurn(next);
  };
  return { active, wanted, onFocus, onKeyDown };
}
