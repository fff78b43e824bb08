/** A check of the health of an installation in words: what is looked at, and what was seen. */
import { formatBytes, formatNumber } from '../display/format.ts';
import { formatDuration } from './duration.ts';

type Translate = (key: string, options?: Readonly<Record<string, unknown>>) => string;

/** A check as the server tells it. */
export interface Check {
  /** Such as `pg:responseTime`. */
  readonly name: string;
  readonly component: string;
  readonly value: unknown;
  readonly unit: string;
}

/** What is looked at; the name of a check that is not known here. */
export function checkTitle({ name, component, unit }: Check, translate: Translate): string {
  // Such as `storage:local:free`.
  const [, location, what] = /^storage:(.+):(\w+)$/.exec(name) ?? [];
  const known = location === undefined ? name : `storage:${what}`;
  const key = known === 'queue:waiting' && unit === 's' ? 'queue:age' : known;
  const part =
    location ??
    (name === 'queue:waiting'
      ? translate(`operations.queueName.${component}`, { _: component })
      : component);
  const title = translate(`health.check.${key}`, { _: name });
  return part === '' ? title : `${title} · ${part}`;
}

/** What was seen, in its unit. */
export function observedText({ value, unit }: Check, translate: Translate, locale: string): string {
  if (value === undefined || value === null) return '';
  const amount = Number(value);
  if (unit === 'bytes') return formatBytes(amount, locale);
  if (unit === 's') return formatDuration(Math.max(0, amount) * 1_000, locale);
  // Three digits of a measured time are enough.
  const rounded = unit === 'ms' ? Number(amount.toPrecision(3)) : value;
  const number = formatNumber(String(rounded), locale);
  const plain = unit === '' ? number : `${number} ${unit}`;
  return Number.isFinite(amount)
    ? translate(`health.unit.${unit}`, { smart_count: amount, _: plain })
    : plain;
}
