/** The screens that a user has opened in this browser, the latest first. */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation } from 'react-router-dom';
import { meQuery } from './queries.ts';
import { NEW_ITEM } from './route-of.ts';
import { recall, remember, useStore } from './store.ts';
import { type Visit, withVisit } from './visit.ts';

const NO_VISITS: readonly Visit[] = [];

/** Each user of a browser has visits of their own. */
const keyOf = (user: string) => `recent.${user}`;

/**
 * Keeps the screen of the current address among the recent ones.
 * @param title its title; null for a screen to which no way should lead back
 */
export function useVisit(title: string | null): void {
  const user = useQuery(meQuery).data?.id;
  const { pathname } = useLocation();
  const isNew = pathname.endsWith(`/${encodeURIComponent(NEW_ITEM)}`);
  useEffect(() => {
    if (user === undefined || title === null || isNew) return;
    const visits = recall(keyOf(user), NO_VISITS);
    const [latest] = visits;
    if (latest?.path === pathname && latest.title === title) return;
    remember(keyOf(user), withVisit(visits, { path: pathname, title }));
  }, [user, pathname, title, isNew]);
}

/** The recent screens of the caller. */
export function useVisits(): readonly Visit[] {
  const user = useQuery(meQuery).data?.id;
  return useStore(keyOf(user ?? ''), NO_VISITS)[0];
}
