/** The screen of content before a collection is chosen. */
import { useTranslate } from 'ra-core';
import { Message } from '../shell/message.tsx';
import { PageHeader } from '../shell/page-header.tsx';

export function Component() {
  const translate = useTranslate();
  return (
    <>
      <PageHeader title={translate('navigation.welcome')} />
      <Message icon="database" title={translate('navigation.welcome')}>
        {translate('navigation.welcomeHelp')}
      </Message>
    </>
  );
}
