/** Gives the screens their texts. When another language is chosen they stay as they are, and speak it. */
import { useQuery } from '@tanstack/react-query';
import { I18nContext, type I18nProvider, useStore, useStoreContext } from 'ra-core';
import { type ReactNode, useEffect, useState } from 'react';
import { projectQuery } from '../data/queries.ts';
import { isSpoken, languageOf } from './provider.ts';

export function Translation({
  provider,
  children,
}: {
  readonly provider: I18nProvider;
  readonly children: ReactNode;
}) {
  const [locale, setLocale] = useStore<string>('locale', provider.getLocale());
  const store = useStoreContext();
  const byProject = useQuery(projectQuery).data?.default_language;
  const [current, setCurrent] = useState(provider);
  // The language of the project is for those whose own is not spoken here.
  useEffect(() => {
    const chosen = store.getItem('locale') !== undefined;
    if (!chosen && byProject !== undefined && !isSpoken(navigator.language)) {
      setLocale(languageOf(byProject));
    }
  }, [store, byProject, setLocale]);
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
