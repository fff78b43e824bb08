/** Over any screen when the session has ended: sign in again, and the screen is as it was. */

import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useId, useRef } from 'react';
import { client } from '../data/client.ts';
import { type Me, meQuery } from '../data/queries.ts';
import { announceSession, useSessionEnded } from '../data/session.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { SignInForm } from './sign-in-form.tsx';
import { useSignOut } from './use-sign-out.ts';

export function SessionDialog() {
  const translate = useTranslate();
  const title = useId();
  const ended = useSessionEnded();
  const me = useQuery({ ...meQuery, enabled: false }).data;
  const queryClient = useQueryClient();
  const signOut = useSignOut();
  const known = me?.id;
  const resuming = useRef<Promise<void> | null>(null);
  const resume = useCallback(() => {
    const goOn = async () => {
      const { id } = await client.request<Me>('GET', '/users/me', { query: { fields: ['id'] } });
      // What is on the screen belongs to somebody else.
      if (id !== known) return window.location.reload();
      announceSession();
      await queryClient.invalidateQueries();
    };
    resuming.current ??= goOn().finally(() => {
      resuming.current = null;
    });
    return resuming.current;
  }, [known, queryClient]);
  // Whoever signs in again in another tab has done it for this one, too.
  useEffect(() => {
    if (!ended) return;
    return client.auth.onChange(({ signedIn }) => {
      if (signedIn) resume().catch(() => undefined);
    });
  }, [ended, resume]);
  if (!ended) return null;
  return (
    <Dialog open aria-labelledby={title} fullWidth maxWidth="xs">
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
