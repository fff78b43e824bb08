/** Asks before something that cannot be undone, or concerns much. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { type ReactNode, useId } from 'react';
import { useTranslate } from '../translation/use-translate.ts';
import { FailureAlert } from './failure-alert.tsx';

export interface ConfirmDialogProps {
  readonly open: boolean;
  readonly title: string;
  readonly children: ReactNode;
  /** What the button says that does it. */
  readonly confirm: string;
  /** What the button says that leaves everything as it is, where “Cancel” may mean the other one. */
  readonly keep?: string;
  readonly busy?: boolean;
  /** Nothing is lost by it. */
  readonly harmless?: boolean;
  /** There is nothing to do. */
  readonly disabled?: boolean;
  /** Why it did not work. */
  readonly error?: unknown;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open, title, children, confirm, keep, error, onConfirm, onClose } = props;
  const { busy = false, disabled = false, harmless = false } = props;
  const translate = useTranslate();
  const id = useId();
  return (
    <Dialog open={open} onClose={onClose} aria-labelledby={id} fullWidth maxWidth="xs">
      <DialogTitle id={id}>{title}</DialogTitle>
      <DialogContent>
        <DialogContentText component="div">{children}</DialogContentText>
        <FailureAlert error={error} sx={{ mt: 2 }} />
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{keep ?? translate('shell.cancel')}</Button>
        <Button
          color={harmless ? 'primary' : 'error'}
          variant="contained"
          loading={busy}
          disabled={disabled}
          onClick={onConfirm}
        >
          {confirm}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
