/** Gives the screens their texts. When another language is chosen they stay as they are, and speak it. */
import { useQuery } from '@tanstack/react-query';
import type Polyglot from 'node-polyglot';
import { type ReactNode, useEffect, useState } from 'react';
import { projectQuery } from '../data/queries.ts';
import { recall, useStore } from '../data/store.ts';
import { isSpoken, languageOf, loadTexts } from './languages.ts';
import { TextsContext } from './use-translate.ts';

export function Translation({
  first,
  children,
}: {
  readonly first: Polyglot;
  readonly children: ReactNode;
}) {
  const [texts, setTexts] = useState(first);
  const [locale, setLocale] = useStore('locale', first.locale());
  const byProject = useQuery(projectQuery).data?.default_language;
  // The language of the project is for those whose own is not spoken here.
  useEffect(() => {
    const chosen = recall<unknown>('locale', null) !== null;
    if (!chosen && byProject !== undefined && !isSpoken(navigator.language)) {
      setLocale(languageOf(byProject));
    }
  }, [byProject, setLocale]);
  useEffect(() => {
    if (texts.locale() === locale) return;
    let isWanted = true;
    loadTexts(languageOf(locale)).then(
      (loaded) => isWanted && setTexts(loaded),
      // The texts cannot be loaded: those of before stay.
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [texts, locale]);
  return <TextsContext value={texts}>{children}</TextsContext>;
}
