/** Over any screen when the session has ended: sign in again, and the screen is as it was. */

import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslate } from 'ra-core';
import { useId } from 'react';
import { meQuery } from '../data/queries.ts';
import { announceSession, useSessionEnded } from '../data/session.ts';
import { SignInForm } from './sign-in-form.tsx';
import { useSignOut } from './use-sign-out.ts';

export function SessionDialog() {
  const translate = useTranslate();
  const title = useId();
  const ended = useSessionEnded();
  const me = useQuery({ ...meQuery, enabled: false }).data;
  const queryClient = useQueryClient();
  const signOut = useSignOut();
  const resume = async () => {
    announceSession();
    await queryClient.invalidateQueries();
  };
  return (
    <Dialog open={ended} aria-labelledby={title} fullWidth maxWidth="xs">
      <DialogTitle id={title}>{translate('shell.sessionTitle')}</DialogTitle>
      <DialogContent>
        <DialogContentText>{translate('shell.sessionText')}</DialogContentText>
        <SignInForm {...(me?.email && { email: me.email })} onSignedIn={resume} />
      </DialogContent>
      <DialogActions>
        <Button onClick={signOut}>{translate('shell.signOut')}</Button>
      </DialogActions>
    </Dialog>
  );
}
