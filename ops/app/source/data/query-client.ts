/** The cache of everything that the App reads, and what a failure does to the session. */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { SluiceError } from '../../../client/source/index.ts';
import { client } from './client.ts';
import { CALLER } from './query-keys.ts';
import { announceSessionEnd } from './session.ts';

/** A 401 says that the session has ended, except for requests with a password (`meta.checksPassword`). */
function noticeSessionEnd(error: unknown): void {
  if (!(error instanceof SluiceError)) return;
  if (error.status === 401) announceSessionEnd();
  if (error.status === 403) void askForSession();
}

let asks = false;

/**
 * The first request that a session has ended for loses its cookie, also that of a picture. All others
 * are those of nobody then, who may do nothing.
 */
async function askForSession(): Promise<void> {
  if (asks) return;
  asks = true;
  try {
    await client.request('GET', '/users/me', { query: { fields: ['id'] } });
  } catch (error) {
    if (error instanceof SluiceError && error.status === 401) announceSessionEnd();
  } finally {
    asks = false;
  }
}

/** A 403 may say that a right was taken away: they are read again, once for several refusals. */
const PAUSE = 1_000;
let noticed = 0;

function noticeRefusal(error: unknown): void {
  const now = Date.now();
  if (!(error instanceof SluiceError && error.status === 403) || now - noticed < PAUSE) return;
  noticed = now;
  void queryClient.invalidateQueries({ queryKey: [CALLER, 'rights'] });
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      noticeSessionEnd(error);
      if (queryKey[0] !== CALLER) noticeRefusal(error);
    },
  }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _result, { meta }) => {
      if (meta?.checksPassword !== true) noticeSessionEnd(error);
      noticeRefusal(error);
    },
  }),
  defaultOptions: {
    // The client itself repeats what may be repeated.
    queries: { retry: false, staleTime: 5_000 },
    mutations: { retry: false },
  },
});
