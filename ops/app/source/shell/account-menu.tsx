/** The account of the caller: language, appearance, writing direction, signing out. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Divider from '@mui/material/Divider';
import IconButton from '@mui/material/IconButton';
import Popover from '@mui/material/Popover';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { type Me, meQuery } from '../data/queries.ts';
import { useSignOut } from '../sign-in/use-sign-out.ts';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { Choice } from './choice.tsx';
import { usePreferences } from './use-preferences.ts';
import { UserAvatar } from './user-avatar.tsx';

/** What a user is called. */
function userName(user: Me | undefined): string {
  const names = [user?.first_name, user?.last_name].filter(Boolean).join(' ');
  return names || user?.email || '';
}

export function AccountMenu() {
  const translate = useTranslate();
  const me = useQuery(meQuery).data;
  const preferences = usePreferences();
  const signOut = useSignOut();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const name = userName(me);
  const label = `${translate('shell.account')}: ${name}`;
  return (
    <>
      <Tooltip title={name} placement="right">
        <IconButton
          aria-label={label}
          aria-haspopup="dialog"
          aria-expanded={anchor !== null}
          onClick={({ currentTarget }) => setAnchor(currentTarget)}
        >
          <UserAvatar name={name} picture={me?.avatar} size={36} />
        </IconButton>
      </Tooltip>
      <Popover
        anchorEl={anchor}
        open={anchor !== null}
        onClose={() => setAnchor(null)}
        anchorOrigin={{ vertical: 'top', horizontal: 'right' }}
        transformOrigin={{ vertical: 'bottom', horizontal: 'left' }}
        slotProps={{ paper: { role: 'dialog', 'aria-label': label, sx: { width: 280 } } }}
      >
        <Box sx={{ px: 2, py: 1.5 }}>
          <Typography sx={{ fontWeight: 650 }} noWrap>
            {name}
          </Typography>
          <Typography variant="body2" color="textSecondary" noWrap>
            {me?.email}
          </Typography>
        </Box>
        <Divider />
        <Box sx={{ px: 2, py: 2, display: 'grid', gap: 2 }}>
          {preferences.map((preference) => (
            <Choice
              key={preference.text}
              label={translate(preference.text)}
              value={preference.value}
              options={preference.options.map(({ value, label }) => [value, label])}
              onChange={preference.choose}
            />
          ))}
        </Box>
        <Divider />
        <Box sx={{ p: 1 }}>
          <Button
            color="inherit"
            fullWidth
            component={Link}
            to="/profile"
            startIcon={<Icon name="account_circle" />}
            onClick={() => setAnchor(null)}
            sx={{ justifyContent: 'flex-start', px: 1 }}
          >
            {translate('profile.open')}
          </Button>
          <Button
            color="inherit"
            fullWidth
            startIcon={<Icon name="logout" />}
            onClick={signOut}
            sx={{ justifyContent: 'flex-start', px: 1 }}
          >
            {translate('shell.signOut')}
          </Button>
        </Box>
      </Popover>
    </>
  );
}
