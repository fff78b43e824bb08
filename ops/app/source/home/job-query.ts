/** The queries of jobs for the home: those that are open, and those that failed lately. */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { JOBS } from '../operations/job-query.ts';
import { CALM, QUICK } from '../operations/live.ts';

/** How many open jobs are shown. */
export const OPEN_JOBS = 5;
/** How many failed jobs are counted. */
export const FAILED_JOBS = 99;

/** One more than is shown, so that it is known whether there are others. */
export const openJobsQuery = queryOptions({
  queryKey: [JOBS, 'open'],
  queryFn: ({ signal }) =>
    client.jobs.list(
      {
        filter: { state: { _in: ['running', 'waiting'] } },
        sort: '-created_on',
        limit: OPEN_JOBS + 1,
      },
      { signal },
    ),
  refetchInterval: ({ state: { data } }) => ((data?.length ?? 0) > 0 ? QUICK : CALM),
});

/** @param since a time; jobs that failed before are known */
export const failedJobsQuery = (since: string | null) =>
  queryOptions({
    queryKey: [JOBS, 'failed', since],
    queryFn: ({ signal }) =>
      client.jobs.list(
        {
          filter: {
            _and: [
              { state: { _eq: 'failed' } },
              { finished_on: { _gte: '$NOW(-7 days)' } },
              ...(since === null ? [] : [{ finished_on: { _gt: since } }]),
            ],
          },
          sort: '-finished_on',
          limit: FAILED_JOBS + 1,
        },
        { signal },
      ),
    refetchInterval: CALM,
  });
