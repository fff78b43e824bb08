/** What can be done with the items that are selected, as far as the caller may. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../data/client.ts';
import { keyFromText } from '../data/item-key.ts';
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
import { keysFilter } from './keys-filter.ts';
import { useArchive } from './use-archive.ts';

export interface SelectionBarProps {
  readonly collection: Collection;
  readonly fields: readonly Field[];
  readonly columns: readonly Column[];
  /** Keys of the items. */
  readonly selected: ReadonlySet<string>;
  readonly clear: () => void;
}

export function SelectionBar({ collection, fields, columns, selected, clear }: SelectionBarProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const queryClient = useQueryClient();
  const rights = useRights();
  const name = collection.collection;
  const keys = [...selected];
  const [open, setOpen] = useState<'edit' | 'delete' | 'export' | null>(null);
  const close = () => setOpen(null);
  const done = async (text: string, undo?: () => void) => {
    close();
    clear();
    const messageArgs = { smart_count: keys.length };
    notify(text, { type: 'success', messageArgs, ...(undo !== undefined && { undo }) });
    await queryClient.invalidateQueries({ queryKey: ['items', name] });
  };
  const remove = useMutation({
    mutationFn: () => client.items(name).deleteMany(keys.map(keyFromText)),
    onSuccess: () => done('list.deleted'),
  });
  const archiving = archiveValues(collection);
  const archive = useArchive(collection, fields, (undo) => done('list.changed', undo));
  const mayArchive = archiving !== null && mayField(rights, name, 'update', archiving.field);
  const count = formatNumber(keys.length, locale);
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
        {translate('list.selected', { smart_count: keys.length })}
      </Typography>
      {may(rights, name, 'update') && (
        <Button startIcon={<Icon name="edit" />} onClick={() => setOpen('edit')}>
          {translate('list.edit')}
        </Button>
      )}
      {mayArchive && (
        <>
          <Button
            startIcon={<Icon name="archive" />}
            onClick={() => archive.mutate({ keys, value: archiving.archived })}
          >
            {translate('list.archive')}
          </Button>
          <Button
            startIcon={<Icon name="restore" />}
            onClick={() => archive.mutate({ keys, value: archiving.active })}
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
      <Button color="inherit" onClick={clear}>
        {translate('list.unselect')}
      </Button>
      <ConfirmDialog
        open={open === 'delete'}
        title={translate('list.deleteTitle', { smart_count: keys.length })}
        confirm={translate('shell.delete')}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={close}
      >
        {translate('form.deleteText')}
      </ConfirmDialog>
      {open === 'edit' && (
        <BulkEditDialog
          collection={name}
          fields={fields}
          keys={keys}
          onDone={() => done('list.changed')}
          onClose={close}
        />
      )}
      {open === 'export' && (
        <ExportDialog
          collection={name}
          columns={columns}
          filter={keysFilter(fields, keys)}
          search=""
          sort={[]}
          items={keys.length}
          count={count}
          onClose={close}
        />
      )}
    </Paper>
  );
}
