/**
 * Where the focus is after a change of screen: on the new screen, so that the keyboard goes on there,
 * and on the way back on the link that one had followed.
 */
import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router-dom';

/** How long the way back waits for its link, in milliseconds; a list is read first. */
const PATIENCE = 5_000;

function hasLostFocus(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body;
}

/** Gives the focus to a link as soon as it is there, unless somebody has moved on. */
function focusLink(main: HTMLElement, href: string): () => void {
  const focus = () => {
    const link = [...main.querySelectorAll('a')].find((one) => one.getAttribute('href') === href);
    link?.focus();
    return link !== undefined;
  };
  if (focus()) return () => undefined;
  const observer = new MutationObserver(() => {
    const isElsewhere = document.activeElement !== main && !hasLostFocus();
    if (isElsewhere || focus()) end();
  });
  const timer = setTimeout(() => end(), PATIENCE);
  const end = () => {
    clearTimeout(timer);
    observer.disconnect();
  };
  observer.observe(main, { childList: true, subtree: true });
  return end;
}

/** `main` is around the screens; nothing is done while `busy`, such as when a menu is open over them. */
export function useScreenFocus(main: HTMLElement | null, busy: boolean): void {
  const { pathname } = useLocation();
  const links = useRef(new Map<string, string>());
  const current = useRef(pathname);
  useEffect(() => {
    if (main === null) return;
    const note = ({ target }: Event) => {
      const href = target instanceof Element && target.closest('a')?.getAttribute('href');
      if (href) links.current.set(current.current, href);
      else if (target !== main) links.current.delete(current.current);
    };
    main.addEventListener('focusin', note);
    return () => main.removeEventListener('focusin', note);
  }, [main]);
  useEffect(() => {
    if (main === null || busy || pathname === current.current) return undefined;
    current.current = pathname;
    const isInMenu = document.activeElement?.closest('[role=dialog]') ?? null;
    if (!hasLostFocus() && isInMenu === null) return undefined;
    main.focus({ preventScroll: true });
    const href = links.current.get(pathname);
    if (href !== undefined) return focusLink(main, href);
    window.scrollTo(0, 0);
    return undefined;
  }, [main, busy, pathname]);
}
