/**
 * Saves a draft: only the difference is sent, on the condition that nobody else was faster. What a
 * session that ended has stopped goes on when one has signed in again.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { PreconditionFailedError, SluiceError } from '../../../client/source/index.ts';
import { client } from '../data/client.ts';
import { keyFromText } from '../data/item-key.ts';
import type { Item } from '../data/schema-types.ts';
import { useSessionEnded } from '../data/session.ts';
import { type Stored, storedQuery } from './item-query.ts';
import type { After } from './save-menu.tsx';

export interface Save {
  readonly changes: Item;
  readonly after: After;
  /** The tag of what the changes were made to; null writes over whatever is there. */
  readonly tag: string | null;
}

/** Somebody else was faster, and this is what is stored now. */
export class ConflictMet extends Error {
  readonly theirs: Stored;

  constructor(theirs: Stored) {
    super('The item has changed meanwhile.');
    this.theirs = theirs;
  }
}

export interface SaveTarget {
  readonly collection: string;
  readonly kind: 'new' | 'stored' | 'singleton';
  readonly itemKey: string | null;
  /** What of the item is read. */
  readonly fields: readonly string[];
  readonly onSaved: (saved: Item | null, save: Save) => Promise<void>;
  readonly onFailed: (error: unknown) => void;
}

export function useSave({ collection, kind, itemKey, fields, onSaved, onFailed }: SaveTarget) {
  const queryClient = useQueryClient();
  const items = client.items(collection);
  const mutation = useMutation({
    mutationFn: async ({ changes, tag, after }: Save): Promise<Item | null> => {
      const query = { fields };
      if (kind === 'new' || after === 'copy') return items.create(changes, query);
      const condition = tag === null ? {} : { ifMatch: tag };
      try {
        if (itemKey === null) return await items.updateSingleton(changes, query, condition);
        return await items.update(keyFromText(itemKey), changes, query, condition);
      } catch (error) {
        if (!(error instanceof PreconditionFailedError)) throw error;
        const latest = storedQuery(collection, itemKey, fields);
        throw new ConflictMet(await queryClient.fetchQuery({ ...latest, staleTime: 0 }));
      }
    },
    onSuccess: async (saved, save) => {
      await onSaved(saved, save);
    },
    onError: onFailed,
  });
  // A save that found no session waits for the next one.
  const ended = useSessionEnded();
  const waiting = useRef<Save | null>(null);
  const { error, variables, mutate } = mutation;
  const status = error instanceof SluiceError ? error.status : null;
  // Without a session one is nobody, who may not save.
  const stopped = status === 401 || (ended && status === 403);
  if (stopped && variables !== undefined && ended) waiting.current = variables;
  useEffect(() => {
    const save = waiting.current;
    if (ended || save === null) return;
    waiting.current = null;
    mutate(save);
  }, [ended, mutate]);
  return { ...mutation, isStopped: stopped };
}
