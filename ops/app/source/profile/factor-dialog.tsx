/** Turns the second factor on: password, key, first code; or off: a code. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { client } from '../data/client.ts';
import { CALLER } from '../data/query-keys.ts';
import { FailureAlert } from '../shell/failure-alert.tsx';
import { notify } from '../shell/notify.ts';
import { FactorSecret } from '../sign-in/factor-secret.tsx';
import { PasswordField } from '../sign-in/password-field.tsx';
import { useTranslate } from '../translation/use-translate.ts';

export interface FactorDialogProps {
  readonly turns: 'on' | 'off';
  readonly onClose: () => void;
}

export function FactorDialog({ turns, onClose }: FactorDialogProps) {
  const translate = useTranslate();
  const queryClient = useQueryClient();
  const id = useId();
  const [password, setPassword] = useState('');
  const [otp, setOtp] = useState('');
  const generate = useMutation({
    meta: { checksPassword: true },
    mutationFn: () => client.me.tfa.generate(password),
  });
  const secret = generate.data;
  const finish = useMutation({
    mutationFn: () => {
      const code = otp.replaceAll(/\s/g, '');
      return turns === 'off'
        ? client.me.tfa.disable(code)
        : client.me.tfa.enable(secret?.secret ?? '', code);
    },
    onSuccess: async () => {
      notify(turns === 'on' ? 'signIn.tfaDone' : 'profile.factorOff', { type: 'success' });
      onClose();
      await queryClient.invalidateQueries({ queryKey: [CALLER] });
    },
  });
  const asksPassword = turns === 'on' && secret === undefined;
  const { error, isPending } = asksPassword ? generate : finish;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (asksPassword) generate.mutate();
    else finish.mutate();
  };
  const help =
    turns === 'off'
      ? 'profile.factorOffHelp'
      : asksPassword
        ? 'profile.factorPassword'
        : 'signIn.tfaSecret';
  const confirm =
    turns === 'off'
      ? 'profile.turnFactorOff'
      : asksPassword
        ? 'signIn.next'
        : 'profile.turnFactorOn';
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} fullWidth maxWidth="xs">
      <Box component="form" noValidate onSubmit={submit}>
        <DialogTitle id={id}>
          {translate(turns === 'on' ? 'profile.turnFactorOn' : 'profile.turnFactorOff')}
        </DialogTitle>
        <DialogContent sx={{ display: 'grid', gap: 2 }}>
          <DialogContentText>{translate(help)}</DialogContentText>
          {secret !== undefined && <FactorSecret secret={secret.secret} url={secret.otpauth_url} />}
          {asksPassword ? (
            <PasswordField
              key="password"
              label={translate('signIn.password')}
              autoComplete="current-password"
              autoFocus
              value={password}
              onChange={({ target }) => setPassword(target.value)}
            />
          ) : (
            <TextField
              key="code"
              label={translate('signIn.otp')}
              helperText={translate('signIn.otpHelp')}
              autoComplete="one-time-code"
              autoFocus
              value={otp}
              onChange={({ target }) => setOtp(target.value)}
              slotProps={{ htmlInput: { inputMode: 'numeric', maxLength: 7, dir: 'ltr' } }}
            />
          )}
          <FailureAlert error={error} />
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>{translate('shell.cancel')}</Button>
          <Button
            type="submit"
            variant="contained"
            color={turns === 'off' ? 'error' : 'primary'}
            loading={isPending}
            disabled={(asksPassword ? password : otp).trim() === ''}
          >
            {translate(confirm)}
          </Button>
        </DialogActions>
      </Box>
    </Dialog>
  );
}
