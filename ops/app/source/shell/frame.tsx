/**
 * The frame around the screens of somebody who is signed in: the menu beside them, the way past it
 * for the keyboard, and what can come up anywhere: notices, the end of the session.
 */
import Box from '@mui/material/Box';
import Drawer from '@mui/material/Drawer';
import { useTheme } from '@mui/material/styles';
import useMediaQuery from '@mui/material/useMediaQuery';
import { useEffect, useMemo, useState } from 'react';
import { Outlet, useLocation } from 'react-router-dom';
import { useFollowRights } from '../data/follow-rights.ts';
import { useFollowSchema } from '../data/follow-schema.ts';
import { useIsAdministrator, useRights } from '../data/queries.ts';
import { LibraryUploads } from '../files/library-uploads.tsx';
import { SECTIONS } from '../sections.ts';
import { SessionDialog } from '../sign-in/session-dialog.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { MenuContext } from './menu-context.ts';
import { Notices } from './notices.tsx';
import { OfferedSectionsContext } from './offered-sections.ts';
import { RequireSession } from './require-session.tsx';
import { SectionRail } from './section-rail.tsx';
import { usePalette } from './use-palette.tsx';
import { useScreenFocus } from './use-screen-focus.ts';

const CONTENT = 'content';

function SkipLink() {
  const translate = useTranslate();
  return (
    <Box
      component="a"
      href={`#${CONTENT}`}
      sx={{
        position: 'fixed',
        insetInlineStart: 8,
        top: -80,
        zIndex: 'tooltip',
        px: 2,
        py: 1,
        borderRadius: 1,
        bgcolor: 'background.paper',
        color: 'primary.main',
        boxShadow: 3,
        '&:focus': { top: 8 },
      }}
    >
      {translate('shell.skipToContent')}
    </Box>
  );
}

function Screens() {
  useFollowRights();
  useFollowSchema();
  const translate = useTranslate();
  const theme = useTheme();
  const wide = useMediaQuery(theme.breakpoints.up('md'), { noSsr: true });
  const [open, setOpen] = useState(false);
  const [place, setPlace] = useState<HTMLElement | null>(null);
  const [main, setMain] = useState<HTMLElement | null>(null);
  const { key } = useLocation();
  // The menu of a phone closes when it has led somewhere, also to where one is.
  useEffect(() => {
    if (key !== '') setOpen(false);
  }, [key]);
  useScreenFocus(main, !wide && open);
  const { openPalette, palette } = usePalette();
  const rights = useRights();
  const administrator = useIsAdministrator();
  const offered = useMemo(() => {
    const sections = SECTIONS.filter((section) => section.offered(rights, administrator));
    return new Map(sections.map(({ path, icon }) => [path, icon]));
  }, [rights, administrator]);
  const menu = useMemo(
    () => ({ openMenu: () => setOpen(true), closeMenu: () => setOpen(false), place }),
    [place],
  );
  return (
    <MenuContext value={menu}>
      <OfferedSectionsContext value={offered}>
        <SkipLink />
        <Box sx={{ display: 'flex', minHeight: '100dvh' }}>
          <Drawer
            variant={wide ? 'permanent' : 'temporary'}
            open={wide || open}
            onClose={() => setOpen(false)}
            anchor="left"
            ModalProps={{ keepMounted: true, closeAfterTransition: false }}
            slotProps={{
              paper: {
                // Over the screens it is a dialog.
                component: wide ? 'nav' : 'div',
                'aria-label': translate('shell.menu'),
                sx: {
                  position: wide ? 'sticky' : 'fixed',
                  top: 0,
                  height: '100dvh',
                  flexDirection: 'row',
                  maxWidth: '90vw',
                  borderInlineEnd: '1px solid',
                  borderColor: 'divider',
                },
              },
            }}
          >
            <SectionRail onSearch={openPalette} />
            <Box
              ref={setPlace}
              sx={{ display: 'flex', minWidth: 0, '&:empty': { display: 'none' } }}
            />
          </Drawer>
          <Box
            component="main"
            ref={setMain}
            id={CONTENT}
            tabIndex={-1}
            sx={{ flex: 1, minWidth: 0, outline: 'none !important' }}
          >
            <Outlet />
          </Box>
        </Box>
        {palette}
      </OfferedSectionsContext>
    </MenuContext>
  );
}

export function Frame() {
  return (
    <RequireSession>
      <LibraryUploads>
        <Screens />
      </LibraryUploads>
      <Notices />
      <SessionDialog />
    </RequireSession>
  );
}
