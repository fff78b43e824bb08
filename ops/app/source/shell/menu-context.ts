/** Opens and closes the menu where it is not always visible: on phones. */
import { createContext } from 'react';

export interface Menu {
  readonly openMenu: () => void;
  readonly closeMenu: () => void;
  /** The element beside the sections into which a section puts its own menu; null before it is there. */
  readonly place: HTMLElement | null;
}

export const MenuContext = createContext<Menu>({
  openMenu: () => undefined,
  closeMenu: () => undefined,
  place: null,
});
