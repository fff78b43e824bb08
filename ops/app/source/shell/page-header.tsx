/** The head of a screen: its title, which is that of the page, too, and what can be done here. */
import AppBar from '@mui/material/AppBar';
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import Toolbar from '@mui/material/Toolbar';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useContext, useEffect } from 'react';
import { Link } from 'react-router-dom';
import { projectQuery } from '../data/queries.ts';
import { useVisit } from '../data/recent.ts';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { MenuContext } from './menu-context.ts';

export interface PageHeaderProps {
  readonly title: string;
  /** What stands before the title: an icon of the collection. */
  readonly icon?: ReactNode;
  /** Where one came from: an address of the App. */
  readonly back?: string;
  /** Buttons, the most important one last. */
  readonly actions?: ReactNode;
  /** What stands behind the title: a number, a state. */
  readonly note?: ReactNode;
  /** No way should lead back here: it is no screen of its own. */
  readonly passing?: boolean;
}

/** Shows title and icon of the page in the browser. */
export function usePageTitle(title: string): void {
  const project = useQuery(projectQuery).data;
  const name = project?.project_name ?? 'Sluice';
  useEffect(() => {
    document.title = `${title} · ${name}`;
  }, [title, name]);
  const icon = project?.public_favicon;
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (!icon || link === null) return;
    const { href, type } = link;
    link.removeAttribute('type');
    link.href = `/assets/${icon}`;
    return () => {
      link.href = href;
      link.type = type;
    };
  }, [icon]);
}

export function PageHeader(props: PageHeaderProps) {
  const { title, icon, back, actions, note, passing = false } = props;
  const translate = useTranslate();
  const { openMenu } = useContext(MenuContext);
  usePageTitle(title);
  useVisit(passing ? null : title);
  return (
    <AppBar
      position="sticky"
      color="inherit"
      elevation={0}
      component="div"
      sx={{ borderBottom: 1, borderColor: 'divider', bgcolor: 'background.paper' }}
    >
      <Toolbar sx={{ gap: 1, flexWrap: 'wrap', py: 1, minHeight: { xs: 56, md: 64 } }}>
        <IconButton
          aria-label={translate('shell.menu')}
          edge="start"
          onClick={openMenu}
          sx={{ display: { md: 'none' } }}
        >
          <Icon name="menu" />
        </IconButton>
        {back !== undefined && (
          <Tooltip title={translate('shell.back')}>
            <IconButton component={Link} to={back} aria-label={translate('shell.back')}>
              <Icon
                name="arrow_back"
                sx={{ transform: (theme) => (theme.direction === 'rtl' ? 'scaleX(-1)' : 'none') }}
              />
            </IconButton>
          </Tooltip>
        )}
        {icon}
        <Typography variant="h1" noWrap sx={{ minWidth: 0 }}>
          {title}
        </Typography>
        {note}
        {/* What has no room beside the title stands below it, together. */}
        <Box
          sx={{
            ...{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 },
            marginInlineStart: 'auto',
          }}
        >
          {actions}
        </Box>
      </Toolbar>
    </AppBar>
  );
}
