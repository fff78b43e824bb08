/** All roles as a tree: who is in one has the policies of those above, too. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemButton from '@mui/material/ListItemButton';
import ListItemIcon from '@mui/material/ListItemIcon';
import ListItemText from '@mui/material/ListItemText';
import Paper from '@mui/material/Paper';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import { NEW_ITEM } from '../data/route-of.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { Message } from '../shell/message.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { FORM } from '../shell/part.tsx';
import { NamedIcon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { policiesQuery, rolesQuery, sharedAccessQuery } from './access-queries.ts';
import { type Access, ROLES } from './access-types.ts';
import { rolePath } from './paths.ts';
import { type RoleAt, roleTree } from './role-tree.ts';

const NO_ACCESS: readonly Access[] = [];
/** Deeper roles do not move further in. */
const DEEPEST = 6;

function RoleEntry({ at: { role, depth } }: { readonly at: RoleAt }) {
  const access = useQuery(sharedAccessQuery).data ?? NO_ACCESS;
  const policies = useQuery(policiesQuery).data ?? [];
  const names = access
    .filter((row) => row.role === role.id)
    .flatMap(({ policy }) => policies.find(({ id }) => id === policy)?.name ?? []);
  return (
    <ListItem disablePadding divider>
      <ListItemButton
        component={Link}
        to={rolePath(role.id)}
        sx={{ gap: 2, paddingInlineStart: 2 + Math.min(depth, DEEPEST) * 3 }}
      >
        <ListItemIcon sx={{ minWidth: 24 }}>
          <NamedIcon name={role.icon} fallback="supervised_user_circle" />
        </ListItemIcon>
        <ListItemText
          primary={role.name}
          secondary={role.description}
          slotProps={{ primary: { sx: { fontWeight: 600 } }, secondary: { noWrap: true } }}
        />
        <Box component="span" sx={{ color: 'text.secondary', fontSize: 13, textAlign: 'end' }}>
          {names.join(', ')}
        </Box>
      </ListItemButton>
    </ListItem>
  );
}

export function Component() {
  const translate = useTranslate();
  const rights = useRights();
  const roles = useQuery(rolesQuery);
  const create = may(rights, ROLES, 'create') && (
    <Button variant="contained" component={Link} to={rolePath(NEW_ITEM)}>
      {translate('access.newRole')}
    </Button>
  );
  return (
    <>
      <PageHeader title={translate('access.roles')} actions={create} />
      <Box sx={FORM}>
        <Box sx={{ color: 'text.secondary' }}>{translate('access.rolesHelp')}</Box>
        {roles.isError ? (
          <Failure error={roles.error} retry={() => roles.refetch()} />
        ) : roles.isPending ? (
          <Loading />
        ) : roles.data.length === 0 ? (
          <Message
            icon="supervised_user_circle"
            title={translate('access.noRoles')}
            actions={create}
          >
            {translate('access.noRolesHelp')}
          </Message>
        ) : (
          <Paper variant="outlined" sx={{ overflow: 'hidden' }}>
            <List
              disablePadding
              aria-label={translate('access.roles')}
              sx={{ '& > li:last-child': { borderBottom: 0 } }}
            >
              {roleTree(roles.data).map((at) => (
                <RoleEntry key={at.role.id} at={at} />
              ))}
            </List>
          </Paper>
        )}
      </Box>
    </>
  );
}
