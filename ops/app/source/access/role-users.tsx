/** Who is in a role: the first of them, and the way to all. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Chip from '@mui/material/Chip';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { useRights } from '../data/queries.ts';
import { Part } from '../shell/part.tsx';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { userFields, userListQuery } from './access-queries.ts';
import { USER_LIST, userPath } from './paths.ts';
import { personName } from './person.ts';

/** So many are named. */
const NAMED = 20;

export function RoleUsers({ role }: { readonly role: string }) {
  const translate = useTranslate();
  const rights = useRights();
  const search = { search: '', role, status: '', page: 1 };
  const users = useQuery(userListQuery(search, userFields(rights))).data;
  if (users === undefined) return null;
  const count = users.meta.filter_count;
  return (
    <Part title={translate('access.users')}>
      {count === 0 && (
        <Typography color="text.secondary">{translate('access.nobodyInRole')}</Typography>
      )}
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>
        {users.data.slice(0, NAMED).map((user) => (
          <Chip
            key={user.id}
            icon={<Icon name="account_circle" />}
            label={personName(user)}
            variant="outlined"
            component={Link}
            to={userPath(user.id)}
            clickable
          />
        ))}
        {count > NAMED && (
          <Button component={Link} to={`${USER_LIST}?role=${encodeURIComponent(role)}`}>
            {translate('access.allOfRole', { smart_count: count })}
          </Button>
        )}
      </Box>
    </Part>
  );
}
