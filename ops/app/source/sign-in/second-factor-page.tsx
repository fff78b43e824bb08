/**
 * What somebody sees who must have a second factor and has none: the password is confirmed, the
 * secret goes into an authenticator app, and its first code turns it on.
 */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { client } from '../data/client.ts';
import { FailureAlert } from '../shell/failure-alert.tsx';
import { notify } from '../shell/notify.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { FactorSecret } from './factor-secret.tsx';
import { PasswordField } from './password-field.tsx';
import { PublicPage } from './public-page.tsx';
import { useSignOut } from './use-sign-out.ts';

function fieldOf(event: FormEvent<HTMLFormElement>, name: string): string {
  event.preventDefault();
  return String(new FormData(event.currentTarget).get(name) ?? '');
}

export default function SecondFactorPage() {
  const translate = useTranslate();
  const signOut = useSignOut();
  const queryClient = useQueryClient();
  const generate = useMutation({
    meta: { checksPassword: true },
    mutationFn: (password: string) => client.me.tfa.generate(password),
  });
  const secret = generate.data;
  const enable = useMutation({
    mutationFn: (otp: string) => client.me.tfa.enable(secret?.secret ?? '', otp),
    onSuccess: async () => {
      notify('signIn.tfaDone', { type: 'success' });
      await queryClient.resetQueries();
    },
  });
  const error = enable.error ?? generate.error;
  return (
    <PublicPage
      title={translate('signIn.tfaTitle')}
      help={translate(secret === undefined ? 'signIn.tfaHelp' : 'signIn.tfaSecret')}
    >
      <FailureAlert error={error} />
      {secret === undefined ? (
        <Box
          component="form"
          key="password"
          onSubmit={(event) => generate.mutate(fieldOf(event, 'password'))}
          sx={{ display: 'grid', gap: 2, mt: 2 }}
        >
          <PasswordField
            name="password"
            label={translate('signIn.password')}
            autoComplete="current-password"
            autoFocus
          />
          <Button type="submit" variant="contained" loading={generate.isPending}>
            {translate('signIn.next')}
          </Button>
        </Box>
      ) : (
        <Box
          component="form"
          key="code"
          onSubmit={(event) => enable.mutate(fieldOf(event, 'otp').trim())}
          sx={{ display: 'grid', gap: 2, mt: 2 }}
        >
          <FactorSecret secret={secret.secret} url={secret.otpauth_url} />
          <TextField
            name="otp"
            label={translate('signIn.otp')}
            autoComplete="one-time-code"
            autoFocus
            required
            slotProps={{ htmlInput: { inputMode: 'numeric', maxLength: 6 } }}
          />
          <Button type="submit" variant="contained" loading={enable.isPending}>
            {translate('signIn.tfaSubmit')}
          </Button>
        </Box>
      )}
      <Button onClick={signOut} sx={{ mt: 2 }}>
        {translate('shell.signOut')}
      </Button>
    </PublicPage>
  );
}
