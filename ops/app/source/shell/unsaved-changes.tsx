/** Asks before a screen with changes that are not saved is left, by a link or by the browser. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { useEffect, useId } from 'react';
import { useBlocker } from 'react-router-dom';
import { useTranslate } from '../translation/use-translate.ts';

/** `when` says whether there are changes, at the moment of leaving. */
export function UnsavedChanges({ when }: { readonly when: () => boolean }) {
  const translate = useTranslate();
  const title = useId();
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      currentLocation.pathname !== nextLocation.pathname && when(),
  );
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (when()) event.preventDefault();
    };
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [when]);
  return (
    <Dialog
      open={blocker.state === 'blocked'}
      onClose={() => blocker.reset?.()}
      aria-labelledby={title}
    >
      <DialogTitle id={title}>{translate('shell.unsavedTitle')}</DialogTitle>
      <DialogContent>
        <DialogContentText>{translate('shell.unsavedText')}</DialogContentText>
      </DialogContent>
      <DialogActions>
        <Button color="error" onClick={() => blocker.proceed?.()}>
          {translate('shell.unsavedLeave')}
        </Button>
        <Button variant="contained" autoFocus onClick={() => blocker.reset?.()}>
          {translate('shell.unsavedStay')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
