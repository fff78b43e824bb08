/** Says above a form or in a dialog why something did not work; nothing when there is no error. */
import Alert, { type AlertProps } from '@mui/material/Alert';
import { tellFailure } from '../data/failure.ts';
import { useTranslate } from '../translation/use-translate.ts';

export interface FailureAlertProps extends Pick<AlertProps, 'sx'> {
  readonly error: unknown;
}

export function FailureAlert({ error, ...alert }: FailureAlertProps) {
  const translate = useTranslate();
  if (error === null || error === undefined) return null;
  const { text, detail } = tellFailure(error, translate);
  return (
    <Alert {...alert} severity="error" role="alert">
      {translate(text)} {detail}
    </Alert>
  );
}
