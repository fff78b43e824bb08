/** The query of the health of the installation, which is read again while it is shown. */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { CALM } from './live.ts';

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => client.server.health({ signal }),
  refetchInterval: CALM,
});
