/** Says that something could not be loaded, why, and lets one try again where that can help. */
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { isForbidden, mayPass, tellFailure } from '../data/failure.ts';
import { globalsQuery } from '../data/queries.ts';
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
  // As far as it is known: a page may fail before it is.
  const { data: globals } = useQuery({ ...globalsQuery, enabled: false });
  const asks = isForbidden(error) && globals?.admin_access === false;
  const isRetried = retry !== undefined && mayPass(error);
  return (
    <div role="alert">
      <Message
        icon="error"
        title={translate(text)}
        actions={
          isRetried && (
            <Button variant="outlined" onClick={retry}>
              {translate('shell.retry')}
            </Button>
          )
        }
      >
        {detail} {asks && translate('failure.askAdministrator')}
      </Message>
    </div>
  );
}
