/** What can be done with a job now: cancel it, move it first, try it again, take its file or its rejected rows. */
import Button from '@mui/material/Button';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Job } from '../../../client/source/index.ts';
import { client } from '../data/client.ts';
import { useIsAdministrator } from '../data/queries.ts';
import { isItem } from '../data/values.ts';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { notify, notifyFailure } from '../shell/notify.ts';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { JOBS } from './job-query.ts';

/** Whether rows of a file were refused, with the file or alone. */
function hasRejectedRows({ kind, error, result }: Job): boolean {
  if (kind === 'undo-import') return isItem(result) && Number(result.kept) > 0;
  return kind === 'import' && (error !== null || (isItem(result) && Number(result.failed) > 0));
}

/** Whether the job can be done once more: an import needs its file, which is not kept for ever. */
function isRetriable({ kind, state, file_kept: hasFile }: Job): boolean {
  return (state === 'failed' || state === 'cancelled') && (kind !== 'import' || hasFile);
}

/** Whether the job can go before others; changes of the data model keep their order. */
function isMovable({ state, queue, position }: Job): boolean {
  return state === 'waiting' && queue !== 'schema' && position !== 1;
}

export function JobActions({ job }: { readonly job: Job }) {
  const translate = useTranslate();
  const administrator = useIsAdministrator();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const refresh = () => queries.invalidateQueries({ queryKey: [JOBS] });
  const cancel = useMutation({
    mutationFn: () => client.jobs.cancel(job.id),
    onSuccess: () => {
      setAsking(false);
      notify('operations.cancelled', { type: 'success' });
    },
    onSettled: refresh,
  });
  const retry = useMutation({
    mutationFn: () => client.jobs.retry(job.id),
    onSuccess: () => notify('operations.retried', { type: 'success' }),
    onError: (error) => notifyFailure(error, translate),
    onSettled: refresh,
  });
  const first = useMutation({
    mutationFn: () => client.jobs.first(job.id),
    onSuccess: () => notify('operations.movedFirst', { type: 'success' }),
    onError: (error) => notifyFailure(error, translate),
    onSettled: refresh,
  });
  // Imports and exports are called what they are.
  const named = (text: string) =>
    translate(`operations.${text}.${job.kind}`, { _: translate(`operations.${text}.job`) });
  const open = job.state === 'waiting' || job.state === 'running';
  const path = `/jobs/${encodeURIComponent(job.id)}`;
  return (
    <>
      {hasRejectedRows(job) && (
        <Button component="a" href={`${path}/errors`} startIcon={<Icon name="download" />}>
          {translate('operations.rejected')}
        </Button>
      )}
      {job.kind === 'export' && job.state === 'completed' && job.file_kept && (
        <Button component="a" href={`${path}/file`} startIcon={<Icon name="download" />}>
          {translate('operations.file')}
        </Button>
      )}
      {isRetriable(job) && (
        <Button
          startIcon={<Icon name="refresh" />}
          loading={retry.isPending}
          loadingPosition="start"
          onClick={() => retry.mutate()}
        >
          {translate('operations.retry')}
        </Button>
      )}
      {administrator && isMovable(job) && (
        <Button
          startIcon={<Icon name="arrow_upward" />}
          loading={first.isPending}
          loadingPosition="start"
          onClick={() => first.mutate()}
        >
          {translate('operations.first')}
        </Button>
      )}
      {open && (
        <Button color="error" startIcon={<Icon name="stop" />} onClick={() => setAsking(true)}>
          {named('cancel')}
        </Button>
      )}
      <ConfirmDialog
        open={asking}
        title={named('cancelTitle')}
        confirm={named('cancel')}
        keep={named('keep')}
        busy={cancel.isPending}
        error={cancel.error}
        onConfirm={() => cancel.mutate()}
        onClose={() => setAsking(false)}
      >
        {translate('operations.cancelText')}
      </ConfirmDialog>
    </>
  );
}
