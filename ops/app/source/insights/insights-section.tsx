/** The section of dashboards, with a menu of them. */
import { useQuery } from '@tanstack/react-query';
import { Outlet } from 'react-router-dom';
import { MenuList } from '../shell/menu-list.tsx';
import { SectionMenu } from '../shell/section-menu.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { dashboardPath, dashboardsQuery } from './insight-queries.ts';

export function Component() {
  const translate = useTranslate();
  const { data: dashboards = [] } = useQuery(dashboardsQuery);
  return (
    <>
      <SectionMenu>
        <MenuList
          title={translate('insights.title')}
          entries={dashboards.map(({ id, name }) => ({
            ...{ to: dashboardPath(id), text: name },
            icon: 'dashboard' as const,
          }))}
        />
      </SectionMenu>
      <Outlet />
    </>
  );
}
