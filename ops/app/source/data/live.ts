/**
 * Hears of changes to the items of a collection, and reads again what is shown of them. Without
 * WebSockets at the server nothing is heard, and lists are as fresh as they were read.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { client } from './client.ts';
import { serverQuery } from './queries.ts';

/** Several changes at once are one reason to read again. */
const PAUSE = 250;
/** System collections are not told of. */
const SYSTEM = 'system_';

/** Reads everything of a collection again when somebody has changed an item of it. */
export function useLiveItems(collection: string): void {
  const queryClient = useQueryClient();
  const sockets = useQuery(serverQuery).data?.websocket;
  const enabled = typeof sockets === 'object' && sockets.rest !== false;
  useEffect(() => {
    if (!enabled || collection.startsWith(SYSTEM)) return;
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hear = async () => {
      const { signal } = controller;
      let first = true;
      for await (const change of client
        .items(collection)
        .subscribe({ query: { fields: ['*'], limit: 1 }, signal })) {
        // The first message is how things are, which has just been read.
        if (first && change.event === 'init') {
          first = false;
          continue;
        }
        clearTimeout(timer);
        timer = setTimeout(
          () => void queryClient.invalidateQueries({ queryKey: ['items', collection] }),
          PAUSE,
        );
      }
    };
    // Who may not hear of changes sees them when he reads again.
    hear().catch(() => undefined);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [enabled, collection, queryClient]);
}
