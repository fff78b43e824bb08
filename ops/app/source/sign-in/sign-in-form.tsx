/**
 * The form to sign in: address and password, and a one-time password once the server asks for one.
 * Used by the page and by the dialog that comes up when a session ends.
 */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { SluiceError } from '../../../client/source/index.ts';
import { client } from '../data/client.ts';
import { FailureAlert } from '../shell/failure-alert.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { PasswordField } from './password-field.tsx';

export interface SignInFormProps {
  /** The address of who was signed in, which cannot be changed then. */
  readonly email?: string;
  readonly onSignedIn: () => void | Promise<void>;
}

function asksForCode(error: unknown): boolean {
  return error instanceof SluiceError && error.code === 'INVALID_OTP';
}

export function SignInForm({ email, onSignedIn }: SignInFormProps) {
  const translate = useTranslate();
  const [needsCode, setNeedsCode] = useState(false);
  const { mutate, reset, error, isPending } = useMutation({
    meta: { checksPassword: true },
    mutationFn: (credentials: { email: string; password: string; otp?: string }) =>
      client.auth.login(credentials),
    onSuccess: onSignedIn,
    onError: (reason) => asksForCode(reason) && setNeedsCode(true),
  });
  const [hadCode, setHadCode] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const text = (name: string) => String(values.get(name) ?? '').trim();
    const otp = text('otp');
    setHadCode(otp !== '');
    mutate({
      email: email ?? text('email'),
      password: String(values.get('password') ?? ''),
      ...(otp !== '' && { otp }),
    });
  };
  // The first refusal for want of a code is a question, not a failure.
  const isQuestion = asksForCode(error) && !hadCode;
  return (
    <Box
      component="form"
      onSubmit={submit}
      onChange={() => error !== null && reset()}
      sx={{ display: 'grid', gap: 2, mt: 2 }}
    >
      <FailureAlert error={isQuestion ? null : error} />
      <TextField
        name="email"
        type="email"
        label={translate('signIn.email')}
        autoComplete="username"
        required
        autoFocus={email === undefined}
        {...(email !== undefined && { value: email, disabled: true })}
      />
      <PasswordField
        name="password"
        label={translate('signIn.password')}
        autoComplete="current-password"
        autoFocus={email !== undefined}
      />
      {needsCode && (
        <TextField
          name="otp"
          label={translate('signIn.otp')}
          helperText={translate('signIn.otpHelp')}
          autoComplete="one-time-code"
          autoFocus
          required
          slotProps={{ htmlInput: { inputMode: 'numeric', maxLength: 6 } }}
        />
      )}
      <Button type="submit" variant="contained" size="large" loading={isPending}>
        {translate('signIn.submit')}
      </Button>
    </Box>
  );
}
