/** Tells above a form that its item was changed or deleted since. What was typed stays. */
import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { useTranslate } from '../translation/use-translate.ts';

interface ChangedNoticeProps {
  readonly isGone: boolean;
  /** Somebody else has saved the item while it was being changed here. */
  readonly isBehind: boolean;
  readonly onCompare: () => void;
}

export function ChangedNotice({ isGone, isBehind, onCompare }: ChangedNoticeProps) {
  const translate = useTranslate();
  if (isGone) {
    return (
      <Alert severity="warning" role="status" sx={{ mb: 2 }}>
        {translate('form.gone')}
      </Alert>
    );
  }
  if (!isBehind) return null;
  return (
    <Alert
      severity="info"
      role="status"
      sx={{ mb: 2 }}
      action={
        <Button color="inherit" size="small" onClick={onCompare}>
          {translate('form.compare')}
        </Button>
      }
    >
      {translate('form.changedMeanwhile')}
    </Alert>
  );
}
