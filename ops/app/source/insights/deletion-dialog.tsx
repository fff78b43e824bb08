/** Asks before a dashboard or a panel is deleted, and deletes it. */
import { useMutation } from '@tanstack/react-query';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { dashboardsChanged } from './insight-queries.ts';

export interface DeletionDialogProps {
  readonly title: string;
  readonly text: string;
  readonly remove: () => Promise<unknown>;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function DeletionDialog({ title, text, remove, onDone, onClose }: DeletionDialogProps) {
  const translate = useTranslate();
  const mutation = useMutation({
    mutationFn: remove,
    onSuccess: async () => {
      onDone();
      await dashboardsChanged();
    },
  });
  return (
    <ConfirmDialog
      open
      title={title}
      confirm={translate('shell.delete')}
      busy={mutation.isPending}
      error={mutation.error}
      onConfirm={() => mutation.mutate()}
      onClose={onClose}
    >
      {text}
    </ConfirmDialog>
  );
}
