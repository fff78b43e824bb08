/** Who has a policy: roles, single users, or everybody. */
import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { Icon } from '../theme/icon.tsx';
import type { IconName } from '../theme/icon-paths.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { policyUseQuery } from './access-queries.ts';
import { rolePath, userPath } from './paths.ts';
import { personName } from './person.ts';

function Entry({ icon, label, to }: { icon: IconName; label: string; to?: string }) {
  return (
    <Chip
      icon={<Icon name={icon} />}
      label={label}
      variant="outlined"
      {...(to !== undefined && { component: Link, to, clickable: true })}
    />
  );
}

export function PolicyUse({ policy }: { readonly policy: string }) {
  const translate = useTranslate();
  const use = useQuery(policyUseQuery(policy));
  if (use.data === undefined) return null;
  return (
    <Paper
      variant="outlined"
      component="section"
      aria-label={translate('access.whoHasIt')}
      sx={{
        px: { xs: 2, md: 3 },
        py: 2,
        display: 'flex',
        flexWrap: 'wrap',
        alignItems: 'center',
        gap: 1,
      }}
    >
      <Typography sx={{ fontWeight: 600, mr: 1 }}>{translate('access.whoHasIt')}</Typography>
      {use.data.length === 0 && (
        <Box component="span" sx={{ color: 'text.secondary' }}>
          {translate('access.nobodyHasIt')}
        </Box>
      )}
      {use.data.map(({ id, role, user }) =>
        role !== null ? (
          <Entry key={id} icon="supervised_user_circle" label={role.name} to={rolePath(role.id)} />
        ) : user !== null ? (
          <Entry key={id} icon="account_circle" label={personName(user)} to={userPath(user.id)} />
        ) : (
          <Entry key={id} icon="public" label={translate('access.everybody')} />
        ),
      )}
    </Paper>
  );
}
