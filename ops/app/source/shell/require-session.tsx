/** Shows its children to those who are signed in; others sign in first, and then come back. */
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { SluiceError } from '../../../client/source/index.ts';
import { globalsQuery, meQuery, rightsQuery } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import { announceSession } from '../data/session.ts';
import { Failure } from './failure.tsx';
import { Loading } from './loading.tsx';
import { useAccountPreferences } from './use-preferences.ts';

const NoAppPage = lazy(() => import('../sign-in/no-app-page.tsx'));
const SecondFactorPage = lazy(() => import('../sign-in/second-factor-page.tsx'));

function hasStatus(error: unknown, status: number): boolean {
  return error instanceof SluiceError && error.status === status;
}

export function RequireSession({ children }: { readonly children: ReactNode }) {
  const location = useLocation();
  const me = useQuery(meQuery);
  const globals = useQuery(globalsQuery);
  const rights = useQuery(rightsQuery);
  useAccountPreferences();
  const known = me.isSuccess;
  useEffect(() => {
    if (known) announceSession();
  }, [known]);
  const queries = [me, globals, rights];
  // Without app access the App reads nothing of the schema, unless permissions allow it.
  if (
    globals.data?.app_access === false &&
    globals.data.admin_access !== true &&
    rights.data !== undefined &&
    !may(rights.data, 'system_collections', 'read')
  ) {
    return (
      <Suspense fallback={<Loading />}>
        <NoAppPage />
      </Suspense>
    );
  }
  // What is known stays on the screen, whatever a later question comes to.
  if (queries.every(({ data }) => data !== undefined)) return children;
  if (hasStatus(me.error, 401)) {
    const next = `${location.pathname}${location.search}`;
    const to = next === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`;
    return <Navigate to={to} replace />;
  }
  // Only who has to set up a second factor is known, and may do nothing else.
  if (me.isSuccess && hasStatus(rights.error, 403)) {
    return (
      <Suspense fallback={<Loading />}>
        <SecondFactorPage />
      </Suspense>
    );
  }
  const failed = queries.find(({ error }) => error !== null);
  if (failed === undefined) return <Loading />;
  const retry = () => {
    for (const { error, refetch } of queries) if (error !== null) void refetch();
  };
  return <Failure error={failed.error} retry={retry} />;
}
