/** The screen for an address that leads nowhere. */
import { useTranslate } from '../translation/use-translate.ts';
import { Message } from './message.tsx';
import { PageHeader } from './page-header.tsx';

export function NotFound() {
  const translate = useTranslate();
  return (
    <>
      <PageHeader title={translate('shell.notFound')} passing />
      <Message icon="help" title={translate('shell.notFound')}>
        {translate('shell.notFoundHelp')}
      </Message>
    </>
  );
}
