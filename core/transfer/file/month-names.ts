/** Names of months in the languages of the App, and their usual abbreviations. */

const LANGUAGES = ['en', 'de'];
/** Abbreviations that the standard of locales does not list. */
const MORE: readonly (readonly [string, number])[] = [
  ['sept', 9],
  ['mrz', 3],
  ['maerz', 3],
  ['jän', 1],
  ['jänner', 1],
  ['okt', 10],
  ['dez', 12],
];

function namesOf(language: string, length: 'long' | 'short'): (readonly [string, number])[] {
  const format = new Intl.DateTimeFormat(language, { month: length, timeZone: 'UTC' });
  return Array.from({ length: 12 }, (_, month) => {
    const name = format.format(Date.UTC(2000, month, 15));
    return [name.toLowerCase().replace(/\.$/, ''), month + 1];
  });
}

const NUMBERS: ReadonlyMap<string, number> = new Map([
  ...LANGUAGES.flatMap((language) => [...namesOf(language, 'long'), ...namesOf(language, 'short')]),
  ...namesOf('de', 'long').map(([name, month]) => [name.slice(0, 3), month] as const),
  ...MORE,
]);

/** The pattern of a name; longer names come first. */
export const MONTH_NAMES: string = `(?:${[...NUMBERS.keys()].toSorted((a, b) => b.length - a.length).join('|')})\\.?`;

/** The month as two digits, by its number or its name. */
export function monthNumber(text: string): string {
  const number = NUMBERS.get(text.toLowerCase().replace(/\.$/, ''));
  return (number === undefined ? text : String(number)).padStart(2, '0');
}
