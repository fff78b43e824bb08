/** Writes dates and numbers as a language does. */

const cache = new Map<string, Intl.DateTimeFormat>();

function formatter(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = cache.get(key) ?? new Intl.DateTimeFormat(locale, options);
  cache.set(key, known);
  return known;
}

/**
 * A date, a time, or both. Those without a zone (`date`, `time`, `dateTime`) are shown as they are;
 * a `timestamp` in the time zone of the user. What is no date of the calendar (`infinity`) stays as it is.
 */
export function formatDate(type: string, text: string, locale: string, zone: string): string {
  const day = { year: 'numeric', month: 'short', day: 'numeric' } as const;
  const minute = { hour: '2-digit', minute: '2-digit' } as const;
  const utc = { timeZone: 'UTC' } as const;
  const write = (iso: string, options: Intl.DateTimeFormatOptions) => {
    const date = new Date(iso);
    return Number.isNaN(date.getTime()) ? text : formatter(locale, options).format(date);
  };
  switch (type) {
    case 'date':
      return write(`${text}T00:00:00Z`, { ...day, ...utc });
    case 'time':
      return write(`1970-01-01T${text}Z`, { ...minute, ...utc });
    case 'dateTime':
      return write(`${text.replace(' ', 'T')}Z`, { ...day, ...minute, ...utc });
    default:
      return write(text, { ...day, ...minute, timeZone: zone });
  }
}

function isNumeric(text: string): text is `${number}` {
  return /^-?\d+(\.\d+)?$/.test(text);
}

/** A number, with all its digits where it came as a text, as decimals do. Years are not grouped. */
export function formatNumber(value: unknown, locale: string): string {
  const text = String(value);
  if (!isNumeric(text)) return text;
  const digits = Math.min(text.split('.')[1]?.length ?? 0, 20);
  const options = {
    minimumFractionDigits: digits,
    maximumFractionDigits: 20,
    useGrouping: 'min2',
  } as const;
  return new Intl.NumberFormat(locale, options).format(text);
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** A size in the unit that people would choose, each a thousand of the one before. */
export function formatBytes(bytes: number, locale: string): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), BYTE_UNITS.length - 1);
  const value = bytes / 1_000 ** power;
  const digits = power === 0 || value >= 100 ? 0 : 1;
  return `${formatNumber(value.toFixed(digits), locale)} ${BYTE_UNITS[power]}`;
}
