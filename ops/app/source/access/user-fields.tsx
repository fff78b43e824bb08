/** Who a user is: name, address, role, state and language. */
import Paper from '@mui/material/Paper';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { LANGUAGES } from '../translation/languages.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { rolesQuery } from './access-queries.ts';
import type { Role, User } from './access-types.ts';
import { roleTree } from './role-tree.ts';
import { STATUSES } from './user-status.tsx';

/** What the form of a user changes, with the password that a new one may get. */
export interface EditedUser
  extends Pick<User, 'id' | 'first_name' | 'last_name' | 'email' | 'status' | 'role' | 'language'> {
  readonly password?: string | null;
}

export interface UserFieldsProps {
  readonly user: EditedUser;
  readonly isNew: boolean;
  readonly isWritable: (field: OneProps['name']) => boolean;
  /** What is wrong with a field, in words. */
  readonly errorOf: (field: string) => string | null;
  readonly onChange: (part: Partial<EditedUser>) => void;
  /** The caller's present password; null where it is not asked for. */
  readonly currentPassword: string | null;
  readonly onCurrentPassword: (password: string) => void;
}

const NO_ROLES: readonly Role[] = [];

interface OneProps {
  readonly of: UserFieldsProps;
  readonly name: 'first_name' | 'last_name' | 'email' | 'role' | 'status' | 'language' | 'password';
  readonly help?: string;
  readonly type?: string;
  /** The choices, where it is one of some. */
  readonly children?: ReactNode;
}

function One({ of, name, help, type, children }: OneProps) {
  const translate = useTranslate();
  const { user, isWritable, errorOf, onChange } = of;
  const error = errorOf(name);
  const value = user[name] ?? '';
  // A value that is no choice of the App is kept.
  const other = name === 'language' && !LANGUAGES.some(({ locale }) => locale === value);
  return (
    <TextField
      label={translate(`access.user_${name}`)}
      value={value}
      disabled={!isWritable(name)}
      error={error !== null}
      helperText={error ?? help}
      onChange={({ target }) => onChange({ [name]: target.value === '' ? null : target.value })}
      {...(children === undefined
        ? {
            type: type ?? 'text',
            slotProps: {
              htmlInput: {
                dir: type === undefined ? 'auto' : 'ltr',
                autoComplete: type === 'password' ? 'new-password' : 'off',
              },
            },
          }
        : {
            select: true,
            slotProps: { select: { native: true }, inputLabel: { shrink: true } },
          })}
    >
      {children !== undefined && other && value !== '' && <option value={value}>{value}</option>}
      {children}
    </TextField>
  );
}

function CurrentPassword({ currentPassword, errorOf, onCurrentPassword }: UserFieldsProps) {
  const translate = useTranslate();
  if (currentPassword === null) return null;
  const isRefused = errorOf('current_password') !== null;
  const help = isRefused
    ? 'access.user_current_passwordNeeded'
    : 'access.user_current_passwordHelp';
  return (
    <TextField
      label={translate('access.user_current_password')}
      type="password"
      value={currentPassword}
      error={isRefused}
      helperText={translate(help)}
      onChange={({ target }) => onCurrentPassword(target.value)}
      slotProps={{ htmlInput: { dir: 'ltr', autoComplete: 'current-password' } }}
    />
  );
}

export function UserFields(props: UserFieldsProps) {
  const translate = useTranslate();
  const roles = useQuery(rolesQuery).data ?? NO_ROLES;
  return (
    <Paper
      variant="outlined"
      sx={{
        p: { xs: 2, md: 3 },
        display: 'grid',
        gap: 2,
        gridTemplateColumns: { xs: '1fr', md: '1fr 1fr' },
        alignItems: 'start',
      }}
    >
      <One of={props} name="first_name" />
      <One of={props} name="last_name" />
      <One of={props} name="email" type="email" />
      <CurrentPassword {...props} />
      <One of={props} name="role" help={translate('access.user_roleHelp')}>
        <option value="">{translate('access.noRole')}</option>
        {roleTree(roles).map((at) => (
          <option key={at.role.id} value={at.role.id}>
            {'\u2003'.repeat(at.depth)}
            {at.role.name}
          </option>
        ))}
      </One>
      <One of={props} name="status" help={translate('access.user_statusHelp')}>
        {STATUSES.map((status) => (
          <option key={status} value={status}>
            {translate(`access.status.${status}`)}
          </option>
        ))}
      </One>
      <One of={props} name="language">
        <option value="">{translate('access.languageOfProject')}</option>
        {LANGUAGES.map(({ locale, name }) => (
          <option key={locale} value={locale}>
            {name}
          </option>
        ))}
      </One>
      {props.isNew && <One of={props} name="password" type="password" />}
    </Paper>
  );
}
