/** Shows secrets to copy, this once: a new token, whose hash alone the server keeps, or links. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { useId } from 'react';
import { CopyButton } from '../shell/copy-button.tsx';
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
        <CopyButton text={secret} label={translate('access.copy')} notice="access.copied" />
        <Button variant="contained" onClick={onClose}>
          {translate('access.done')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
