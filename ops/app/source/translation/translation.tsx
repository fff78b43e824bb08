/** Gives the screens their texts. When another language is chosen they stay as they are, and speak it. */
import { I18nContext, type I18nProvider, useStore } from 'ra-core';
import { type ReactNode, useEffect, useState } from 'react';

export function Translation({
  provider,
  children,
}: {
  readonly provider: I18nProvider;
  readonly children: ReactNode;
}) {
  const [locale] = useStore('locale', provider.getLocale());
  const [current, setCurrent] = useState(provider);
  useEffect(() => {
    if (provider.getLocale() === locale) return;
    // Another object, so that everybody who has a text asks again.
    provider.changeLocale(locale).then(
      () => setCurrent({ ...provider }),
      // The texts cannot be loaded: those of before stay.
      () => undefined,
    );
  }, [provider, locale]);
  return <I18nContext value={current}>{children}</I18nContext>;
}
