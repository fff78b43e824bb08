/** Saves a role or a user with the changes of its policies by one request. */
import { useMutation } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useNavigate } from 'react-router-dom';
import { client } from '../data/client.ts';
import type { Item } from '../data/schema-types.ts';
import { useAccessChanged } from './use-access-changed.ts';
import type { HolderDraft } from './use-holder-draft.ts';

export interface HolderSave {
  readonly collection: string;
  /** Null for one that is created. */
  readonly id: string | null;
  readonly draft: Pick<HolderDraft<object>, 'payload' | 'reset'>;
  /** Key of what is said when it is done. */
  readonly done: string;
  readonly pathOf: (id: string) => string;
}

export function useHolderSave({ collection, id, draft, done, pathOf }: HolderSave) {
  const accessChanged = useAccessChanged();
  const navigate = useNavigate();
  const notify = useNotify();
  const items = client.items(collection);
  return useMutation({
    mutationFn: (): Promise<Item | null> => {
      const read = { fields: ['id'] };
      return id === null
        ? items.create(draft.payload, read)
        : items.update(id, draft.payload, read);
    },
    onSuccess: async (saved) => {
      await accessChanged();
      draft.reset();
      notify(done, { type: 'success' });
      if (id === null) await navigate(pathOf(String(saved?.id ?? '')), { replace: true });
    },
  });
}
