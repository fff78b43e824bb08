/** Gives the focus to what appears in another place because it was moved by keyboard. */
import { type RefObject, useEffect, useRef } from 'react';

export function useFocusWhen<Element extends HTMLElement>(
  takesFocus: boolean,
): RefObject<Element | null> {
  const place = useRef<Element>(null);
  useEffect(() => {
    if (takesFocus) place.current?.focus();
  }, [takesFocus]);
  return place;
}
