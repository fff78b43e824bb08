/** The queues: how much waits and runs in each, and the switch of it. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Queue } from '../../../client/source/index.ts';
import { client } from '../data/client.ts';
import { formatNumber } from '../display/format.ts';
import { useFormatDate } from '../display/use-format-date.ts';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { NativeSelect } from '../shell/native-select.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { FORM, Part } from '../shell/part.tsx';
import { useParameters } from '../shell/use-parameters.ts';
import { Icon } from '../theme/icon.tsx';
import type { IconName } from '../theme/icon-paths.ts';
import { humanize } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { PeriodChoice } from './period-choice.tsx';
import { QueueConcurrency } from './queue-concurrency.tsx';
import { QueueCurves } from './queue-curves.tsx';
import { queuesQuery } from './queue-query.ts';
import { StateChip } from './state-chip.tsx';

type Switch = 'pause' | 'drain' | 'resume';
const ICONS: Readonly<Record<Switch, IconName>> = {
  pause: 'pause',
  drain: 'stop',
  resume: 'play_arrow',
};

function switchesOf({ state }: Queue): readonly Switch[] {
  if (state === 'running') return ['pause', 'drain'];
  return state === 'paused' ? ['drain', 'resume'] : ['pause', 'resume'];
}

function QueueCard({ queue }: { readonly queue: Queue }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const formatDate = useFormatDate();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<Switch | null>(null);
  const turn = useMutation({
    mutationFn: (verb: Switch) => client.queues[verb](queue.name),
    onSuccess: () => setAsked(null),
    onSettled: () => queries.invalidateQueries({ queryKey: queuesQuery.queryKey }),
  });
  const name = translate(`operations.queueName.${queue.name}`, { _: humanize(queue.name) });
  const choose = (verb: Switch) => (verb === 'resume' ? turn.mutate(verb) : setAsked(verb));
  return (
    <Paper variant="outlined" component="section" aria-label={name} sx={{ p: 2 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}>
        <Typography variant="h2">{name}</Typography>
        <StateChip state={queue.state} />
        <Box sx={{ flex: 1 }} />
        {switchesOf(queue).map((verb) => (
          <Button
            key={verb}
            size="small"
            startIcon={<Icon name={ICONS[verb]} />}
            loading={turn.isPending}
            loadingPosition="start"
            onClick={() => choose(verb)}
          >
            {translate(`operations.${verb}`)}
          </Button>
        ))}
      </Box>
      <Typography color="textSecondary" sx={{ mt: 0.5 }}>
        {translate(`operations.queueHelp.${queue.name}`, { _: '' })}
      </Typography>
      <Typography sx={{ mt: 1 }}>
        {translate('operations.queueCounts', {
          waiting: formatNumber(queue.waiting, locale),
          running: formatNumber(queue.running, locale),
        })}
        {queue.changed_on !== null && (
          <Typography component="span" color="textSecondary">
            {' · '}
            {translate('operations.changed', {
              date: formatDate('timestamp', queue.changed_on),
            })}
          </Typography>
        )}
      </Typography>
      <QueueConcurrency queue={queue} />
      <ConfirmDialog
        open={asked !== null}
        title={translate(`operations.${asked ?? 'pause'}Title`, { queue: name })}
        confirm={translate(`operations.${asked ?? 'pause'}`)}
        busy={turn.isPending}
        error={turn.error}
        onConfirm={() => asked !== null && turn.mutate(asked)}
        onClose={() => setAsked(null)}
      >
        {translate(`operations.${asked ?? 'pause'}Text`)}
      </ConfirmDialog>
    </Paper>
  );
}

/** The curves of one queue or all, for a time that is chosen. */
function CurvesPart({ queues }: { readonly queues: readonly Queue[] }) {
  const translate = useTranslate();
  const { parameters, change } = useParameters();
  const asked = parameters.get('queue') ?? '';
  const queue = queues.some(({ name }) => name === asked) ? asked : '';
  return (
    <Box sx={{ p: { xs: 1.5, md: 3 }, pt: 0 }}>
      <Part title={translate('operations.curves')}>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5, alignItems: 'center' }}>
          <NativeSelect
            label={translate('operations.queue')}
            value={queue}
            onChange={({ target }) => change({ queue: target.value })}
            sx={{ width: 240 }}
          >
            <option value="">{translate('operations.allQueues')}</option>
            {queues.map(({ name }) => (
              <option key={name} value={name}>
                {translate(`operations.queueName.${name}`, { _: humanize(name) })}
              </option>
            ))}
          </NativeSelect>
          <PeriodChoice />
        </Box>
        <QueueCurves queue={queue === '' ? null : queue} />
      </Part>
    </Box>
  );
}

export function Component() {
  const translate = useTranslate();
  const queues = useQuery(queuesQuery);
  return (
    <>
      <PageHeader title={translate('operations.queues')} />
      <Box sx={FORM}>
        {queues.isPending ? (
          <Loading />
        ) : queues.isError ? (
          <Failure error={queues.error} retry={() => queues.refetch()} />
        ) : (
          queues.data.map((queue) => <QueueCard key={queue.name} queue={queue} />)
        )}
      </Box>
      {queues.data !== undefined && <CurvesPart queues={queues.data} />}
    </>
  );
}
