/**
 * Saves a policy with all changes of its permissions, unless somebody else was faster: then it yields
 * what is stored now.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { PreconditionFailedError } from '../../../client/source/index.ts';
import { client } from '../data/client.ts';
import type { Item } from '../data/schema-types.ts';
import { POLICY_READ, policyQuery, type StoredPolicy } from './access-queries.ts';
import { POLICIES } from './access-types.ts';
import { policyPath } from './paths.ts';
import { useAccessChanged } from './use-access-changed.ts';
import type { PolicyDraft } from './use-policy-draft.ts';

export interface PolicySave {
  readonly payload: Item;
  /** Of what the changes were made to; null writes over whatever is there. */
  readonly tag: string | null;
  /** The changes that become the payload, by names. */
  readonly mine: Item;
}

type Outcome = { readonly saved: Item | null } | { readonly theirs: StoredPolicy };

export function usePolicySave({ draft, isNew }: { draft: PolicyDraft; isNew: boolean }) {
  const queryClient = useQueryClient();
  const accessChanged = useAccessChanged();
  const navigate = useNavigate();
  const notify = useNotify();
  const { policy } = draft;
  const [conflict, setConflict] = useState<StoredPolicy | null>(null);
  const mutation = useMutation({
    mutationFn: async ({ payload, tag }: PolicySave): Promise<Outcome> => {
      if (isNew) {
        const { id: _, permissions: __, ...whole } = { permissions: null, ...policy };
        const made = { ...whole, ...payload };
        return { saved: await client.items(POLICIES).create(made, { fields: ['id'] }) };
      }
      const condition = tag === null ? {} : { headers: { 'if-match': tag } };
      const path = `/policies/${encodeURIComponent(policy.id)}`;
      try {
        const request = { query: POLICY_READ, body: payload, ...condition };
        return { saved: await client.request<Item | null>('PATCH', path, request) };
      } catch (error) {
        if (!(error instanceof PreconditionFailedError)) throw error;
        const latest = { ...policyQuery(policy.id), staleTime: 0 };
        return { theirs: await queryClient.fetchQuery(latest) };
      }
    },
    onSuccess: async (outcome, { mine }) => {
      if ('theirs' in outcome) return setConflict(outcome.theirs);
      setConflict(null);
      await accessChanged();
      const latest = queryClient.getQueryData(policyQuery(policy.id).queryKey);
      if (isNew || latest === undefined) draft.reset();
      else draft.settle(mine, latest);
      notify('access.policySaved', { type: 'success' });
      if (isNew) await navigate(policyPath(String(outcome.saved?.id ?? '')), { replace: true });
    },
  });
  return { ...mutation, conflict, endConflict: () => setConflict(null) };
}
