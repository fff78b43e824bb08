/** The cache of everything that the App reads, and what a failure does to the session. */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { SluiceError } from '../../../client/source/index.ts';
import { announceSessionEnd } from './session.ts';

/** A 401 says that the session has ended, except for requests with a password (`meta.checksPassword`). */
function noticeSessionEnd(error: unknown): void {
  if (error instanceof SluiceError && error.status === 401) announceSessionEnd();
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSessionEnd }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _result, { meta }) => {
      if (meta?.checksPassword !== true) noticeSessionEnd(error);
    },
  }),
  defaultOptions: {
    // The client itself repeats what may be repeated.
    queries: { retry: false, staleTime: 5_000 },
    mutations: { retry: false },
  },
});
