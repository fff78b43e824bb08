/** The screens of one collection beside each other: its fields and its settings. */
import Box from '@mui/material/Box';
import { NavLink } from 'react-router-dom';
import { useTranslate } from '../translation/use-translate.ts';
import { collectionPath, settingsPath } from './route.ts';

export function CollectionTabs({ collection }: { readonly collection: string }) {
  const translate = useTranslate();
  const tabs = [
    { to: collectionPath(collection), text: translate('model.fields') },
    { to: settingsPath(collection), text: translate('model.settings') },
  ];
  return (
    <Box
      component="nav"
      aria-label={translate('model.screensOfCollection')}
      sx={{
        display: 'flex',
        gap: 0.5,
        px: { xs: 1, md: 2.5 },
        borderBottom: 1,
        borderColor: 'divider',
        bgcolor: 'background.paper',
      }}
    >
      {tabs.map(({ to, text }) => (
        <Box
          key={to}
          component={NavLink}
          to={to}
          end
          sx={{
            px: 1.5,
            py: 1.25,
            mb: '-1px',
            color: 'text.secondary',
            fontWeight: 600,
            fontSize: 14,
            textDecoration: 'none',
            borderBottom: '2px solid transparent',
            '&:hover': { color: 'text.primary' },
            '&:focus-visible': { outlineOffset: -2 },
            '&[aria-current=page]': { color: 'primary.main', borderColor: 'primary.main' },
          }}
        >
          {text}
        </Box>
      ))}
    </Box>
  );
}
