/**
 * Makes an account, where the settings of the project allow that. What is said then is the same
 * whether or not the address has an account already: only its mail tells.
 */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import TextField from '@mui/material/TextField';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { Link as RouterLink, useSearchParams } from 'react-router-dom';
import { SluiceError } from '../../../client/source/index.ts';
import { client } from '../data/client.ts';
import { tellFailure } from '../data/failure.ts';
import { projectQuery } from '../data/queries.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { PasswordField } from './password-field.tsx';
import { PublicPage } from './public-page.tsx';

interface Applicant {
  readonly email: string;
  readonly password: string;
  readonly first_name?: string;
  readonly last_name?: string;
}

function applicantOf(form: HTMLFormElement): Applicant {
  const values = new FormData(form);
  const text = (name: string) => String(values.get(name) ?? '').trim();
  const [first, last] = [text('first_name'), text('last_name')];
  return {
    email: text('email'),
    // Blanks belong to a password.
    password: String(values.get('password') ?? ''),
    ...(first !== '' && { first_name: first }),
    ...(last !== '' && { last_name: last }),
  };
}

const codeOf = (error: unknown) => (error instanceof SluiceError ? error.code : null);

function RegisterForm({ verifies }: { readonly verifies: boolean }) {
  const translate = useTranslate();
  const { mutate, error, isPending, isSuccess } = useMutation({
    mutationFn: (applicant: Applicant) => client.auth.register(applicant),
  });
  if (isSuccess) {
    return (
      <Alert severity="success" role="status" sx={{ mt: 2 }}>
        {translate(verifies ? 'signIn.registerMail' : 'signIn.registerDone')}
      </Alert>
    );
  }
  const badPassword = codeOf(error) === 'FAILED_VALIDATION';
  const failure = error === null || badPassword ? null : tellFailure(error, translate);
  const told =
    codeOf(error) === 'FORBIDDEN'
      ? translate('signIn.registerRefused')
      : failure !== null && `${translate(failure.text)} ${failure.detail ?? ''}`;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    mutate(applicantOf(event.currentTarget));
  };
  return (
    <Box component="form" onSubmit={submit} sx={{ display: 'grid', gap: 2, mt: 2 }}>
      {failure !== null && (
        <Alert severity="error" role="alert">
          {told}
        </Alert>
      )}
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { sm: '1fr 1fr' } }}>
        <TextField
          name="first_name"
          label={translate('signIn.firstName')}
          autoComplete="given-name"
          autoFocus
          slotProps={{ htmlInput: { maxLength: 50 } }}
        />
        <TextField
          name="last_name"
          label={translate('signIn.lastName')}
          autoComplete="family-name"
          slotProps={{ htmlInput: { maxLength: 50 } }}
        />
      </Box>
      <TextField
        name="email"
        type="email"
        label={translate('signIn.email')}
        autoComplete="username"
        required
      />
      <PasswordField
        name="password"
        label={translate('signIn.password')}
        autoComplete="new-password"
        error={badPassword}
        helperText={badPassword && translate('signIn.badPassword')}
      />
      <Button type="submit" variant="contained" size="large" loading={isPending}>
        {translate('signIn.registerSubmit')}
      </Button>
    </Box>
  );
}

export function Component() {
  const translate = useTranslate();
  const [parameters] = useSearchParams();
  const { data: project, isPending, error, refetch } = useQuery(projectQuery);
  const isOpen = project?.public_registration === true;
  const verifies = project?.public_registration_verify_email !== false;
  const help = verifies ? 'signIn.registerHelp' : 'signIn.registerHelpNow';
  return (
    <PublicPage title={translate('signIn.register')} {...(isOpen && { help: translate(help) })}>
      {parameters.get('link') === 'dead' && (
        <Alert severity="error" role="alert" sx={{ mt: 1 }}>
          {translate('signIn.deadLink')}
        </Alert>
      )}
      {isPending && <Loading />}
      {error !== null && <Failure error={error} retry={() => refetch()} />}
      {isOpen && <RegisterForm verifies={verifies} />}
      {project !== undefined && !isOpen && (
        <Alert severity="info" sx={{ mt: 1 }}>
          {translate('signIn.registerClosed')}
        </Alert>
      )}
      <Link component={RouterLink} to="/sign-in" sx={{ display: 'inline-block', mt: 2 }}>
        {translate('signIn.toSignIn')}
      </Link>
    </PublicPage>
  );
}
