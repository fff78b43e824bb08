/** The sections of the App as a narrow column of icons with their names, and the account below. */
import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import { useContext } from 'react';
import { Link, useLocation } from 'react-router-dom';
import { SECTIONS, type Section } from '../sections.ts';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { AccountMenu } from './account-menu.tsx';
import { OfferedSectionsContext } from './offered-sections.ts';
import { ProjectMark } from './project-mark.tsx';

function Entry({ section, current }: { readonly section: Section; readonly current: boolean }) {
  const translate = useTranslate();
  return (
    <ButtonBase
      component={Link}
      to={section.path}
      aria-current={current ? 'page' : undefined}
      sx={{
        flexDirection: 'column',
        gap: 0.25,
        width: 78,
        py: 1,
        borderRadius: 2,
        color: current ? 'text.primary' : 'text.secondary',
        bgcolor: current ? 'action.selected' : 'transparent',
        '&:hover': { bgcolor: 'action.hover' },
      }}
    >
      <Icon name={section.icon} sx={{ fontSize: 22, ...(current && { color: 'primary.main' }) }} />
      <Typography
        component="span"
        sx={{ fontSize: 11, fontWeight: 600, lineHeight: 1.2, textAlign: 'center' }}
      >
        {translate(section.text)}
      </Typography>
    </ButtonBase>
  );
}

/** Whether the keys of the device have the names of Apple's. */
const HAS_COMMAND_KEY = /Mac|iPhone|iPad/.test(navigator.platform);

function SearchButton({ onClick }: { readonly onClick: () => void }) {
  const translate = useTranslate();
  return (
    <Tooltip
      title={`${translate('palette.title')} (${HAS_COMMAND_KEY ? '⌘' : 'Ctrl'} K)`}
      placement="right"
    >
      <IconButton
        aria-label={translate('palette.title')}
        aria-haspopup="dialog"
        aria-keyshortcuts={HAS_COMMAND_KEY ? 'Meta+K' : 'Control+K'}
        onClick={onClick}
        sx={{ width: 40, height: 40, border: 1, borderColor: 'divider', borderRadius: 2 }}
      >
        <Icon name="search" fontSize="small" />
      </IconButton>
    </Tooltip>
  );
}

export function SectionRail({ onSearch }: { readonly onSearch: () => void }) {
  const translate = useTranslate();
  const { pathname } = useLocation();
  const paths = useContext(OfferedSectionsContext);
  const offered = SECTIONS.filter((section) => paths.has(section.path));
  return (
    <Box
      sx={{
        display: 'flex',
        flexDirection: 'column',
        alignItems: 'center',
        width: 88,
        flexShrink: 0,
        py: 1.5,
        gap: 1.5,
        overflowY: 'auto',
        borderInlineEnd: '1px solid',
        borderColor: 'divider',
        bgcolor: 'background.default',
      }}
    >
      <ProjectMark />
      <SearchButton onClick={onSearch} />
      <Box
        component="ul"
        aria-label={translate('shell.sections')}
        sx={{
          listStyle: 'none',
          m: 0,
          p: 0,
          display: 'grid',
          gap: 0.5,
          flex: 1,
          alignContent: 'start',
        }}
      >
        {offered.map((section) => (
          <li key={section.path}>
            <Entry
              section={section}
              current={pathname === section.path || pathname.startsWith(`${section.path}/`)}
            />
          </li>
        ))}
      </Box>
      <AccountMenu />
    </Box>
  );
}
