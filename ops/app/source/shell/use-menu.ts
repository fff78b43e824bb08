/** The state of a menu: what it hangs on, and how one leaves it. */
import { type MouseEvent, useState } from 'react';
import { flushSync } from 'react-dom';

export function useMenu() {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const close = () => setAnchor(null);
  return {
    /** What it hangs on; null while it is closed. */
    anchor,
    open: ({ currentTarget }: MouseEvent<HTMLElement>) => setAnchor(currentTarget),
    close,
    /**
     * Closes it, and then does what was chosen: the focus is back on the opener when that opens a dialog, and
     * not in a menu that nobody may use any more.
     */
    choose(act: () => void): void {
      flushSync(close);
      act();
    },
  };
}
