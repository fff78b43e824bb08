/** What a text is beside a text, where its name and its value leave no doubt: an address, a colour. */
import type { Field } from '../data/schema-types.ts';

export type ValueKind = 'mail' | 'link' | 'colour';

const MAIL_NAME = /(^|_)e_?mail(_?address)?$/i;
const MAIL = /^[^\s@<>"',;:]+@[^\s@<>"',;:]+\.[^\s@<>"',;:.]+$/;
const LINK = /^https?:\/\/[^\s<>"]+$/i;
const COLOUR_NAME = /(^|_)(colou?r|hex|rgb)(_?code)?$/i;
const COLOUR = /^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;

/** The kind of a text; null for one that is only a text. */
export function valueKind(
  { field, meta }: Pick<Field, 'field' | 'meta'>,
  text: string,
): ValueKind | null {
  if (LINK.test(text) && URL.canParse(text)) return 'link';
  if (MAIL_NAME.test(field) && MAIL.test(text)) return 'mail';
  const isColour = meta?.interface === 'select-color' || meta?.display === 'color';
  return (isColour || COLOUR_NAME.test(field)) && COLOUR.test(text) ? 'colour' : null;
}

/** Whether a number is a share of a hundred, as the name of the field says in so many words. */
export function isPercent({ field }: Pick<Field, 'field'>): boolean {
  return /(^|_)(percent|percentage|pct)$/i.test(field);
}

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
/** Seconds within which a moment is told by its distance. */
const NEAR = 7 * 86_400;

/** How far a moment is from now, in words; null for one that is far, or that no calendar has. */
export function relativeTime(text: string, now: Date, locale: string): string | null {
  const seconds = (Date.parse(text) - now.getTime()) / 1_000;
  if (Number.isNaN(seconds) || Math.abs(seconds) > NEAR) return null;
  const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const [unit, size] = STEPS.find(([, step]) => Math.abs(seconds) >= step) ?? ['second', 1];
  // What has just been is not 37 seconds ago.
  return unit === 'second'
    ? words.format(0, 'second')
    : words.format(Math.trunc(seconds / size), unit);
}
