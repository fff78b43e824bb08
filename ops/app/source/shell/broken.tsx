/** What stands in the place of a screen that has thrown: an error in the App, or a chunk that is gone. */
import Button from '@mui/material/Button';
import { useRouteError } from 'react-router-dom';
import { useTranslate } from '../translation/use-translate.ts';
import { Message } from './message.tsx';

export function Broken() {
  const translate = useTranslate();
  const error = useRouteError();
  return (
    <div role="alert">
      <Message
        icon="error"
        title={translate('shell.brokenTitle')}
        actions={
          <Button variant="contained" onClick={() => window.location.reload()}>
            {translate('shell.reload')}
          </Button>
        }
      >
        <p>{translate('shell.brokenHelp')}</p>
        {error instanceof Error && <small>{error.message}</small>}
      </Message>
    </div>
  );
}
