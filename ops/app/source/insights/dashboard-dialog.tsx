/** Asks for the name, the icon and the note of a dashboard. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useId } from 'react';
import { client } from '../data/client.ts';
import { FailureAlert } from '../shell/failure-alert.tsx';
import { notify } from '../shell/notify.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { dashboardsChanged } from './insight-queries.ts';
import { DASHBOARDS, type Dashboard } from './panel-options.ts';

export interface DashboardDialogProps {
  /** Null for a new one. */
  readonly dashboard: Dashboard | null;
  /** Gets the key of what was saved; null where one may not read it. */
  readonly onSaved: (id: string | null) => void;
  readonly onClose: () => void;
}

export function DashboardDialog({ dashboard, onSaved, onClose }: DashboardDialogProps) {
  const translate = useTranslate();
  const title = useId();
  const save = useMutation({
    mutationFn: (changes: Partial<Dashboard>) => {
      const items = client.items(DASHBOARDS);
      const fields = { fields: ['id'] };
      return dashboard === null
        ? items.create(changes, fields)
        : items.update(dashboard.id, changes, fields);
    },
    onSuccess: async (saved) => {
      await dashboardsChanged();
      notify('insights.dashboardSaved', { type: 'success' });
      onSaved(saved === null ? null : String(saved.id));
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const note = String(values.get('note') ?? '').trim();
    save.mutate({ name: String(values.get('name') ?? '').trim(), note: note === '' ? null : note });
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby={title} fullWidth maxWidth="xs">
      <form onSubmit={submit}>
        <DialogTitle id={title}>
          {translate(dashboard === null ? 'insights.newDashboard' : 'insights.editDashboard')}
        </DialogTitle>
        <DialogContent sx={{ display: 'grid', gap: 1 }}>
          <FailureAlert error={save.error} />
          <TextField
            name="name"
            label={translate('insights.name')}
            defaultValue={dashboard?.name ?? ''}
            required
            autoFocus
            margin="dense"
            slotProps={{ htmlInput: { maxLength: 255, pattern: '.*\\S.*', dir: 'auto' } }}
          />
          <TextField
            name="note"
            label={translate('insights.note')}
            defaultValue={dashboard?.note ?? ''}
            multiline
            margin="dense"
            slotProps={{ htmlInput: { dir: 'auto' } }}
          />
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>{translate('shell.cancel')}</Button>
          <Button type="submit" variant="contained" loading={save.isPending}>
            {translate('shell.save')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
