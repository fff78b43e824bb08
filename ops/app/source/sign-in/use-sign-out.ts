/** Ends the session, forgets what was read in it, and leads to the sign-in. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useNavigate } from 'react-router-dom';
import { client } from '../data/client.ts';
import { forgetSession } from '../data/session.ts';

export function useSignOut(): () => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useCallback(async () => {
    forgetSession();
    // A session that has ended already is no reason to stay.
    await client.auth.logout().catch(() => undefined);
    await navigate('/sign-in');
    queryClient.clear();
  }, [queryClient, navigate]);
}
