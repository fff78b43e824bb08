/** Reads again what depends on users, roles, policies and permissions, the caller's own rights included. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { CALLER } from '../data/query-keys.ts';
import { ACCESS, PERMISSIONS, POLICIES, ROLES, USERS } from './access-types.ts';

/** What is on the screen is read at once, or, when that is gone now, what comes next. */
type When = 'now' | 'next';

export function useAccessChanged(): (when?: When) => Promise<void> {
  const queryClient = useQueryClient();
  return useCallback(
    async (when = 'now') => {
      const refetchType = when === 'now' ? 'active' : 'none';
      await Promise.all([
        ...[USERS, ROLES, POLICIES, ACCESS, PERMISSIONS].map((name) =>
          queryClient.invalidateQueries({ queryKey: ['items', name], refetchType }),
        ),
        queryClient.invalidateQueries({ queryKey: [CALLER] }),
      ]);
    },
    [queryClient],
  );
}
