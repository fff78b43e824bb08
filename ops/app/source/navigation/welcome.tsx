/** The screen of content before a collection is chosen. */

import { Message } from '../shell/message.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { useTranslate } from '../translation/use-translate.ts';

export function Component() {
  const translate = useTranslate();
  return (
    <>
      <PageHeader title={translate('navigation.welcome')} passing />
      <Message icon="database" title={translate('navigation.welcome')}>
        {translate('navigation.welcomeHelp')}
      </Message>
    </>
  );
}
