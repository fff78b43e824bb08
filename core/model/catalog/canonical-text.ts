/** The canonical text of values that text columns store. */

/** Lower case, with hyphens, without braces. */
export function canonicalUuid(text: string): string {
  const digits = text.replace(/[{}-]/g, '').toLowerCase();
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const ZONED =
  /^\s*(\d{4})-?(\d{2})-?(\d{2})[T ](\d{2}):?(\d{2})(?::?(\d{2})([.,]\d+)?)? ?([+-])(\d{2})(?::?(\d{2}))?\s*$/i;

/** The timestamp in UTC without offset: columns without a zone would ignore the offset. */
export function toUtc(text: string): string {
  const match = ZONED.exec(text);
  if (match === null) return text.trim();
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const offset = (Number(match[9]) * 60 + Number(match[10] ?? 0)) * (match[8] === '-' ? -1 : 1);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute - offset, second);
  const whole = date.toISOString().replace(/\.\d+Z$/, '');
  return `${whole}${(match[7] ?? '').replace(',', '.')}Z`;
}

/** Compares texts by code units, which is the same on each machine. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
