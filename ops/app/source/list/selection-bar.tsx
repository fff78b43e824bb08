/** What can be done with the items that are selected, as far as the caller may. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Paper from '@mui/material/Paper';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../data/client.ts';
import { useRights } from '../data/queries.ts';
import { may, mayField } from '../data/rights.ts';
import type { Collection, Field } from '../data/schema-types.ts';
import type { Column } from '../display/columns.ts';
import { formatNumber } from '../display/format.ts';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { notify } from '../shell/notify.ts';
import { Icon } from '../theme/icon.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { archiveValues } from './archive.ts';
import { BulkEditDialog } from './bulk-edit-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { conditionsOf, countWords, filterOf, type Matching, selectionOf } from './selection.ts';
import { useArchive } from './use-archive.ts';

export interface SelectionBarProps {
  readonly collection: Collection;
  readonly fields: readonly Field[];
  readonly columns: readonly Column[];
  /** Keys of the items. */
  readonly selected: ReadonlySet<string>;
  /** The conditions whose items are all selected; null where those of the keys are. */
  readonly matching: Matching | null;
  /** How many items match, as far as the list knows. */
  readonly total: number;
  readonly onSelectMatching: () => void;
  readonly clear: () => void;
}

type Opened = 'edit' | 'delete' | 'export' | 'archive' | 'unarchive';

export function SelectionBar(props: SelectionBarProps) {
  const { collection, fields, columns, selected, matching, total, clear } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const queryClient = useQueryClient();
  const rights = useRights();
  const name = collection.collection;
  const keys = [...selected];
  const [open, setOpened] = useState<Opened | null>(null);
  /** Each opening counts anew. */
  const [opening, setOpening] = useState(0);
  const close = () => setOpened(null);
  const setOpen = (opened: Opened) => {
    setOpened(opened);
    setOpening((before) => before + 1);
  };
  // What concerns items that are not on the screen is counted when it is asked for.
  const counted = useQuery({
    queryKey: ['items', name, 'count', matching, opening],
    queryFn: async ({ signal }) => {
      const query = { aggregate: { count: '*' }, ...(matching && conditionsOf(matching)) } as const;
      const [row] = await client.items(name).aggregate(query, { signal });
      return Number(row?.count ?? 0);
    },
    enabled: matching !== null && open !== null,
    staleTime: 0,
  });
  const number = matching === null ? keys.length : (counted.data ?? null);
  const isCounting = number === null;
  const words = countWords(number, locale);
  const selection = selectionOf(keys, matching);
  const done = async (text: string, undo?: () => void) => {
    close();
    clear();
    notify(text, { type: 'success', messageArgs: words, ...(undo !== undefined && { undo }) });
    await queryClient.invalidateQueries({ queryKey: ['items', name] });
  };
  const remove = useMutation({
    mutationFn: () => client.items(name).deleteMany(selection),
    onSuccess: () => done('list.deleted'),
  });
  const archive = useArchive(collection, fields, (undo) => done('list.changed', undo));
  // A dialog asks first, which says why it failed.
  const archiveMatching = useMutation({
    mutationFn: (changes: Readonly<Record<string, unknown>>) =>
      client.items(name).updateMany(selection, changes, { limit: 1 }),
    onSuccess: () => done('list.changed'),
  });
  const put = (what: 'archive' | 'unarchive', value: unknown) => {
    if (archiving === null) return;
    if (matching === null) archive.mutate({ keys, value });
    else if (open !== what) setOpen(what);
    else archiveMatching.mutate({ [archiving.field]: value });
  };

  const archiving = archiveValues(collection);
  const mayArchive = archiving !== null && mayField(rights, name, 'update', archiving.field);
  return (
    <Paper
      role="region"
      aria-label={translate('list.selection')}
      variant="outlined"
      sx={{
        position: 'sticky',
        bottom: 16,
        zIndex: 2,
        mt: 2,
        px: 2,
        py: 1,
        display: 'flex',
        flexWrap: 'wrap',
        alignItems: 'center',
        gap: 1,
        boxShadow: 4,
      }}
    >
      <Typography role="status" sx={{ fontWeight: 600, mr: 1 }}>
        {translate('list.selected', countWords(matching === null ? keys.length : total, locale))}
      </Typography>
      {matching === null && total > keys.length && (
        <Button onClick={props.onSelectMatching}>
          {translate('list.selectMatching', countWords(total, locale))}
        </Button>
      )}
      {may(rights, name, 'update') && (
        <Button startIcon={<Icon name="edit" />} onClick={() => setOpen('edit')}>
          {translate('list.edit')}
        </Button>
      )}
      {mayArchive && (
        <>
          <Button
            startIcon={<Icon name="archive" />}
            onClick={() => put('archive', archiving.archived)}
          >
            {translate('list.archive')}
          </Button>
          <Button
            startIcon={<Icon name="restore" />}
            onClick={() => put('unarchive', archiving.active)}
          >
            {translate('list.unarchive')}
          </Button>
        </>
      )}
      <Button startIcon={<Icon name="download" />} onClick={() => setOpen('export')}>
        {translate('list.export')}
      </Button>
      {may(rights, name, 'delete') && (
        <Button color="error" startIcon={<Icon name="delete" />} onClick={() => setOpen('delete')}>
          {translate('shell.delete')}
        </Button>
      )}
      <Box sx={{ flex: 1 }} />
      <Tooltip title={translate('list.unselect')}>
        <IconButton aria-label={translate('list.unselect')} onClick={clear}>
          <Icon name="close" fontSize="small" />
        </IconButton>
      </Tooltip>
      <ConfirmDialog
        open={open === 'delete'}
        title={translate('list.deleteTitle', words)}
        confirm={translate('shell.delete')}
        busy={remove.isPending || isCounting}
        error={remove.error ?? counted.error}
        onConfirm={() => remove.mutate()}
        onClose={close}
      >
        {translate('form.deleteText')}
      </ConfirmDialog>
      {archiving !== null && (
        <ConfirmDialog
          open={open === 'archive' || open === 'unarchive'}
          title={translate(
            open === 'unarchive' ? 'list.unarchiveTitle' : 'list.archiveTitle',
            words,
          )}
          confirm={translate(open === 'unarchive' ? 'list.unarchive' : 'list.archive')}
          busy={archiveMatching.isPending || isCounting}
          error={archiveMatching.error ?? counted.error}
          onConfirm={() =>
            open === 'unarchive'
              ? put('unarchive', archiving.active)
              : put('archive', archiving.archived)
          }
          onClose={close}
        >
          {translate('list.archiveText')}
        </ConfirmDialog>
      )}
      {open === 'edit' && (
        <BulkEditDialog
          collection={name}
          fields={fields}
          keys={keys}
          matching={matching}
          count={number}
          onDone={() => done('list.changed')}
          onClose={close}
        />
      )}
      {open === 'export' && number !== null && (
        <ExportDialog
          collection={name}
          columns={columns}
          filter={matching === null ? filterOf(fields, keys) : matching.filter}
          search={matching?.search ?? ''}
          sort={[]}
          items={number}
          count={formatNumber(number, locale)}
          onClose={close}
        />
      )}
    </Paper>
  );
}
