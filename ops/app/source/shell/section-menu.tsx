/** Puts the menu of a section beside the list of sections. */
import { type ReactNode, useContext } from 'react';
import { createPortal } from 'react-dom';
import { MenuContext } from './menu-context.ts';

export function SectionMenu({ children }: { readonly children: ReactNode }) {
  const { place } = useContext(MenuContext);
  return place === null ? null : createPortal(children, place);
}
