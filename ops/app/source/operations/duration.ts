/** Writes how long something took or takes, in the unit that people would choose. */

type Unit = 'millisecond' | 'second' | 'minute' | 'hour' | 'day';

function write(value: number, unit: Unit, locale: string): string {
  const options = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(locale, options).format(value);
}

/** @param ms a time in milliseconds, not negative */
export function formatDuration(ms: number, locale: string): string {
  const seconds = ms / 1_000;
  if (seconds < 10) return write(Math.round(seconds * 10) / 10, 'second', locale);
  if (seconds < 90) return write(Math.round(seconds), 'second', locale);
  if (seconds < 5_400) return write(Math.round(seconds / 60), 'minute', locale);
  if (seconds < 172_800) return write(Math.round(seconds / 3_600), 'hour', locale);
  return write(Math.round(seconds / 86_400), 'day', locale);
}

/** A time below a second, in full milliseconds. */
export function formatMilliseconds(ms: number, locale: string): string {
  return write(Math.round(ms), 'millisecond', locale);
}

/** How long a job has run by now, or ran; null when it has not begun. */
export function runTime(
  job: { readonly started_on: string | null; readonly finished_on: string | null },
  now: number,
): number | null {
  if (job.started_on === null) return null;
  const end = job.finished_on === null ? now : Date.parse(job.finished_on);
  return Math.max(0, end - Date.parse(job.started_on));
}
