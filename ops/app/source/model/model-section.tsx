/** The section of the data model, for administrators. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router-dom';
import { useIsAdministrator } from '../data/queries.ts';
import { SCHEMA } from '../data/query-keys.ts';
import { MenuList } from '../shell/menu-list.tsx';
import { Message } from '../shell/message.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { SectionMenu } from '../shell/section-menu.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { COLLECTIONS, PICTURE, SNAPSHOTS } from './route.ts';

/** What others have changed is seen when one comes here. */
function useFreshSchema(): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: [SCHEMA] }, { cancelRefetch: false });
  }, [queryClient]);
}

export function Component() {
  const translate = useTranslate();
  const administrator = useIsAdministrator();
  const { pathname } = useLocation();
  useFreshSchema();
  if (!administrator) {
    return (
      <>
        <PageHeader title={translate('model.title')} />
        <Message icon="lock" title={translate('fault.code.FORBIDDEN')}>
          {translate('failure.askAdministrator')}
        </Message>
      </>
    );
  }
  if (pathname === '/model') return <Navigate to={COLLECTIONS} replace />;
  return (
    <>
      <SectionMenu>
        <MenuList
          title={translate('model.title')}
          entries={[
            { to: COLLECTIONS, text: translate('model.collections'), icon: 'database' },
            { to: PICTURE, text: translate('picture.title'), icon: 'schema' },
            { to: SNAPSHOTS, text: translate('model.snapshots'), icon: 'photo_camera' },
          ]}
        />
      </SectionMenu>
      <Outlet />
    </>
  );
}
