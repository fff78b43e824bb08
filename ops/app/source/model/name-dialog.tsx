/** Asks for the name of a field or a collection, and makes the change that it is for. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { type FormEvent, useId, useState } from 'react';
import { useTranslate } from '../translation/use-translate.ts';
import { ChangeState } from './change-state.tsx';
import { nameFault, nameTyped } from './name.ts';
import type { Work } from './use-change.ts';

export interface NameDialogProps {
  readonly title: string;
  readonly text: string;
  /** What the field for the name is called, and the button. */
  readonly label: string;
  readonly action: string;
  readonly name: string;
  readonly onName: (name: string) => void;
  /** The name that the subject has; null for what is new. */
  readonly before: string | null;
  /** Names that others have. */
  readonly taken: ReadonlySet<string>;
  readonly work: Work;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
}

export function NameDialog(props: NameDialogProps) {
  const { title, text, label, action, name, onName, before, taken, work, onClose } = props;
  const translate = useTranslate();
  const id = useId();
  const [fault, setFault] = useState<string | null>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Another form may be around the dialog.
    event.stopPropagation();
    const wrong = name === before ? null : nameFault(name, taken);
    setFault(wrong);
    if (wrong === null && name !== before) props.onSubmit();
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} fullWidth maxWidth="sm">
      <DialogTitle id={id}>{title}</DialogTitle>
      <DialogContent>
        <DialogContentText>{text}</DialogContentText>
        <Box component="form" id={`${id}-form`} onSubmit={submit} sx={{ mt: 2 }}>
          <TextField
            label={label}
            value={name}
            autoFocus
            error={fault !== null}
            helperText={fault !== null && translate(fault)}
            onChange={({ target }) => {
              onName(nameTyped(target.value));
              setFault(null);
            }}
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
          variant="contained"
          disabled={name === before}
          loading={work.isPending}
        >
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
