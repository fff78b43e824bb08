/** Deletes a role, a user or a policy, after a question. */
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { client } from '../data/client.ts';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { notify } from '../shell/notify.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { useAccessChanged } from './use-access-changed.ts';

export interface DeleteButtonProps {
  readonly collection: string;
  readonly id: string;
  readonly title: string;
  /** What follows from it. */
  readonly text: string;
  /** Key of what is said when it is done. */
  readonly done: string;
  /** Where one goes then. */
  readonly back: string;
  /** Called before the page is left. */
  readonly onGone: () => void;
}

export function DeleteButton(props: DeleteButtonProps) {
  const { collection, id, title, text, done, back, onGone } = props;
  const translate = useTranslate();
  const navigate = useNavigate();
  const accessChanged = useAccessChanged();
  const [open, setOpen] = useState(false);
  const remove = useMutation({
    mutationFn: () => client.items(collection).delete(id),
    onSuccess: async () => {
      onGone();
      await accessChanged('next');
      notify(done, { type: 'success' });
      await navigate(back);
    },
  });
  return (
    <>
      <Button color="error" onClick={() => setOpen(true)}>
        {translate('shell.delete')}
      </Button>
      <ConfirmDialog
        open={open}
        title={title}
        confirm={translate('shell.delete')}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={() => setOpen(false)}
      >
        {text}
      </ConfirmDialog>
    </>
  );
}
