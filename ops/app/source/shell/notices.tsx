/** Short notices of what was done or went wrong (`notify`), one at a time, at the lower edge. */
import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Snackbar from '@mui/material/Snackbar';
import { useEffect, useRef, useState } from 'react';
import { useTranslate } from '../translation/use-translate.ts';
import { dropNotice, type Notice, useNotices } from './notify.ts';

const LONG = 6_000;

export function Notices() {
  const translate = useTranslate();
  const notices = useNotices();
  const [shown] = notices;
  const [closing, setClosing] = useState<Notice>();
  // The next one does not wait until this one has been read.
  useEffect(() => {
    if (notices.length > 1) setClosing(notices[0]);
  }, [notices]);
  // A frame that goes while it shows one leaves it to the next: signing in comes after a new password.
  const left = useRef(closing);
  left.current = closing;
  useEffect(() => () => left.current && dropNotice(left.current), []);
  if (shown === undefined) return null;
  const { text, type, messageArgs, undo } = shown;
  const close = () => setClosing(shown);
  return (
    <Snackbar
      open={shown !== closing}
      // Errors stay until they are read.
      autoHideDuration={type === 'error' ? null : LONG}
      onClose={(_, reason) => reason !== 'clickaway' && close()}
      anchorOrigin={{ vertical: 'bottom', horizontal: 'center' }}
      slotProps={{ transition: { onExited: () => dropNotice(shown) } }}
    >
      <Alert
        severity={type}
        variant="filled"
        onClose={close}
        closeText={translate('shell.close')}
        sx={{ maxWidth: 560, boxShadow: 6 }}
      >
        {translate(text, messageArgs)}
        {undo !== undefined && (
          <Button
            size="small"
            color="inherit"
            variant="outlined"
            sx={{ marginInlineStart: 2, my: -0.5 }}
            onClick={() => {
              close();
              undo();
            }}
          >
            {translate('shell.undo')}
          </Button>
        )}
      </Alert>
    </Snackbar>
  );
}
