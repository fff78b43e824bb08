/** Asks for the name of a bookmark, and of a new one whether it is for everybody. */
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import FormControlLabel from '@mui/material/FormControlLabel';
import TextField from '@mui/material/TextField';
import { type FormEvent, useId } from 'react';
import { FailureAlert } from '../shell/failure-alert.tsx';
import { useTranslate } from '../translation/use-translate.ts';

export interface BookmarkDialogProps {
  readonly title: string;
  /** What it is called so far; null for a new one. */
  readonly name: string | null;
  readonly mayShare: boolean;
  readonly busy: boolean;
  /** Why it did not work. */
  readonly error: unknown;
  readonly onSave: (name: string, forAll: boolean) => void;
  readonly onClose: () => void;
}

export function BookmarkDialog(props: BookmarkDialogProps) {
  const { title, name, mayShare, busy, error, onSave, onClose } = props;
  const translate = useTranslate();
  const id = useId();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    onSave(String(values.get('name') ?? '').trim(), values.get('forAll') !== null);
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} fullWidth maxWidth="xs">
      <form onSubmit={submit}>
        <DialogTitle id={id}>{title}</DialogTitle>
        <DialogContent sx={{ display: 'grid', gap: 1 }}>
          <FailureAlert error={error} />
          <TextField
            name="name"
            label={translate('list.bookmarkName')}
            helperText={name === null ? translate('list.bookmarkHelp') : null}
            defaultValue={name ?? ''}
            required
            autoFocus
            margin="dense"
            slotProps={{ htmlInput: { maxLength: 100, pattern: '.*\\S.*' } }}
          />
          {mayShare && (
            <FormControlLabel
              control={<Checkbox name="forAll" />}
              label={translate('list.bookmarkForAll')}
            />
          )}
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>{translate('shell.cancel')}</Button>
          <Button type="submit" variant="contained" loading={busy}>
            {translate('shell.save')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
