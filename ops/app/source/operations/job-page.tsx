/** One job: how far it is, what became of it, and what can be done. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useLocaleState, useTranslate } from 'ra-core';
import { Link, useParams } from 'react-router-dom';
import type { Job } from '../../../client/source/index.ts';
import { listPath } from '../data/route-of.ts';
import { formatDate, formatNumber } from '../display/format.ts';
import { Facts } from '../shell/facts.tsx';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { humanize } from '../translation/names.ts';
import { formatDuration, runTime } from './duration.ts';
import { JobActions } from './job-actions.tsx';
import { JobErrors } from './job-errors.tsx';
import { kindName } from './job-name.ts';
import { JobProgressBar } from './job-progress.tsx';
import { jobQuery } from './job-query.ts';
import { StateChip } from './state-chip.tsx';

/** The numbers of a result, which is what imports and exports tell. */
function numbersOf(result: unknown): readonly (readonly [string, number])[] {
  if (typeof result !== 'object' || result === null) return [];
  return Object.entries(result).filter((entry): entry is [string, number] => {
    return typeof entry[1] === 'number';
  });
}

function Result({ job }: { readonly job: Job }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const numbers = numbersOf(job.result);
  if (numbers.length === 0) return null;
  return (
    <Paper variant="outlined" sx={{ p: 2, display: 'flex', flexWrap: 'wrap', gap: 4 }}>
      {numbers.map(([name, value]) => (
        <Box key={name}>
          <Typography sx={{ fontSize: '1.5rem', fontWeight: 650, lineHeight: 1.2 }}>
            {formatNumber(value, locale)}
          </Typography>
          <Typography variant="body2" color="text.secondary">
            {translate(`operations.result.${name}`, { _: humanize(name) })}
          </Typography>
        </Box>
      ))}
    </Paper>
  );
}

function About({ job }: { readonly job: Job }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const date = (text: string | null) => text && formatDate('timestamp', text, locale);
  const time = runTime(job, Date.now());
  const { collection, file_size: size } = job;
  return (
    <Paper variant="outlined" sx={{ p: 2 }}>
      <Facts
        facts={[
          { name: translate('operations.fileHead'), value: job.file_name },
          {
            name: translate('operations.size'),
            value:
              size === null
                ? null
                : translate('operations.bytes', { size: formatNumber(size, locale) }),
          },
          {
            name: translate('operations.collection'),
            value: collection && <Link to={listPath(collection)}>{collection}</Link>,
          },
          { name: translate('operations.queue'), value: job.queue },
          { name: translate('operations.created'), value: date(job.created_on) },
          { name: translate('operations.started'), value: date(job.started_on) },
          { name: translate('operations.finished'), value: date(job.finished_on) },
          {
            name: translate('operations.time'),
            value: time === null ? null : formatDuration(time, locale),
          },
          { name: translate('operations.attempts'), value: String(job.attempts) },
          { name: translate('operations.id'), value: job.id },
        ]}
      />
    </Paper>
  );
}

export function Component() {
  const translate = useTranslate();
  const { job: id = '' } = useParams();
  const job = useQuery(jobQuery(id));
  const back = '/operations/jobs';
  if (job.isPending) return <Loading />;
  if (job.isError) {
    return (
      <>
        <PageHeader title={translate('operations.job')} back={back} />
        <Failure error={job.error} retry={() => job.refetch()} />
      </>
    );
  }
  const { data } = job;
  const { waiting_for: missing } = data;
  return (
    <>
      <PageHeader
        title={kindName(data.kind, translate)}
        back={back}
        note={<StateChip state={data.state} />}
        actions={<JobActions job={data} />}
      />
      <Box sx={{ p: { xs: 1.5, md: 3 }, display: 'grid', gap: 2, maxWidth: 960 }}>
        <div role="status">
          <JobProgressBar job={data} />
          {data.state === 'waiting' && (
            <Typography color="text.secondary">
              {data.position
                ? translate('operations.position', { position: data.position })
                : translate('operations.waits')}
            </Typography>
          )}
        </div>
        {typeof missing === 'string' && (
          <Alert severity="warning">{translate('operations.waitingFor', { missing })}</Alert>
        )}
        <Result job={data} />
        <JobErrors job={data} />
        <About job={data} />
      </Box>
    </>
  );
}
