/** Makes a folder, or gives one another name or place. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { client } from '../data/client.ts';
import { FailureAlert } from '../shell/failure-alert.tsx';
import { notify } from '../shell/notify.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { FolderSelect } from './folder-select.tsx';
import { FOLDERS, type Folder } from './library-query.ts';

export interface FolderDialogProps {
  /** Null for a new one. */
  readonly folder: Folder | null;
  /** Where a new one begins. */
  readonly parent: string | null;
  readonly onDone: (id: string) => void;
  readonly onClose: () => void;
}

const MOST = 255;

export function FolderDialog({ folder, parent: begun, onDone, onClose }: FolderDialogProps) {
  const translate = useTranslate();
  const queryClient = useQueryClient();
  const id = useId();
  const [name, setName] = useState(folder?.name ?? '');
  const [parent, setParent] = useState(folder === null ? begun : folder.parent);
  const save = useMutation({
    mutationFn: async (): Promise<string> => {
      const body = { name: name.trim(), parent };
      const items = client.items(FOLDERS);
      const fields = { fields: ['id'] };
      if (folder !== null) {
        await items.update(folder.id, body, fields);
        return folder.id;
      }
      const made = await items.create(body, fields);
      return String(made?.id ?? '');
    },
    onSuccess: async (key) => {
      await queryClient.invalidateQueries({ queryKey: ['items', FOLDERS] });
      notify(folder === null ? 'files.folderMade' : 'files.folderSaved', { type: 'success' });
      onDone(key);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') save.mutate();
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} fullWidth maxWidth="xs">
      <Box component="form" noValidate onSubmit={submit}>
        <DialogTitle id={id}>
          {translate(folder === null ? 'files.newFolder' : 'files.changeFolder')}
        </DialogTitle>
        <DialogContent sx={{ display: 'grid', gap: 2, pt: '8px !important' }}>
          <TextField
            autoFocus
            label={translate('files.name')}
            value={name}
            onChange={({ target }) => setName(target.value)}
            slotProps={{ htmlInput: { dir: 'auto', maxLength: MOST, autoComplete: 'off' } }}
          />
          <FolderSelect
            label={translate('files.within')}
            value={parent}
            without={folder?.id ?? null}
            onChange={setParent}
          />
          <FailureAlert error={save.error} />
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>{translate('shell.cancel')}</Button>
          <Button
            type="submit"
            variant="contained"
            loading={save.isPending}
            disabled={name.trim() === ''}
          >
            {translate(folder === null ? 'files.make' : 'shell.save')}
          </Button>
        </DialogActions>
      </Box>
    </Dialog>
  );
}
