/** The section of access: who there is, and what they may do. */

import { Navigate, Outlet, useLocation } from 'react-router-dom';
import { useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import { MenuList } from '../shell/menu-list.tsx';
import { NotFound } from '../shell/not-found.tsx';
import { SectionMenu } from '../shell/section-menu.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { POLICIES, ROLES, USERS } from './access-types.ts';

const SCREENS = [
  { collection: USERS, to: '/access/users', text: 'access.users', icon: 'group' },
  { collection: ROLES, to: '/access/roles', text: 'access.roles', icon: 'supervised_user_circle' },
  { collection: POLICIES, to: '/access/policies', text: 'access.policies', icon: 'badge' },
] as const;

export function Component() {
  const translate = useTranslate();
  const rights = useRights();
  const { pathname } = useLocation();
  const screens = SCREENS.filter(({ collection }) => may(rights, collection, 'read'));
  const [first] = screens;
  if (first === undefined) return <NotFound />;
  if (pathname === '/access') return <Navigate to={first.to} replace />;
  return (
    <>
      <SectionMenu>
        <MenuList
          title={translate('access.title')}
          entries={screens.map(({ to, text, icon }) => ({ to, text: translate(text), icon }))}
        />
      </SectionMenu>
      <Outlet />
    </>
  );
}
