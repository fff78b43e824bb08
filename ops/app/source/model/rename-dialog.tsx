/** Asks for another name of a collection or a field, and says what has to follow outside of the App. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { type FormEvent, useId, useState } from 'react';
import { notify } from '../shell/notify.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { pathOf } from './change.ts';
import { ChangeState } from './change-state.tsx';
import { nameFault, nameTyped } from './name.ts';
import { useChange } from './use-change.ts';

export interface RenameDialogProps {
  /** The collection, and its field where that is renamed. */
  readonly subject: { readonly collection: string; readonly field?: string };
  /** Names that others have. */
  readonly taken: ReadonlySet<string>;
  /** Goes to the screen of the new name. */
  readonly follow: (name: string) => Promise<void>;
  readonly onClose: () => void;
}

export function RenameDialog({ subject, taken, follow, onClose }: RenameDialogProps) {
  const translate = useTranslate();
  const id = useId();
  const { collection, field } = subject;
  const name = field ?? collection;
  const [typed, setTyped] = useState(name);
  const [fault, setFault] = useState<string | null>(null);
  const work = useChange(
    () => notify('model.renamed', { type: 'success', messageArgs: { name, to: typed } }),
    { leave: () => follow(typed), ...(field === undefined && { collection }) },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = typed === name ? null : nameFault(typed, taken);
    setFault(wrong);
    if (wrong !== null || typed === name) return;
    const path = field === undefined ? ['collections', collection] : ['fields', collection, field];
    const body = field === undefined ? { collection: typed } : { field: typed };
    work.run([{ method: 'POST', path: pathOf(...path, 'rename'), body }]);
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} fullWidth maxWidth="sm">
      <DialogTitle id={id}>{translate('model.renameTitle', { name })}</DialogTitle>
      <DialogContent>
        <DialogContentText>{translate('model.renameText')}</DialogContentText>
        <Box component="form" id={`${id}-form`} onSubmit={submit} sx={{ mt: 2 }}>
          <TextField
            label={translate('model.newName')}
            value={typed}
            autoFocus
            error={fault !== null}
            helperText={fault !== null && translate(fault)}
            onChange={({ target }) => {
              setTyped(nameTyped(target.value));
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
          disabled={typed === name}
          loading={work.isPending}
        >
          {translate('model.rename')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
