/** Moments in a time zone: what its clocks show, and which moment that is. */

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(zone: string): Intl.DateTimeFormat {
  const known =
    clocks.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: zone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' },
      ...{ year: 'numeric', month: '2-digit', day: '2-digit', era: 'short' },
      ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
    });
  clocks.set(zone, known);
  return known;
}

/** The zone of this device. */
export function deviceZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Whether this browser knows a zone. */
export function isZone(name: string): boolean {
  try {
    return clockOf(name) !== null;
  } catch {
    return false;
  }
}

/** All zones by their names. */
export function allZones(): readonly string[] {
  return [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];
}

/** What clocks of a zone show at a moment, such as `2026-03-29T03:30:00`. */
export function wallTime(moment: Date, zone: string): string {
  const parts = new Map(
    clockOf(zone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  // Year 0 is the first one before Christ.
  const year = part('era').startsWith('B') ? 1 - Number(part('year')) : Number(part('year'));
  const day = `${String(year).padStart(4, '0')}-${part('month')}-${part('day')}`;
  return `${day}T${part('hour')}:${part('minute')}:${part('second')}`;
}

/** How far the clocks of a zone are ahead of UTC at a moment. */
function offsetAt(time: number, zone: string): number {
  const whole = Math.floor(time / 1_000) * 1_000;
  return Date.parse(`${wallTime(new Date(whole), zone)}Z`) - whole;
}

const DAY_MS = 86_400_000;

/**
 * The moment when clocks of a zone show a time. Where they show it twice, it is the first one. A time that
 * they skip is as much later as they skip. What is no time yields an invalid date.
 */
export function momentAt(wall: string, zone: string): Date {
  const utc = Date.parse(`${wall}Z`);
  if (Number.isNaN(utc)) return new Date(Number.NaN);
  const before = utc - offsetAt(utc - DAY_MS, zone);
  const after = utc - offsetAt(utc + DAY_MS, zone);
  const shows = (time: number) => time + offsetAt(time, zone) === utc;
  return new Date(shows(before) || !shows(after) ? before : after);
}
