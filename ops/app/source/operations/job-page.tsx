/** One job: how far it is, what became of it, and what can be done. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router-dom';
import { IMPORTS } from '../data/route-of.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { FORM } from '../shell/part.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { JobAbout } from './job-about.tsx';
import { JobActions } from './job-actions.tsx';
import { JobErrors } from './job-errors.tsx';
import { kindName } from './job-name.ts';
import { JobProgressBar } from './job-progress.tsx';
import { jobQuery } from './job-query.ts';
import { JobResult } from './job-result.tsx';
import { JobTimeline } from './job-timeline.tsx';
import { LostWorker } from './lost-worker.tsx';
import { PausedQueue } from './paused-queue.tsx';
import { StateChip } from './state-chip.tsx';

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
        actions={
          <>
            {data.kind === 'import' && (
              <Button component={Link} to={`${IMPORTS}/${data.id}`}>
                {translate('operations.report')}
              </Button>
            )}
            <JobActions job={data} />
          </>
        }
      />
      <Box sx={FORM}>
        <div role="status">
          <JobProgressBar job={data} />
          {data.state === 'waiting' && (
            <Typography color="textSecondary">
              {data.position
                ? translate('operations.position', { position: data.position })
                : translate('operations.waits')}
            </Typography>
          )}
        </div>
        <LostWorker job={data} />
        <PausedQueue job={data} />
        {typeof missing === 'string' && (
          <Alert severity="warning">{translate('operations.waitingFor', { missing })}</Alert>
        )}
        <JobResult job={data} />
        <JobErrors job={data} />
        <JobTimeline job={data} />
        <JobAbout job={data} />
      </Box>
    </>
  );
}
