/** The texts of the App in its language, and the language. */
import type Polyglot from 'node-polyglot';
import { createContext, useCallback, useContext } from 'react';
import type { Translate } from '../data/fault-text.ts';
import { useStore } from '../data/store.ts';

export const TextsContext = createContext<Polyglot | null>(null);

function useTexts(): Polyglot {
  const texts = useContext(TextsContext);
  if (texts === null) throw new Error('The texts of the App are not there.');
  return texts;
}

/** Finds texts by their keys. */
export function useTranslate(): Translate {
  const texts = useTexts();
  return useCallback((key, parameters) => texts.t(key, parameters), [texts]);
}

/** The language that was chosen; its texts may still be on their way. */
export function useLocaleState() {
  return useStore('locale', useTexts().locale());
}
