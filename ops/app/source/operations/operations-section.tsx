/** The section of operations: jobs for everybody, the rest for administrators. */

import { Navigate, Outlet, useLocation } from 'react-router-dom';
import { useIsAdministrator, useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import { MenuList } from '../shell/menu-list.tsx';
import { SectionMenu } from '../shell/section-menu.tsx';
import { useTranslate } from '../translation/use-translate.ts';

export function Component() {
  const translate = useTranslate();
  const administrator = useIsAdministrator();
  const rights = useRights();
  const { pathname } = useLocation();
  if (pathname === '/operations') {
    return <Navigate to={administrator ? '/operations/overview' : '/operations/jobs'} replace />;
  }
  const overview = {
    to: '/operations/overview',
    text: translate('operations.overview'),
    icon: 'bar_chart',
  } as const;
  const jobs = {
    to: '/operations/jobs',
    text: translate('operations.jobs'),
    icon: 'work',
  } as const;
  const queues = {
    to: '/operations/queues',
    text: translate('operations.queues'),
    icon: 'schedule',
  } as const;
  const health = {
    to: '/operations/health',
    text: translate('operations.health'),
    icon: 'monitor_heart',
  } as const;
  const activity = {
    to: '/operations/activity',
    text: translate('operations.activity'),
    icon: 'history',
  } as const;
  const limits = {
    to: '/operations/limits',
    text: translate('operations.limits'),
    icon: 'tune',
  } as const;
  return (
    <>
      <SectionMenu>
        <MenuList
          title={translate('operations.title')}
          entries={[
            ...(administrator ? [overview] : []),
            jobs,
            ...(administrator ? [queues, health] : []),
            ...(administrator || may(rights, 'system_activity', 'read') ? [activity] : []),
            limits,
          ]}
        />
      </SectionMenu>
      <Outlet />
    </>
  );
}
