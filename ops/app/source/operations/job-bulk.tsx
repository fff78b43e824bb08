/** What can be done with all jobs that the list shows, on all its pages: counted, confirmed, and followed. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Skeleton from '@mui/material/Skeleton';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import type { ChangedJobs } from '../../../client/source/index.ts';
import { client } from '../data/client.ts';
import { useIsAdministrator } from '../data/queries.ts';
import { formatNumber } from '../display/format.ts';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { Icon } from '../theme/icon.tsx';
import type { IconName } from '../theme/icon-paths.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { chosenJobs, JOBS, type JobChoice } from './job-query.ts';

type Change = ChangedJobs['change'];

const CHANGES = ['retry', 'first', 'cancel'] as const satisfies readonly Change[];
const ICONS: Readonly<Record<Change, IconName>> = {
  retry: 'refresh',
  first: 'arrow_upward',
  cancel: 'stop',
};
/** The states of the jobs that a change concerns. */
const CONCERNED: Readonly<Record<Change, readonly string[]>> = {
  retry: ['failed', 'cancelled'],
  first: ['waiting'],
  cancel: ['waiting', 'running'],
};

export function JobBulk({ state, search }: Pick<JobChoice, 'state' | 'search'>) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const administrator = useIsAdministrator();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<Change | null>(null);
  const chosen = chosenJobs({ state, search });
  const change = asked ?? 'cancel';
  const count = useQuery({
    queryKey: [JOBS, 'count', change, chosen],
    queryFn: ({ signal }) => client.jobs.count(change, chosen, { signal }),
    enabled: asked !== null,
    // What is confirmed is what is so now.
    staleTime: 0,
    gcTime: 0,
  });
  const submit = useMutation({
    mutationFn: () => client.jobs.submitChange(change, chosen),
    onSuccess: async ({ id }) => {
      setAsked(null);
      navigate(`/operations/jobs/${encodeURIComponent(id)}`);
      await queries.invalidateQueries({ queryKey: [JOBS, 'list'] });
    },
  });
  const offered = CHANGES.filter(
    (one) => (state === '' || CONCERNED[one].includes(state)) && (one !== 'first' || administrator),
  );
  const jobs = count.data ?? 0;
  const number = formatNumber(jobs, locale);
  const words = { smart_count: jobs, count: number };
  const ask = (one: Change) => {
    submit.reset();
    setAsked(one);
  };
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.5, alignItems: 'center' }}>
      {offered.map((one) => (
        <Button
          key={one}
          size="small"
          color={one === 'cancel' ? 'error' : 'primary'}
          startIcon={<Icon name={ICONS[one]} />}
          onClick={() => ask(one)}
        >
          {translate(`operations.all.${one}`)}
        </Button>
      ))}
      <ConfirmDialog
        open={asked !== null}
        title={
          count.data === undefined
            ? translate(`operations.all.${change}`)
            : translate(`operations.all.${change}Title`, words)
        }
        confirm={
          jobs === 0
            ? translate(`operations.all.${change}`)
            : translate(`operations.all.${change}Confirm`, words)
        }
        keep={translate('operations.all.keep')}
        harmless={change !== 'cancel'}
        busy={submit.isPending}
        disabled={jobs === 0}
        error={submit.error ?? count.error}
        onConfirm={() => submit.mutate()}
        onClose={() => setAsked(null)}
      >
        {count.isPending ? (
          <Skeleton />
        ) : jobs === 0 ? (
          translate('operations.all.none')
        ) : (
          translate(`operations.all.${change}Text`)
        )}
      </ConfirmDialog>
    </Box>
  );
}
