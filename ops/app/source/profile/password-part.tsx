/** A new password for the caller, confirmed by the present one. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { client } from '../data/client.ts';
import { faultsOf } from '../data/faults.ts';
import { useRights } from '../data/queries.ts';
import { mayField } from '../data/rights.ts';
import { FailureAlert } from '../shell/failure-alert.tsx';
import { notify } from '../shell/notify.ts';
import { Part } from '../shell/part.tsx';
import { PasswordField } from '../sign-in/password-field.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { sessionsQuery, USERS } from './profile-query.ts';

const POLICY = 'auth_password_policy';

/** The pattern that passwords must match; null for those who may not read it, and without one. */
function usePasswordPolicy(): string | null {
  const readable = mayField(useRights(), 'system_settings', 'read', POLICY);
  const { data } = useQuery({
    queryKey: ['items', 'system_settings', 'one', [POLICY]],
    queryFn: ({ signal }) =>
      client.request<Readonly<Record<string, string | null>>>('GET', '/settings', {
        query: { fields: [POLICY] },
        signal,
      }),
    enabled: readable,
  });
  return data?.[POLICY] || null;
}

export function PasswordPart() {
  const translate = useTranslate();
  const queryClient = useQueryClient();
  const policy = usePasswordPolicy();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const isOffered = mayField(useRights(), USERS, 'update', 'password');
  const change = useMutation({
    meta: { checksPassword: true },
    mutationFn: () =>
      client.me.update({ password: next, current_password: current }, { fields: ['id'] }),
    onSuccess: async () => {
      setCurrent('');
      setNext('');
      notify('profile.passwordChanged', { type: 'success' });
      await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
  });
  if (!isOffered) return null;
  const faults = faultsOf(change.error, translate);
  const isWrong = faults.some(({ path }) => path[0] === 'current_password');
  const isWeak = faults.some(({ path }) => path[0] === 'password');
  const type = (set: (text: string) => void) => (text: string) => {
    change.reset();
    set(text);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (current !== '' && next !== '') change.mutate();
  };
  const help = policy === null ? undefined : translate('profile.passwordPattern', { policy });
  return (
    <Part title={translate('profile.password')} help={translate('profile.passwordHelp')}>
      <Box
        component="form"
        noValidate
        onSubmit={submit}
        sx={{
          ...{ display: 'grid', gap: 2, alignItems: 'start' },
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'repeat(2, minmax(0, 1fr))' },
        }}
      >
        <PasswordField
          label={translate('profile.currentPassword')}
          autoComplete="current-password"
          value={current}
          error={isWrong}
          helperText={isWrong && translate('profile.passwordWrong')}
          onChange={({ target }) => type(setCurrent)(target.value)}
        />
        <PasswordField
          label={translate('signIn.newPassword')}
          autoComplete="new-password"
          value={next}
          error={isWeak}
          helperText={isWeak ? translate('signIn.badPassword') : help}
          onChange={({ target }) => type(setNext)(target.value)}
        />
        <Box sx={{ gridColumn: '1 / -1', display: 'grid', gap: 2, justifyItems: 'start' }}>
          <FailureAlert error={isWrong || isWeak ? null : change.error} />
          <Button
            type="submit"
            variant="outlined"
            loading={change.isPending}
            disabled={current === '' || next === ''}
          >
            {translate('profile.changePassword')}
          </Button>
        </Box>
      </Box>
    </Part>
  );
}
