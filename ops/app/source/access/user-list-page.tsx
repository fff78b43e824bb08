/** All users, found by name, role and status; more are invited from here. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Pagination from '@mui/material/Pagination';
import Paper from '@mui/material/Paper';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { Link } from 'react-router-dom';
import { useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import { NEW_ITEM } from '../data/route-of.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { Message } from '../shell/message.tsx';
import { NativeSelect } from '../shell/native-select.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { useParameters } from '../shell/use-parameters.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { rolesQuery, USERS_PER_PAGE, userFields, userListQuery } from './access-queries.ts';
import { type Role, USERS } from './access-types.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { userPath } from './paths.ts';
import { roleTree } from './role-tree.ts';
import { STATUSES } from './user-status.tsx';
import { UserTable } from './user-table.tsx';

const NO_ROLES: readonly Role[] = [];

export function Component() {
  const translate = useTranslate();
  const rights = useRights();
  const { parameters, change } = useParameters();
  const [inviting, setInviting] = useState(false);
  const search = parameters.get('search') ?? '';
  const role = parameters.get('role') ?? '';
  const status = parameters.get('status') ?? '';
  const page = Math.max(1, Number(parameters.get('page')) || 1);
  const asked = { search: useDeferredValue(search), role, status, page };
  const users = useQuery(userListQuery(asked, userFields(rights)));
  const roles = useQuery(rolesQuery).data ?? NO_ROLES;
  const mayCreate = may(rights, USERS, 'create');
  const count = users.data?.meta.filter_count ?? 0;
  const pages = Math.ceil(count / USERS_PER_PAGE);
  return (
    <>
      <PageHeader
        title={translate('access.users')}
        actions={
          mayCreate && (
            <>
              <Button component={Link} to={userPath(NEW_ITEM)}>
                {translate('access.newUser')}
              </Button>
              <Button variant="contained" onClick={() => setInviting(true)}>
                {translate('access.invite')}
              </Button>
            </>
          )
        }
      />
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
      <Box sx={{ p: { xs: 1.5, md: 3 }, display: 'grid', gap: 2 }}>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1.5 }}>
          <TextField
            type="search"
            label={translate('access.searchUsers')}
            value={search}
            onChange={({ target }) => change({ search: target.value })}
            sx={{ maxWidth: { sm: 320 } }}
          />
          <NativeSelect
            label={translate('access.role')}
            value={role}
            onChange={({ target }) => change({ role: target.value })}
            sx={{ width: { xs: 'calc(50% - 6px)', sm: 200 } }}
          >
            <option value="">{translate('access.anyRole')}</option>
            <option value="none">{translate('access.noRole')}</option>
            {roleTree(roles).map((at) => (
              <option key={at.role.id} value={at.role.id}>
                {'\u2003'.repeat(at.depth)}
                {at.role.name}
              </option>
            ))}
          </NativeSelect>
          <NativeSelect
            label={translate('access.statusHead')}
            value={status}
            onChange={({ target }) => change({ status: target.value })}
            sx={{ width: { xs: 'calc(50% - 6px)', sm: 180 } }}
          >
            <option value="">{translate('access.anyStatus')}</option>
            {STATUSES.map((one) => (
              <option key={one} value={one}>
                {translate(`access.status.${one}`)}
              </option>
            ))}
          </NativeSelect>
          <Typography variant="body2" color="text.secondary" role="status">
            {users.data && translate('access.userCount', { smart_count: count })}
          </Typography>
        </Box>
        {users.isError ? (
          <Failure error={users.error} retry={() => users.refetch()} />
        ) : users.isPending ? (
          <Loading />
        ) : users.data.data.length === 0 ? (
          <Paper variant="outlined">
            <Message
              icon="search"
              title={translate('access.noUsers')}
              actions={
                <Button
                  variant="outlined"
                  onClick={() => change({ search: '', role: '', status: '' })}
                >
                  {translate('list.clear')}
                </Button>
              }
            >
              {translate('access.noUsersHelp')}
            </Message>
          </Paper>
        ) : (
          <UserTable users={users.data.data} roles={roles} />
        )}
        {pages > 1 && (
          <Pagination
            count={pages}
            page={page}
            onChange={(_, next) => change({ page: String(next) })}
            aria-label={translate('list.pages')}
            getItemAriaLabel={(type, target) =>
              translate(`list.page_${type}`, { page: target ?? '' })
            }
            shape="rounded"
          />
        )}
      </Box>
    </>
  );
}
