/**
 * Saves a role or a user with the changes of its policies by one request, unless somebody else was
 * faster: then it yields what is stored now.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { PreconditionFailedError } from '../../../client/source/index.ts';
import { client } from '../data/client.ts';
import type { Item } from '../data/schema-types.ts';
import { type HolderRead, holderQuery, type StoredHolder } from './holder-queries.ts';
import { useAccessChanged } from './use-access-changed.ts';
import type { HolderDraft } from './use-holder-draft.ts';

export interface HolderSave<T> {
  readonly collection: string;
  /** Null for one that is created. */
  readonly id: string | null;
  /** How it is read: what was read so has the tag that is compared. */
  readonly read: HolderRead;
  readonly draft: HolderDraft<T>;
  /** Key of what is said when it is done. */
  readonly done: string;
  readonly pathOf: (id: string) => string;
}

export interface HolderSending {
  readonly payload: Item;
  /** Of what the changes were made to; null writes over whatever is there. */
  readonly tag: string | null;
  /** The changes that become the payload, by the names of fields. */
  readonly mine: Item;
}

type Outcome<T> = { readonly saved: Item | null } | { readonly theirs: StoredHolder<T> };

export function useHolderSave<T>(holder: HolderSave<T>) {
  const { collection, id, read, draft, done, pathOf } = holder;
  const queryClient = useQueryClient();
  const accessChanged = useAccessChanged();
  const navigate = useNavigate();
  const notify = useNotify();
  /** What is stored now, when that is not what the changes were made to. */
  const [conflict, setConflict] = useState<StoredHolder<T> | null>(null);
  const mutation = useMutation({
    mutationFn: async ({ payload, tag }: HolderSending): Promise<Outcome<T>> => {
      if (id === null) {
        return { saved: await client.items(collection).create(payload, { fields: ['id'] }) };
      }
      const { path, query } = read;
      const condition = tag === null ? {} : { headers: { 'if-match': tag } };
      try {
        return {
          saved: await client.request('PATCH', path, { query, body: payload, ...condition }),
        };
      } catch (error) {
        if (!(error instanceof PreconditionFailedError)) throw error;
        return { theirs: await queryClient.fetchQuery({ ...holderQuery<T>(read), staleTime: 0 }) };
      }
    },
    onSuccess: async (outcome, { mine }) => {
      if ('theirs' in outcome) return setConflict(outcome.theirs);
      setConflict(null);
      await accessChanged();
      const latest = queryClient.getQueryData(holderQuery<T>(read).queryKey);
      if (id === null || latest === undefined) draft.reset();
      else draft.settle(mine, latest);
      notify(done, { type: 'success' });
      if (id === null) await navigate(pathOf(String(outcome.saved?.id ?? '')), { replace: true });
    },
  });
  return { ...mutation, conflict, endConflict: () => setConflict(null) };
}
