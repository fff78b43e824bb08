/** Deletes a policy, after a question. */
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useNotify, useTranslate } from 'ra-core';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { client } from '../data/client.ts';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { POLICIES, type Policy } from './access-queries.ts';
import { POLICY_LIST } from './paths.ts';
import { useAccessChanged } from './use-access-changed.ts';

export interface PolicyDeleteProps {
  readonly policy: Policy;
  /** Called before the page is left. */
  readonly onGone: () => void;
}

export function PolicyDelete({ policy, onGone }: PolicyDeleteProps) {
  const translate = useTranslate();
  const notify = useNotify();
  const navigate = useNavigate();
  const accessChanged = useAccessChanged();
  const [open, setOpen] = useState(false);
  const remove = useMutation({
    mutationFn: () => client.items(POLICIES).delete(policy.id),
    onSuccess: async () => {
      onGone();
      notify('access.policyDeleted', { type: 'success' });
      await navigate(POLICY_LIST);
      await accessChanged();
    },
  });
  return (
    <>
      <Button color="error" onClick={() => setOpen(true)}>
        {translate('shell.delete')}
      </Button>
      <ConfirmDialog
        open={open}
        title={translate('access.deletePolicyTitle', { name: policy.name })}
        confirm={translate('shell.delete')}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={() => setOpen(false)}
      >
        {translate('access.deletePolicyText')}
      </ConfirmDialog>
    </>
  );
}
