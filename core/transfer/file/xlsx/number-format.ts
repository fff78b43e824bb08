/** Dates and times in a workbook: numbers that a format shows as dates (ECMA-376, 18.8.30). */

/** What a number format shows. */
export interface MomentFormat {
  readonly date: boolean;
  readonly time: boolean;
}

const DATE: MomentFormat = { date: true, time: false };
const TIME: MomentFormat = { date: false, time: true };
const BOTH: MomentFormat = { date: true, time: true };

/** Formats that a workbook does not describe: those of all languages, then those of East Asia. */
const BUILT_IN: ReadonlyMap<number, MomentFormat> = new Map([
  ...[14, 15, 16, 17].map((id) => [id, DATE] as const),
  ...[18, 19, 20, 21].map((id) => [id, TIME] as const),
  [22, BOTH],
  ...[27, 28, 29, 30, 31].map((id) => [id, DATE] as const),
  ...[32, 33, 34, 35].map((id) => [id, TIME] as const),
  [36, DATE],
  ...[45, 46, 47].map((id) => [id, TIME] as const),
  ...[50, 51, 52, 53, 54, 57, 58].map((id) => [id, DATE] as const),
  ...[55, 56].map((id) => [id, TIME] as const),
]);

/** Literals, colours, conditions, languages, padding and filling; not elapsed time, such as `[h]`. */
const LITERALS = /"[^"]*"?|\\.|_.|\*.|\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi;

/** What a format shows; null for numbers and texts. @param code its text; undefined when built in */
export function momentFormat(id: number, code: string | undefined): MomentFormat | null {
  if (code === undefined) return BUILT_IN.get(id) ?? null;
  const [first = ''] = code.replace(LITERALS, '').split(';');
  const plain = first
    .toLowerCase()
    .replaceAll('general', '')
    .replaceAll('am/pm', '')
    .replaceAll('a/p', '');
  if (/[#?0]/.test(plain.replace(/[.,]0+/g, ''))) return null;
  const time = /[hs]|\[m+\]/.test(plain);
  const date = /[dyeg]/.test(plain) || (!time && plain.includes('m'));
  return date || time ? { date, time } : null;
}

const DAY_MS = 86_400_000;
/** 31 December 1899, whose next day is day 1. */
const EPOCH_1900 = Date.UTC(1899, 11, 31);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
/** The 29th of February 1900, which the system of 1900 counts, although it did not exist. */
const FALSE_DAY = 60;
/** The end of the year 9999. */
const LAST_DAY = 2_958_465;

function clock(milliseconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const seconds = Math.floor(milliseconds / 1_000);
  const rest = milliseconds % 1_000;
  const fraction = rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`;
  return `${two(seconds / 3_600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}${fraction}`;
}

/**
 * A number of days as a date or a time in ISO 8601, to the millisecond; null when no date has it.
 * @param since1904 whether the workbook counts from 1904
 */
export function momentText(
  days: number,
  { date, time }: MomentFormat,
  since1904: boolean,
): string | null {
  if (!(days >= 0 && days < LAST_DAY + 1)) return null;
  const total = Math.round(days * DAY_MS);
  const day = Math.floor(total / DAY_MS);
  const ofDay = total % DAY_MS;
  if (!date) return clock(total);
  if (!since1904 && day === FALSE_DAY) return null;
  const epoch = since1904 ? EPOCH_1904 : EPOCH_1900;
  const passed = !since1904 && day > FALSE_DAY ? day - 1 : day;
  const iso = new Date(epoch + passed * DAY_MS).toISOString().slice(0, 10);
  return time || ofDay !== 0 ? `${iso}T${clock(ofDay)}` : iso;
}
