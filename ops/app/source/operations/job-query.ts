/** The queries of jobs: they look again as long as a job may change. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ChosenJobs, Job } from '../../../client/source/index.ts';
import { client } from '../data/client.ts';
import { CALM, QUICK } from './live.ts';

/** The first part of the key of every query about jobs. */
export const JOBS = 'jobs';
export const JOBS_PER_PAGE = 50;

export const STATES = ['waiting', 'running', 'completed', 'failed', 'cancelled'] as const;

export interface JobChoice {
  /** Empty for all states. */
  readonly state: string;
  /** What file name, collection or id begin with. */
  readonly search: string;
  /** From 1. */
  readonly page: number;
}

/** The jobs that are chosen, on all pages. */
export function chosenJobs({ state, search }: Pick<JobChoice, 'state' | 'search'>): ChosenJobs {
  return {
    filter: state === '' ? {} : { state: { _eq: state } },
    ...(search !== '' && { search }),
  };
}

function isOpen({ state }: Job): boolean {
  return state === 'waiting' || state === 'running';
}

/** One more than a page has, so that it is known whether another follows. */
export const jobListQuery = ({ state, search, page }: JobChoice) =>
  queryOptions({
    queryKey: [JOBS, 'list', state, search, page],
    queryFn: ({ signal }) =>
      client.jobs.list(
        {
          ...chosenJobs({ state, search }),
          sort: '-created_on',
          limit: JOBS_PER_PAGE + 1,
          offset: (page - 1) * JOBS_PER_PAGE,
        },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data?.some(isOpen) ? QUICK : CALM),
  });

export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: [JOBS, 'one', id],
    queryFn: ({ signal }) => client.jobs.get(id, { signal }),
    refetchInterval: ({ state: { data } }) => (data === undefined || isOpen(data) ? QUICK : false),
  });
