/** Deletes a folder, and asks what becomes of that which is in it. */
import FormControlLabel from '@mui/material/FormControlLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../data/client.ts';
import { useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { notify } from '../shell/notify.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { folderAndBelow } from './folder-tree.ts';
import { FILES, FOLDERS, type Folder } from './library-query.ts';

export interface DeleteFolderProps {
  readonly folder: Folder;
  readonly folders: readonly Folder[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

type Content = 'move' | 'delete';

const NO_ANSWER = { limit: 1, fields: ['id'] };

/** Moves what is in a folder into the one above, and deletes it. */
async function deleteAlone({ id, parent }: Folder, folders: readonly Folder[]): Promise<void> {
  const inside = { query: { filter: { folder: { _eq: id } }, limit: -1 } };
  await client.items(FILES).updateMany(inside, { folder: parent }, NO_ANSWER);
  const below = folders.filter((folder) => folder.parent === id).map((folder) => folder.id);
  if (below.length > 0) await client.items(FOLDERS).updateMany(below, { parent }, NO_ANSWER);
  await client.items(FOLDERS).delete(id);
}

/** Deletes a folder with the files and folders in it. */
async function deleteAll({ id }: Folder, folders: readonly Folder[]): Promise<void> {
  const all = folderAndBelow(folders, id);
  await client.items(FILES).deleteMany({ query: { filter: { folder: { _in: all } }, limit: -1 } });
  await client.items(FOLDERS).deleteMany(all);
}

export function DeleteFolder({ folder, folders, onDone, onClose }: DeleteFolderProps) {
  const translate = useTranslate();
  const queryClient = useQueryClient();
  const rights = useRights();
  const [content, setContent] = useState<Content>('move');
  const all = folderAndBelow(folders, folder.id);
  const filter = { folder: { _in: all } };
  const count = useQuery({
    queryKey: ['items', FILES, 'list', 'count', filter],
    queryFn: ({ signal }) =>
      client
        .items(FILES)
        .page({ fields: ['id'], limit: 1, filter, meta: ['filter_count'] }, { signal }),
  });
  const files = count.data?.meta.filter_count ?? 0;
  const remove = useMutation({
    mutationFn: () =>
      content === 'move' ? deleteAlone(folder, folders) : deleteAll(folder, folders),
    onSuccess: () => {
      notify('files.folderDeleted', { type: 'success' });
      onDone();
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['items'] }),
  });
  const isEmpty = count.data !== undefined && files === 0 && all.length === 1;
  const choices: readonly Content[] = may(rights, FILES, 'delete') ? ['move', 'delete'] : ['move'];
  return (
    <ConfirmDialog
      open
      title={translate('files.deleteFolderTitle', { name: folder.name })}
      confirm={translate('shell.delete')}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {isEmpty ? (
        translate('files.folderIsEmpty')
      ) : (
        <>
          {translate('files.folderHolds', { files, folders: all.length - 1 })}
          <RadioGroup
            aria-label={translate('files.folderContent')}
            value={content}
            onChange={(_, value) => setContent(value === 'delete' ? 'delete' : 'move')}
          >
            {choices.map((choice) => (
              <FormControlLabel
                key={choice}
                value={choice}
                control={<Radio />}
                label={translate(`files.content_${choice}`)}
              />
            ))}
          </RadioGroup>
        </>
      )}
    </ConfirmDialog>
  );
}
