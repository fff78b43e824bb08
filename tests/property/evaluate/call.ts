/** The functions on fields: parts of moments, counts, and paths into documents. */
import type { Json } from '../model.ts';

const DAY_MS = 86_400_000;

/** The ISO 8601 week of a date. */
function week(date: Date): number {
  const day = (date.getUTCDay() + 6) % 7;
  const thursday = new Date(date.getTime() + (3 - day) * DAY_MS);
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  return 1 + Math.floor((thursday.getTime() - first) / DAY_MS / 7);
}

const PARTS: Readonly<Record<string, (date: Date) => number>> = {
  year: (date) => date.getUTCFullYear(),
  month: (date) => date.getUTCMonth() + 1,
  week,
  day: (date) => date.getUTCDate(),
  weekday: (date) => date.getUTCDay(),
  hour: (date) => date.getUTCHours(),
  minute: (date) => date.getUTCMinutes(),
  second: (date) => date.getUTCSeconds(),
};

/** One part of a moment in the form of the wire; null of null. */
export function momentPart(name: string, value: Json): number | null {
  if (value === null) return null;
  const part = PARTS[name];
  if (part === undefined) throw new Error(`there is no function ${name}`);
  const text = String(value);
  const full = /^\d\d:/.test(text) ? `2000-01-01T${text}` : text;
  return part(new Date(/Z$|^\d{4}-\d\d-\d\d$/.test(full) ? full : `${full}Z`));
}

/** What stands under a path such as `a.b[0]` in a document; null when nothing does. */
export function documentPart(document: Json, path: string): Json {
  let value: Json | undefined = document;
  for (const segment of path.match(/[^.[\]]+/g) ?? []) {
    if (Array.isArray(value)) value = /^\d+$/.test(segment) ? value[Number(segment)] : undefined;
    else if (typeof value === 'object' && value !== null) {
      value = Object.hasOwn(value, segment)
        ? Object.entries(value).find(([k]) => k === segment)?.[1]
        : undefined;
    } else return null;
  }
  return value ?? null;
}

/** The key of a function's value in an answer. */
export function callKey(name: string, field: string, path: string): string {
  if (name !== 'json') return `${field}_${name}`;
  return `${[...field.split(' '), ...(path.match(/[^.[\]]+/g) ?? [])].join('_')}_json`;
}
