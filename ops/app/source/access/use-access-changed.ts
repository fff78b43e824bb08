/** Reads again what depends on users, roles, policies and permissions, the caller's own rights included. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { CALLER } from '../data/queries.ts';
import { ACCESS, PERMISSIONS, POLICIES, ROLES, USERS } from './access-queries.ts';

export function useAccessChanged(): () => Promise<void> {
  const queryClient = useQueryClient();
  return useCallback(async () => {
    const keys = [
      ...[USERS, ROLES, POLICIES, ACCESS, PERMISSIONS].map((name) => ['items', name]),
      [CALLER],
    ];
    await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  }, [queryClient]);
}
