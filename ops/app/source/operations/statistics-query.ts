/** The query of the statistics of queues, which is read again while it is shown. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import type { Period } from './curves.ts';
import { CALM } from './live.ts';

export const statisticsQuery = (period: Period) =>
  queryOptions({
    queryKey: ['queues', 'statistics', period],
    queryFn: ({ signal }) => client.queues.statistics(period, { signal }),
    refetchInterval: CALM,
    placeholderData: keepPreviousData,
  });
