/** The jobs: one's own, for administrators all; the list keeps itself up to date. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TableCell from '@mui/material/TableCell';
import TableRow from '@mui/material/TableRow';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { Link } from 'react-router-dom';
import type { Job } from '../../../client/source/index.ts';
import { refusalText } from '../data/fault-text.ts';
import { useFormatDate } from '../display/use-format-date.ts';
import { DataTable } from '../shell/data-table.tsx';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { Message } from '../shell/message.tsx';
import { NativeSelect } from '../shell/native-select.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { useParameters } from '../shell/use-parameters.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { formatDuration, runTime } from './duration.ts';
import { JobBulk } from './job-bulk.tsx';
import { aboutJob, kindName } from './job-name.ts';
import { JobProgressBar } from './job-progress.tsx';
import { JOBS_PER_PAGE, jobListQuery, STATES } from './job-query.ts';
import { StateChip } from './state-chip.tsx';

function JobRow({ job }: { readonly job: Job }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const formatDate = useFormatDate();
  const time = runTime(job, Date.now());
  return (
    <TableRow hover>
      <TableCell>
        <Link to={`/operations/jobs/${encodeURIComponent(job.id)}`}>
          {kindName(job.kind, translate)}
        </Link>
      </TableCell>
      <TableCell sx={{ maxWidth: 320, overflow: 'hidden', textOverflow: 'ellipsis' }}>
        {aboutJob(job)}
      </TableCell>
      <TableCell>
        <StateChip state={job.state} />
      </TableCell>
      <TableCell sx={{ minWidth: 180 }}>
        <JobProgressBar job={job} />
        {job.state === 'waiting' && job.position
          ? translate('operations.position', { position: job.position })
          : job.error?.[0] && refusalText(job.error[0].extensions, translate, job.error[0].message)}
      </TableCell>
      <TableCell sx={{ whiteSpace: 'nowrap' }}>{formatDate('timestamp', job.created_on)}</TableCell>
      <TableCell align="right" sx={{ whiteSpace: 'nowrap' }}>
        {time !== null && formatDuration(time, locale)}
      </TableCell>
    </TableRow>
  );
}

const HEADS = ['kindHead', 'about', 'stateHead', 'progress', 'created'] as const;

export function Component() {
  const translate = useTranslate();
  const { parameters, change } = useParameters();
  const state = parameters.get('state') ?? '';
  const search = parameters.get('search') ?? '';
  const page = Math.max(1, Number(parameters.get('page')) || 1);
  const list = useQuery(jobListQuery({ state, search: useDeferredValue(search), page }));
  const jobs = list.data?.slice(0, JOBS_PER_PAGE) ?? [];
  const more = (list.data?.length ?? 0) > JOBS_PER_PAGE;
  return (
    <>
      <PageHeader title={translate('operations.jobs')} />
      <Box sx={{ p: { xs: 1.5, md: 3 } }}>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5, mb: 2 }}>
          <TextField
            type="search"
            label={translate('operations.search')}
            value={search}
            onChange={({ target }) => change({ search: target.value })}
            sx={{ maxWidth: 320 }}
          />
          <NativeSelect
            label={translate('operations.stateHead')}
            value={state}
            onChange={({ target }) => change({ state: target.value })}
            sx={{ width: 180 }}
          >
            <option value="">{translate('operations.allStates')}</option>
            {STATES.map((one) => (
              <option key={one} value={one}>
                {translate(`operations.state.${one}`)}
              </option>
            ))}
          </NativeSelect>
          {jobs.length > 0 && <JobBulk state={state} search={search} />}
        </Box>
        {list.isError ? (
          <Failure error={list.error} retry={() => list.refetch()} />
        ) : list.isPending ? (
          <Loading />
        ) : jobs.length === 0 ? (
          <Message icon="work" title={translate('operations.noJobs')}>
            {translate('operations.noJobsHelp')}
          </Message>
        ) : (
          <DataTable
            caption={translate('operations.jobs')}
            heads={[
              ...HEADS.map((head) => translate(`operations.${head}`)),
              { text: translate('operations.time'), align: 'right' },
            ]}
          >
            {jobs.map((job) => (
              <JobRow key={job.id} job={job} />
            ))}
          </DataTable>
        )}
        <Box sx={{ display: 'flex', justifyContent: 'flex-end', gap: 1, mt: 2 }}>
          {page > 1 && (
            <Button onClick={() => change({ page: String(page - 1) })}>
              {translate('operations.newer')}
            </Button>
          )}
          {more && (
            <Button onClick={() => change({ page: String(page + 1) })}>
              {translate('operations.older')}
            </Button>
          )}
        </Box>
      </Box>
    </>
  );
}
