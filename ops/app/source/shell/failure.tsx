/** Says that something could not be loaded, why, and lets one try again. */
import Button from '@mui/material/Button';
import { tellFailure } from '../data/failure.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { Message } from './message.tsx';

export function Failure({
  error,
  retry,
}: {
  readonly error: unknown;
  readonly retry?: () => void;
}) {
  const translate = useTranslate();
  const { text, detail } = tellFailure(error, translate);
  return (
    <div role="alert">
      <Message
        icon="error"
        title={translate(text)}
        actions={
          retry && (
            <Button variant="outlined" onClick={retry}>
              {translate('shell.retry')}
            </Button>
          )
        }
      >
        {detail}
      </Message>
    </div>
  );
}
