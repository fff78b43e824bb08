/**
 * Notices on an open page that the rights of the caller have changed: what is no longer allowed is no
 * longer offered, and what is shown is read again.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { rightsQuery } from './queries.ts';
import { readWithin } from './read-within.ts';

/** Nobody tells of it, so that it is asked for. */
const INTERVAL = 60_000;

export function useFollowRights(): void {
  const queryClient = useQueryClient();
  const { data } = useQuery({
    ...rightsQuery,
    refetchInterval: INTERVAL,
    refetchOnWindowFocus: 'always',
  });
  const known = useRef(data);
  useEffect(() => {
    const before = known.current;
    known.current = data;
    // Answers that say the same are the same object.
    if (before === undefined || data === undefined || before === data) return;
    void readWithin(queryClient, data);
  }, [data, queryClient]);
}
