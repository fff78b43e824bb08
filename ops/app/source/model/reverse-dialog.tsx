/** Asks for the name of a list on the other side of a relation, and creates it. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { fieldsQuery } from '../data/queries.ts';
import { notify } from '../shell/notify.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { ChangeState } from './change-state.tsx';
import { nameFault, nameTyped } from './name.ts';
import { reverseChanges } from './relation-changes.ts';
import { useChange } from './use-change.ts';

export interface ReverseDialogProps {
  /** The field that refers to an item of the related collection. */
  readonly referring: { readonly collection: string; readonly field: string };
  readonly related: string;
  readonly onClose: () => void;
}

export function ReverseDialog({ referring, related, onClose }: ReverseDialogProps) {
  const translate = useTranslate();
  const id = useId();
  const fields = useQuery(fieldsQuery(related)).data;
  const [typed, setTyped] = useState(referring.collection);
  const [fault, setFault] = useState<string | null>(null);
  const work = useChange(() => {
    notify('model.reverseCreated', { type: 'success', messageArgs: { name: typed, related } });
    onClose();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The form of the field is around the dialog.
    event.stopPropagation();
    // A list that has no metadata has the name of the collection, and gives way.
    const taken = (fields ?? []).filter(({ meta, schema }) => meta !== null || schema !== null);
    const wrong = nameFault(typed, new Set(taken.map(({ field }) => field)));
    setFault(wrong);
    if (wrong === null) work.run(reverseChanges(referring, related, typed));
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} fullWidth maxWidth="sm">
      <DialogTitle id={id}>{translate('model.reverseTitle', { related })}</DialogTitle>
      <DialogContent>
        <DialogContentText>
          {translate('model.reverseText', { collection: referring.collection, related })}
        </DialogContentText>
        <Box component="form" id={`${id}-form`} onSubmit={submit} sx={{ mt: 2 }}>
          <TextField
            label={translate('model.member.reverse')}
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
        <Button type="submit" form={`${id}-form`} variant="contained" loading={work.isPending}>
          {translate('model.create')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
