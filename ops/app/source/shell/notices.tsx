/** Short notices of what was done or went wrong (`useNotify`), one at a time, at the lower edge. */
import Alert from '@mui/material/Alert';
import Snackbar from '@mui/material/Snackbar';
import { useNotificationContext, useTranslate } from 'ra-core';
import { useEffect, useRef, useState } from 'react';

const LONG = 6_000;

export function Notices() {
  const translate = useTranslate();
  const { notifications, addNotification, takeNotification } = useNotificationContext();
  const [shown, setShown] = useState<ReturnType<typeof takeNotification>>();
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (notifications.length === 0) return;
    if (shown !== undefined) {
      setOpen(false);
      return;
    }
    setShown(takeNotification());
    setOpen(true);
  }, [notifications, shown, takeNotification]);
  // A frame that goes while it shows one leaves it to the next: signing in comes after a new password.
  const left = useRef<() => void>(undefined);
  left.current = shown !== undefined && open ? () => addNotification(shown) : undefined;
  useEffect(() => () => left.current?.(), []);
  if (shown === undefined) return null;
  const { message, type, notificationOptions } = shown;
  const severity = type === 'error' || type === 'warning' || type === 'success' ? type : 'info';
  const close = () => setOpen(false);
  return (
    <Snackbar
      open={open}
      // Errors stay until they are read.
      autoHideDuration={severity === 'error' ? null : LONG}
      onClose={(_, reason) => reason !== 'clickaway' && close()}
      anchorOrigin={{ vertical: 'bottom', horizontal: 'center' }}
      slotProps={{ transition: { onExited: () => setShown(undefined) } }}
    >
      <Alert
        severity={severity}
        variant="filled"
        onClose={close}
        closeText={translate('shell.close')}
        sx={{ maxWidth: 560, boxShadow: 6 }}
      >
        {typeof message === 'string'
          ? translate(message, notificationOptions?.messageArgs)
          : message}
      </Alert>
    </Snackbar>
  );
}
