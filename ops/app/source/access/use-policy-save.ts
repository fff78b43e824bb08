/** Saves a policy with all changes of its permissions, unless somebody else was faster. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useNavigate } from 'react-router-dom';
import { client } from '../data/client.ts';
import { POLICY_READ } from './access-queries.ts';
import { POLICIES } from './access-types.ts';
import { policyPath } from './paths.ts';
import { permissionChanges } from './permission-rules.ts';
import { useAccessChanged } from './use-access-changed.ts';
import type { PolicyDraft } from './use-policy-draft.ts';

export interface PolicySave {
  /** Of what the changes were made to; null writes over whatever is there. */
  readonly tag: string | null;
}

export function usePolicySave({ draft, isNew }: { draft: PolicyDraft; isNew: boolean }) {
  const queryClient = useQueryClient();
  const accessChanged = useAccessChanged();
  const navigate = useNavigate();
  const notify = useNotify();
  const { policy, own, cells, cellChanges, reset } = draft;
  const mutation = useMutation({
    mutationFn: ({ tag }: PolicySave): Promise<Record<string, unknown> | null> => {
      const permissions = permissionChanges(cells, cellChanges);
      const nested = permissions === null ? {} : { permissions };
      if (isNew) {
        const { id: _, permissions: __, ...whole } = { permissions: null, ...policy };
        return client.items(POLICIES).create({ ...whole, ...nested }, { fields: ['id'] });
      }
      const condition = tag === null ? {} : { headers: { 'if-match': tag } };
      const path = `/policies/${encodeURIComponent(policy.id)}`;
      const body = { ...own, ...nested };
      return client.request('PATCH', path, { query: POLICY_READ, body, ...condition });
    },
    onSuccess: async (saved) => {
      await accessChanged();
      reset();
      notify('access.policySaved', { type: 'success' });
      if (isNew) await navigate(policyPath(String(saved?.id ?? '')), { replace: true });
    },
  });
  return {
    ...mutation,
    async takeTheirs() {
      await queryClient.invalidateQueries({ queryKey: ['items', POLICIES] });
      reset();
      mutation.reset();
    },
  };
}
