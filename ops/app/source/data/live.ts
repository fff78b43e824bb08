/**
 * Hears of changes to the items of a collection, and reads again what is shown of them. Without
 * WebSockets at the server nothing is heard, and lists are as fresh as they were read.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { client } from './client.ts';
import { serverQuery } from './queries.ts';
import { CALLER } from './query-keys.ts';
import { useSessionEnded } from './session.ts';

/** Several changes at once are one reason to read again. */
const PAUSE = 250;
/** System collections are not told of. */
const SYSTEM = 'system_';

interface Heard {
  /** Only this item. */
  readonly item?: string;
  readonly enabled?: boolean;
}

/** Reads everything of a collection again when somebody has changed an item of it. */
export function useLiveItems(collection: string, { item, enabled = true }: Heard = {}): void {
  const queryClient = useQueryClient();
  const sockets = useQuery(serverQuery).data?.websocket;
  const possible = typeof sockets === 'object' && sockets.rest !== false;
  // The next session hears of changes, too.
  const ended = useSessionEnded();
  const hears = enabled && possible && !ended && !collection.startsWith(SYSTEM);
  useEffect(() => {
    if (!hears) return;
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const queryKey = ['items', collection];
    const readAgain = () => {
      // What is being read ends first: a slow list would never be there beside changes without an end.
      if (queryClient.isFetching({ queryKey }) > 0) {
        timer = setTimeout(readAgain, PAUSE);
      } else {
        timer = undefined;
        void queryClient.invalidateQueries({ queryKey });
      }
    };
    const hear = async () => {
      const { signal } = controller;
      const query = { fields: ['*'], ...(item === undefined && { limit: 1 }) };
      const subscription = { query, signal, ...(item !== undefined && { item }) };
      // The first one says that changes are heard of from now on; there may have been some since the list
      // was read. Not put off by more of them: who changes without an end is seen, too.
      for await (const _ of client.items(collection).subscribe(subscription)) {
        timer ??= setTimeout(readAgain, PAUSE);
      }
    };
    // Who may not hear of changes sees them when he reads again; that he could before is a right less.
    const askForRights = () => {
      if (controller.signal.aborted) return;
      void queryClient.invalidateQueries({ queryKey: [CALLER, 'rights'] });
    };
    hear().then(askForRights, askForRights);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [hears, collection, item, queryClient]);
}
