/** The section of content: the menu of collections, and the screen of the one that is chosen. */
import { Outlet } from 'react-router-dom';
import { SectionMenu } from '../shell/section-menu.tsx';
import { CollectionMenu } from './collection-menu.tsx';

export function Component() {
  return (
    <>
      <SectionMenu>
        <CollectionMenu />
      </SectionMenu>
      <Outlet />
    </>
  );
}
