/** Users with what tells them apart, one in each row. */
import Box from '@mui/material/Box';
import TableCell from '@mui/material/TableCell';
import TableRow from '@mui/material/TableRow';
import { Link } from 'react-router-dom';
import { useFormatDate } from '../display/use-format-date.ts';
import { Nothing } from '../display/value.tsx';
import { DataTable } from '../shell/data-table.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import type { Role, User } from './access-types.ts';
import { rightsPath, userPath } from './paths.ts';
import { personName } from './person.ts';
import { UserStatus } from './user-status.tsx';

export interface UserTableProps {
  readonly users: readonly User[];
  readonly roles: readonly Role[];
}

/** What a phone has no room for, or shows below the name. */
const WIDE = { display: { xs: 'none', sm: 'table-cell' } } as const;

export function UserTable({ users, roles }: UserTableProps) {
  const translate = useTranslate();
  const formatDate = useFormatDate();
  return (
    <DataTable
      caption={translate('access.users')}
      heads={[
        translate('access.user'),
        { text: translate('access.role'), sx: WIDE },
        translate('access.statusHead'),
        { text: translate('access.lastAccess'), sx: WIDE },
        translate('access.rights'),
      ]}
    >
      {users.map((user) => {
        const name = personName(user);
        const role = roles.find(({ id }) => id === user.role)?.name;
        return (
          <TableRow key={user.id} hover>
            <TableCell sx={{ overflowWrap: 'anywhere' }}>
              <Link to={userPath(user.id)}>{name}</Link>
              {user.email !== null && user.email !== name && (
                <Box sx={{ color: 'text.secondary', fontSize: 12.5 }}>{user.email}</Box>
              )}
              <Box sx={{ display: { sm: 'none' }, color: 'text.secondary', fontSize: 12.5 }}>
                {role}
              </Box>
            </TableCell>
            <TableCell sx={WIDE}>{role ?? <Nothing />}</TableCell>
            <TableCell>
              <UserStatus status={user.status} />
            </TableCell>
            <TableCell sx={{ ...WIDE, whiteSpace: 'nowrap' }}>
              {user.last_access ? formatDate('timestamp', user.last_access) : <Nothing />}
            </TableCell>
            <TableCell sx={{ whiteSpace: 'nowrap' }}>
              <Link
                to={rightsPath(user.id)}
                aria-label={`${translate('access.show')}: ${translate('access.rightsOf', { name })}`}
              >
                {translate('access.show')}
              </Link>
            </TableCell>
          </TableRow>
        );
      })}
    </DataTable>
  );
}
