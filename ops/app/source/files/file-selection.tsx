/** What can be done with the selected files: move, download, delete. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { client } from '../data/client.ts';
import { useRights } from '../data/queries.ts';
import { may, mayField } from '../data/rights.ts';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { FailureAlert } from '../shell/failure-alert.tsx';
import { notify, notifyFailure } from '../shell/notify.ts';
import { saveAs } from '../shell/save-as.ts';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { FolderSelect } from './folder-select.tsx';
import { FILES, FOLDERS } from './library-query.ts';

export interface FileSelectionProps {
  readonly selected: ReadonlySet<string>;
  /** The folder that is shown. */
  readonly folder: string | null;
  readonly clear: () => void;
  /** Selects all that are shown; null when they are. */
  readonly selectAll: (() => void) | null;
}

interface MoveDialogProps {
  readonly count: number;
  readonly folder: string | null;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onMove: (folder: string | null) => void;
  readonly onClose: () => void;
}

function MoveDialog({ count, folder: begun, busy, error, onMove, onClose }: MoveDialogProps) {
  const translate = useTranslate();
  const id = useId();
  const [folder, setFolder] = useState(begun);
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} fullWidth maxWidth="xs">
      <DialogTitle id={id}>{translate('files.moveTitle', { smart_count: count })}</DialogTitle>
      <DialogContent sx={{ display: 'grid', gap: 2, pt: '8px !important' }}>
        <FolderSelect label={translate('files.folder')} value={folder} onChange={setFolder} />
        <FailureAlert error={error} />
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{translate('shell.cancel')}</Button>
        <Button variant="contained" loading={busy} onClick={() => onMove(folder)}>
          {translate('files.move')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

export function FileSelection({ selected, folder, clear, selectAll }: FileSelectionProps) {
  const translate = useTranslate();
  const queryClient = useQueryClient();
  const rights = useRights();
  const [open, setOpen] = useState<'move' | 'delete' | null>(null);
  const keys = [...selected];
  const done = async (text: string) => {
    setOpen(null);
    clear();
    notify(text, { type: 'success', messageArgs: { smart_count: keys.length } });
    await queryClient.invalidateQueries({ queryKey: ['items', FILES] });
  };
  const move = useMutation({
    mutationFn: (to: string | null) =>
      client.items(FILES).updateMany(keys, { folder: to }, { fields: ['id'], limit: 1 }),
    onSuccess: () => done('files.moved'),
  });
  const remove = useMutation({
    mutationFn: () => client.items(FILES).deleteMany(keys),
    onSuccess: () => done('files.deleted'),
  });
  const download = useMutation({
    mutationFn: async () => {
      const archive = await client.assets.zip(keys);
      saveAs(await archive.blob(), 'files.zip');
    },
    onError: (error) => notifyFailure(error, translate),
  });
  const mayMove = mayField(rights, FILES, 'update', 'folder') && may(rights, FOLDERS, 'read');
  return (
    <Paper
      role="region"
      aria-label={translate('list.selection')}
      variant="outlined"
      sx={{
        ...{ position: 'sticky', bottom: 16, zIndex: 2, mt: 2, px: 2, py: 1, boxShadow: 4 },
        ...{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 },
      }}
    >
      <Typography role="status" sx={{ fontWeight: 600, mr: 1 }}>
        {translate('files.selected', { smart_count: keys.length })}
      </Typography>
      {mayMove && (
        <Button startIcon={<Icon name="folder_open" />} onClick={() => setOpen('move')}>
          {translate('files.move')}
        </Button>
      )}
      <Button
        startIcon={<Icon name="download" />}
        loading={download.isPending}
        onClick={() => download.mutate()}
      >
        {translate('files.downloadAll')}
      </Button>
      {may(rights, FILES, 'delete') && (
        <Button color="error" startIcon={<Icon name="delete" />} onClick={() => setOpen('delete')}>
          {translate('shell.delete')}
        </Button>
      )}
      <Box sx={{ flex: 1 }} />
      {selectAll !== null && (
        <Button color="inherit" onClick={selectAll}>
          {translate('files.selectAll')}
        </Button>
      )}
      <Button color="inherit" onClick={clear}>
        {translate('list.unselect')}
      </Button>
      {open === 'move' && (
        <MoveDialog
          count={keys.length}
          folder={folder}
          busy={move.isPending}
          error={move.error}
          onMove={move.mutate}
          onClose={() => setOpen(null)}
        />
      )}
      <ConfirmDialog
        open={open === 'delete'}
        title={translate('files.deleteTitle', { smart_count: keys.length })}
        confirm={translate('shell.delete')}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={() => setOpen(null)}
      >
        {translate('files.deleteText')}
      </ConfirmDialog>
    </Paper>
  );
}
