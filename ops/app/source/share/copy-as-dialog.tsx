/** Shows the request of a screen as a command and as programs, to be copied. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { useId } from 'react';
import { CopyButton } from '../shell/copy-button.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { CodeTabs } from './code-tabs.tsx';
import type { ReadRequest } from './request.ts';

export interface CopyAsDialogProps {
  readonly request: ReadRequest;
  readonly onClose: () => void;
}

export function CopyAsDialog({ request, onClose }: CopyAsDialogProps) {
  const translate = useTranslate();
  const id = useId();
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} fullWidth maxWidth="md">
      <DialogTitle id={id}>{translate('share.title')}</DialogTitle>
      <DialogContent sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' }}>
        <DialogContentText>
          {translate(request.kind === 'list' ? 'share.listHelp' : 'share.itemHelp')}{' '}
          {translate('share.tokenHelp')}
        </DialogContentText>
        <CodeTabs request={request} />
      </DialogContent>
      <DialogActions>
        <CopyButton
          text={location.href}
          label={translate('share.copyLink')}
          notice="share.linkCopied"
        />
        <Button onClick={onClose}>{translate('shell.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}
