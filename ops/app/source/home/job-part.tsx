/** What runs on the home: the open jobs of the caller, for administrators all, with their progress. */
import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import type { Job } from '../../../client/source/index.ts';
import { aboutJob, kindName } from '../operations/job-name.ts';
import { JobProgressBar } from '../operations/job-progress.tsx';
import { StateChip } from '../operations/state-chip.tsx';
import { FailureAlert } from '../shell/failure-alert.tsx';
import { Part } from '../shell/part.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { OPEN_JOBS, openJobsQuery } from './job-query.ts';

function OpenJob({ job }: { readonly job: Job }) {
  const translate = useTranslate();
  return (
    <Box component="li" sx={{ display: 'grid', gap: 0.5, gridTemplateColumns: 'minmax(0, 1fr)' }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, minWidth: 0 }}>
        <Link to={`/operations/jobs/${encodeURIComponent(job.id)}`}>
          {kindName(job.kind, translate)}
        </Link>
        <Typography variant="body2" color="textSecondary" noWrap sx={{ flex: 1 }}>
          {aboutJob(job)}
        </Typography>
        <StateChip state={job.state} />
      </Box>
      <JobProgressBar job={job} />
    </Box>
  );
}

export function JobPart() {
  const translate = useTranslate();
  const jobs = useQuery(openJobsQuery);
  return (
    <Part title={translate('home.jobs')}>
      {jobs.isError ? (
        <FailureAlert error={jobs.error} />
      ) : jobs.isPending ? (
        <Skeleton width="60%" />
      ) : jobs.data.length === 0 ? (
        <Typography color="textSecondary">{translate('home.noJobs')}</Typography>
      ) : (
        <Box
          component="ul"
          sx={{ listStyle: 'none', m: 0, p: 0, display: 'grid', gap: 1.5, minWidth: 0 }}
        >
          {jobs.data.slice(0, OPEN_JOBS).map((job) => (
            <OpenJob key={job.id} job={job} />
          ))}
        </Box>
      )}
      {(jobs.data?.length ?? 0) > OPEN_JOBS && (
        <Link to="/operations/jobs">{translate('home.allJobs')}</Link>
      )}
    </Part>
  );
}
