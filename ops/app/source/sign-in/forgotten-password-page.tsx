/** Asks for the mail with the link to a new password. The answer does not tell who has an account. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import TextField from '@mui/material/TextField';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { Link as RouterLink } from 'react-router-dom';
import { client } from '../data/client.ts';
import { tellFailure } from '../data/failure.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { PublicPage } from './public-page.tsx';

export function Component() {
  const translate = useTranslate();
  const { mutate, error, isPending, isSuccess } = useMutation({
    mutationFn: (email: string) => client.auth.requestPasswordReset(email),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    mutate(String(new FormData(event.currentTarget).get('email') ?? '').trim());
  };
  return (
    <PublicPage title={translate('signIn.forgottenTitle')} help={translate('signIn.forgottenHelp')}>
      {isSuccess ? (
        <Alert severity="success" role="status" sx={{ mt: 2 }}>
          {translate('signIn.forgottenDone')}
        </Alert>
      ) : (
        <Box component="form" onSubmit={submit} sx={{ display: 'grid', gap: 2, mt: 2 }}>
          {error !== null && (
            <Alert severity="error" role="alert">
              {translate(tellFailure(error, translate).text)}
            </Alert>
          )}
          <TextField
            name="email"
            type="email"
            label={translate('signIn.email')}
            autoComplete="username"
            required
            autoFocus
          />
          <Button type="submit" variant="contained" size="large" loading={isPending}>
            {translate('signIn.forgottenSubmit')}
          </Button>
        </Box>
      )}
      <Link component={RouterLink} to="/sign-in" sx={{ display: 'inline-block', mt: 2 }}>
        {translate('signIn.toSignIn')}
      </Link>
    </PublicPage>
  );
}
