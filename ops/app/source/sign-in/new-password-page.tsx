/** A page at which a link of a mail leads to a new password: that of a reset, or of an invitation. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useNavigate, useSearchParams } from 'react-router-dom';
import { SluiceError } from '../../../client/source/index.ts';
import { tellFailure } from '../data/failure.ts';
import { notify } from '../shell/notify.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { PasswordField } from './password-field.tsx';
import { PublicPage } from './public-page.tsx';

export interface NewPasswordPageProps {
  /** Keys of the texts. */
  readonly texts: {
    readonly title: string;
    readonly help?: string;
    readonly submit: string;
    readonly done: string;
  };
  readonly send: (token: string, password: string) => Promise<unknown>;
}

/** Codes that are about the link, not about the password. */
const ABOUT_LINK = new Set([
  'INVALID_TOKEN',
  'TOKEN_EXPIRED',
  'INVALID_INVITE',
  'FORBIDDEN',
  'INVALID_CREDENTIALS',
]);

export function NewPasswordPage({ texts, send }: NewPasswordPageProps) {
  const translate = useTranslate();
  const navigate = useNavigate();
  const [parameters] = useSearchParams();
  const token = parameters.get('token');
  const { mutate, error, isPending } = useMutation({
    mutationFn: (password: string) => send(token ?? '', password),
    onSuccess: async () => {
      notify(texts.done, { type: 'success' });
      await navigate('/sign-in');
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    mutate(String(new FormData(event.currentTarget).get('password') ?? ''));
  };
  const badLink = error instanceof SluiceError && ABOUT_LINK.has(error.code);
  const badPassword = error instanceof SluiceError && error.code === 'FAILED_VALIDATION';
  const failure = error === null || badPassword ? null : tellFailure(error, translate);
  return (
    <PublicPage
      title={translate(texts.title)}
      {...(texts.help !== undefined && { help: translate(texts.help) })}
    >
      {token === null ? (
        <Alert severity="error">{translate('signIn.noToken')}</Alert>
      ) : (
        <Box component="form" onSubmit={submit} sx={{ display: 'grid', gap: 2, mt: 2 }}>
          {failure !== null && (
            <Alert severity="error" role="alert">
              {badLink
                ? translate('signIn.badLink')
                : `${translate(failure.text)} ${failure.detail ?? ''}`}
            </Alert>
          )}
          <PasswordField
            name="password"
            label={translate('signIn.newPassword')}
            autoComplete="new-password"
            autoFocus
            error={badPassword}
            helperText={badPassword && translate('signIn.badPassword')}
          />
          <Button type="submit" variant="contained" size="large" loading={isPending}>
            {translate(texts.submit)}
          </Button>
        </Box>
      )}
    </PublicPage>
  );
}
