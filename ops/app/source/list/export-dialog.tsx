/** Downloads the items of a list as a file: those that are shown by search and filter, or selected. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { client } from '../data/client.ts';
import { newKey } from '../data/idempotency.ts';
import type { Filter } from '../data/schema-types.ts';
import type { Column } from '../display/columns.ts';
import { Choice } from '../shell/choice.tsx';
import { FailureAlert } from '../shell/failure-alert.tsx';
import { useTranslate } from '../translation/use-translate.ts';

export interface ExportDialogProps {
  readonly collection: string;
  readonly columns: readonly Column[];
  /** What is exported: the conditions of the list, or those of the selection. */
  readonly filter: Filter | null;
  readonly search: string;
  readonly sort: readonly string[];
  /** How many items that are, and the number in words. */
  readonly items: number;
  readonly count: string;
  readonly onClose: () => void;
}

/** From so many items on a file is better written by a job, which goes on without this page. */
const MANY = 10_000;
const FORMATS = ['csv', 'csv_utf8', 'json', 'ndjson', 'xml', 'yaml', 'xlsx', 'parquet'] as const;

function exportPath(collection: string): string {
  return collection.startsWith('system_')
    ? `/${collection.slice('system_'.length)}`
    : `/items/${encodeURIComponent(collection)}`;
}

export function ExportDialog(props: ExportDialogProps) {
  const { collection, columns, filter, search, sort, items, count, onClose } = props;
  const translate = useTranslate();
  const title = useId();
  const [format, setFormat] = useState<(typeof FORMATS)[number]>('csv');
  const [allFields, setAllFields] = useState(true);
  const parameters = new URLSearchParams({ export: format, limit: '-1' });
  const fields = columns.map(({ field }) => field.field);
  parameters.set('fields', allFields ? '*' : fields.join(','));
  if (filter !== null) parameters.set('filter', JSON.stringify(filter));
  if (search !== '') parameters.set('search', search);
  if (sort.length > 0) parameters.set('sort', sort.join(','));
  const navigate = useNavigate();
  const [key] = useState(newKey);
  const write = useMutation({
    mutationFn: async () => {
      const control = new AbortController();
      const query = {
        ...(!allFields && { fields }),
        ...(filter !== null && { filter }),
        ...(search !== '' && { search }),
        ...(sort.length > 0 && { sort }),
      };
      const options = { idempotencyKey: `${key}-${format}-${allFields}`, signal: control.signal };
      const job = await client.items(collection).export(format, query, options).job;
      // Its screen follows the job.
      control.abort();
      return job;
    },
    onSuccess: async ({ id }) => {
      onClose();
      await navigate(`/operations/jobs/${id}`);
    },
  });
  // Those of Sluice itself are not written by jobs.
  const byJob = !collection.startsWith('system_');
  const many = byJob && items >= MANY;
  return (
    <Dialog open onClose={onClose} aria-labelledby={title} fullWidth maxWidth="xs">
      <DialogTitle id={title}>{translate('list.export')}</DialogTitle>
      <DialogContent sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' }}>
        <DialogContentText>
          {translate('list.exportHelp', { smart_count: items, count })}
        </DialogContentText>
        <Choice
          label={translate('list.format')}
          value={format}
          options={FORMATS.map((name) => [name, translate(`list.format_${name}`)])}
          onChange={setFormat}
        />
        <Choice
          label={translate('list.exportFields')}
          value={allFields ? 'all' : 'columns'}
          options={[
            ['all', translate('list.exportAll')],
            ['columns', translate('list.exportColumns')],
          ]}
          onChange={(chosen) => setAllFields(chosen === 'all')}
        />
        {byJob && (
          <DialogContentText variant="body2">{translate('list.exportJobHelp')}</DialogContentText>
        )}
        <FailureAlert error={write.error} />
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{translate('shell.cancel')}</Button>
        {byJob && (
          <Button
            variant={many ? 'contained' : 'text'}
            loading={write.isPending}
            onClick={() => write.mutate()}
          >
            {translate('list.exportJob')}
          </Button>
        )}
        <Button
          variant={many ? 'text' : 'contained'}
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
