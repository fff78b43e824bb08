/** Asks before something is deleted with all that is in it, and has its name typed. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { useTranslate } from '../translation/use-translate.ts';
import { ChangeState } from './change-state.tsx';
import type { Work } from './use-change.ts';

export interface DeleteDialogProps {
  readonly title: string;
  /** What has to be typed. */
  readonly name: string;
  readonly work: Work;
  /** Whether what would be lost is known. */
  readonly ready: boolean;
  readonly children: ReactNode;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function DeleteDialog(props: DeleteDialogProps) {
  const { title, name, work, ready, children, onConfirm, onClose } = props;
  const translate = useTranslate();
  const id = useId();
  const [typed, setTyped] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready && typed === name) onConfirm();
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} fullWidth maxWidth="sm">
      <DialogTitle id={id}>{title}</DialogTitle>
      <DialogContent>
        <DialogContentText component="div">{children}</DialogContentText>
        <Box component="form" id={`${id}-form`} onSubmit={submit} sx={{ mt: 2 }}>
          <TextField
            label={translate('model.typeName', { name })}
            value={typed}
            autoFocus
            onChange={({ target }) => setTyped(target.value)}
            slotProps={{ htmlInput: { spellCheck: false, autoCapitalize: 'off' } }}
          />
        </Box>
        <Box sx={{ mt: 2 }}>
          <ChangeState work={work} />
        </Box>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{translate('shell.cancel')}</Button>
        <Button
          type="submit"
          form={`${id}-form`}
          color="error"
          variant="contained"
          disabled={!ready || typed !== name}
          loading={work.isPending}
        >
          {translate('shell.delete')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
