/** Downloads the items of a list as a file: those that are shown by search and filter, or selected. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { useTranslate } from 'ra-core';
import { useId, useState } from 'react';
import { client } from '../data/client.ts';
import type { Filter } from '../data/schema-types.ts';
import type { Column } from './columns.ts';

export interface ExportDialogProps {
  readonly collection: string;
  readonly columns: readonly Column[];
  /** What is exported: the conditions of the list, or those of the selection. */
  readonly filter: Filter | null;
  readonly search: string;
  readonly sort: readonly string[];
  /** How many items that are. */
  readonly count: string;
  readonly onClose: () => void;
}

const FORMATS = ['csv', 'csv_utf8', 'json', 'ndjson', 'xml', 'yaml'] as const;

function exportPath(collection: string): string {
  return collection.startsWith('system_')
    ? `/${collection.slice('system_'.length)}`
    : `/items/${encodeURIComponent(collection)}`;
}

export function ExportDialog(props: ExportDialogProps) {
  const { collection, columns, filter, search, sort, count, onClose } = props;
  const translate = useTranslate();
  const title = useId();
  const [format, setFormat] = useState<string>('csv');
  const [allFields, setAllFields] = useState(true);
  const parameters = new URLSearchParams({ export: format, limit: '-1' });
  const fields = columns.map(({ field }) => field.field);
  parameters.set('fields', allFields ? '*' : fields.join(','));
  if (filter !== null) parameters.set('filter', JSON.stringify(filter));
  if (search !== '') parameters.set('search', search);
  if (sort.length > 0) parameters.set('sort', sort.join(','));
  return (
    <Dialog open onClose={onClose} aria-labelledby={title} fullWidth maxWidth="xs">
      <DialogTitle id={title}>{translate('list.export')}</DialogTitle>
      <DialogContent sx={{ display: 'grid', gap: 2 }}>
        <DialogContentText>{translate('list.exportHelp', { count })}</DialogContentText>
        <TextField
          select
          label={translate('list.format')}
          value={format}
          onChange={({ target }) => setFormat(target.value)}
          slotProps={{ select: { native: true } }}
        >
          {FORMATS.map((name) => (
            <option key={name} value={name}>
              {translate(`list.format_${name}`)}
            </option>
          ))}
        </TextField>
        <TextField
          select
          label={translate('list.exportFields')}
          value={allFields ? 'all' : 'columns'}
          onChange={({ target }) => setAllFields(target.value === 'all')}
          slotProps={{ select: { native: true } }}
        >
          <option value="all">{translate('list.exportAll')}</option>
          <option value="columns">{translate('list.exportColumns')}</option>
        </TextField>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{translate('shell.cancel')}</Button>
        <Button
          variant="contained"
          component="a"
          href={`${client.url}${exportPath(collection)}?${parameters}`}
          download
          onClick={onClose}
        >
          {translate('list.download')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
