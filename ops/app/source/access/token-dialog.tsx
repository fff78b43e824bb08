/** Shows secrets to copy, this once: a new token, whose hash alone the server keeps, or links. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { useId } from 'react';
import { notify } from '../shell/notify.ts';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';

export interface TokenDialogProps {
  readonly title: string;
  readonly text: string;
  /** A line for each. */
  readonly secret: string;
  readonly onClose: () => void;
}

export function TokenDialog({ title, text, secret, onClose }: TokenDialogProps) {
  const translate = useTranslate();
  const id = useId();
  // Pages without TLS have no clipboard; there one selects the text.
  const clipboard: Clipboard | undefined = navigator.clipboard;
  return (
    <Dialog open aria-labelledby={id} fullWidth maxWidth="sm">
      <DialogTitle id={id}>{title}</DialogTitle>
      <DialogContent>
        <DialogContentText sx={{ mb: 2 }}>{text}</DialogContentText>
        <Box
          component="output"
          dir="ltr"
          sx={{
            display: 'block',
            p: 1.5,
            border: 1,
            borderColor: 'divider',
            borderRadius: 1,
            fontFamily: 'monospace',
            overflowWrap: 'anywhere',
            whiteSpace: 'pre-wrap',
            userSelect: 'all',
          }}
        >
          {secret}
        </Box>
      </DialogContent>
      <DialogActions>
        {clipboard !== undefined && (
          <Button
            startIcon={<Icon name="content_copy" />}
            onClick={async () => {
              await clipboard.writeText(secret);
              notify('access.copied', { type: 'success' });
            }}
          >
            {translate('access.copy')}
          </Button>
        )}
        <Button variant="contained" onClick={onClose}>
          {translate('access.done')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
