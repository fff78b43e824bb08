/** For fields that show the name of what is chosen, which arrives after they are there. */
import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * Whoever comes into such a field has its text selected, and what is typed takes its place. A name that
 * arrives just then would undo that, and what is typed would stand behind it: it is selected, too.
 * @param isTyped something has been typed already
 * @returns for the element around the field
 */
export function useLateName(isKnown: boolean, isTyped: boolean): RefObject<HTMLElement | null> {
  const around = useRef<HTMLElement>(null);
  const typed = useRef(isTyped);
  typed.current = isTyped;
  useLayoutEffect(() => {
    const field = around.current?.querySelector('input') ?? null;
    if (isKnown && !typed.current && field !== null && field === document.activeElement) {
      field.select();
    }
  }, [isKnown]);
  return around;
}
