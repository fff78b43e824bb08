/** Users with what tells them apart, one in each row. */
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import { visuallyHidden } from '@mui/utils';
import { Link } from 'react-router-dom';
import { formatDate } from '../display/format.ts';
import { Nothing } from '../display/value.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
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
  const [locale] = useLocaleState();
  return (
    <TableContainer component={Paper} variant="outlined">
      <Table size="small">
        <caption style={visuallyHidden}>{translate('access.users')}</caption>
        <TableHead>
          <TableRow>
            <TableCell>{translate('access.user')}</TableCell>
            <TableCell sx={WIDE}>{translate('access.role')}</TableCell>
            <TableCell>{translate('access.statusHead')}</TableCell>
            <TableCell sx={WIDE}>{translate('access.lastAccess')}</TableCell>
            <TableCell>{translate('access.rights')}</TableCell>
          </TableRow>
        </TableHead>
        <TableBody>
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
                  {user.last_access ? (
                    formatDate('timestamp', user.last_access, locale)
                  ) : (
                    <Nothing />
                  )}
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
        </TableBody>
      </Table>
    </TableContainer>
  );
}
