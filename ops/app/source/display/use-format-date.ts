/** Writes dates and times in the language and the time zone of the user. */
import { useCallback } from 'react';
import { useZone } from '../data/use-zone.ts';
import { useLocaleState } from '../translation/use-translate.ts';
import { formatDate } from './format.ts';

/** A date or a time of a type as a text. */
export function useFormatDate(): (type: string, text: string) => string {
  const [locale] = useLocaleState();
  const zone = useZone();
  return useCallback((type, text) => formatDate(type, text, locale, zone), [locale, zone]);
}
