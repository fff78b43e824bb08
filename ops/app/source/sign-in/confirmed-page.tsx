/**
 * Where the link of a mail leads once an address is confirmed. Whoever is signed in sees the account;
 * everybody else signs in.
 */
import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from 'react-router-dom';
import { meQuery } from '../data/queries.ts';
import { itemPath } from '../data/route-of.ts';
import { Loading } from '../shell/loading.tsx';

export function Component() {
  const { user = '' } = useParams();
  const me = useQuery(meQuery);
  if (me.isPending) return <Loading />;
  const to = me.isSuccess ? itemPath('system_users', user) : '/sign-in?confirmed';
  return <Navigate to={to} replace />;
}
