/** The query of the queues, which is read again while it is shown. */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { QUICK } from './live.ts';

export const queuesQuery = queryOptions({
  queryKey: ['queues'],
  queryFn: ({ signal }) => client.queues.list({ signal }),
  refetchInterval: QUICK,
});
