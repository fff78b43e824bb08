/** Saves a user, a role or a policy, with all that belongs to it, by one request. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router-dom';
import { client } from '../data/client.ts';
import type { Item } from '../data/schema-types.ts';
import type { Draft, Stored } from '../draft/use-draft.ts';
import { type Sending, useSave } from '../draft/use-save.ts';
import { notify } from '../shell/notify.ts';
import { type FormRead, formQuery } from './form-queries.ts';
import { useAccessChanged } from './use-access-changed.ts';

export interface AccessSave<S extends Stored<object>> {
  readonly isNew: boolean;
  readonly read: FormRead<S>;
  readonly draft: Draft<S>;
  readonly payloadOf: (sending: Sending<S>) => Item;
  /** Key of what is said when it is done. */
  readonly done: string;
  readonly pathOf: (id: string) => string;
  readonly onSaved?: () => void;
}

export function useAccessSave<S extends Stored<object>>(target: AccessSave<S>) {
  const { isNew, read, draft, payloadOf, done, pathOf, onSaved } = target;
  const queryClient = useQueryClient();
  const accessChanged = useAccessChanged();
  const navigate = useNavigate();
  const latest = formQuery(read);
  return useSave({
    async send(sending: Sending<S>): Promise<Item | null> {
      const { collection, path, query } = read;
      const body = payloadOf(sending);
      if (isNew) return client.items(collection).create(body, { fields: ['id'] });
      const { tag } = sending.base;
      const condition = tag === null ? {} : { headers: { 'if-match': tag } };
      return client.request('PATCH', path, { query, body, ...condition });
    },
    readLatest: () => queryClient.fetchQuery({ ...latest, staleTime: 0 }),
    async onSaved(saved, { changes }) {
      await accessChanged();
      const now = queryClient.getQueryData(latest.queryKey);
      if (isNew || now === undefined) draft.reset();
      else draft.settle(changes, now);
      onSaved?.();
      notify(done, { type: 'success' });
      if (isNew) await navigate(pathOf(String(saved?.id ?? '')), { replace: true });
    },
  });
}
