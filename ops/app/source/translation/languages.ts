/**
 * The languages of the App. The texts of a language are one chunk that is loaded when it is chosen.
 * No language falls back to another: a test holds that all have the same texts.
 */
import Polyglot from 'node-polyglot';

/** Texts by their keys, in groups. `%{name}` is a parameter, `||||` parts singular and plural. */
export interface Texts {
  readonly [key: string]: string | Texts;
}

export const LANGUAGES = [
  { locale: 'en', name: 'English' },
  { locale: 'de', name: 'Deutsch' },
] as const;

type Language = (typeof LANGUAGES)[number]['locale'];

const LOAD: Readonly<Record<Language, () => Promise<{ readonly texts: Texts }>>> = {
  en: () => import('./en/index.ts'),
  de: () => import('./de/index.ts'),
};

/** Whether the App speaks the language of a tag such as `de-AT`. */
export function isSpoken(tag: string): boolean {
  const [first] = tag.toLowerCase().split('-');
  return LANGUAGES.some(({ locale }) => locale === first);
}

/** The language of the App for a tag such as `de-AT`; English for one that it does not speak. */
export function languageOf(tag: string | null | undefined): Language {
  const [first] = (tag ?? '').toLowerCase().split('-');
  return LANGUAGES.find(({ locale }) => locale === first)?.locale ?? 'en';
}

export async function loadTexts(locale: Language): Promise<Polyglot> {
  const { texts } = await LOAD[locale]();
  return new Polyglot({ locale, phrases: texts });
}
