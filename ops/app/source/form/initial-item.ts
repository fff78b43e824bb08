/** What a new item begins with: defaults of the columns and presets. */
import type { Field, Item } from '../data/schema-types.ts';

/** Types whose default may be an expression, such as `now()`. */
const MADE = new Set(['date', 'time', 'dateTime', 'timestamp', 'uuid', 'unknown', 'binary']);

function isMade(type: string, value: unknown): boolean {
  return typeof value === 'string' && (MADE.has(type) || /\(.*\)$/.test(value));
}

/**
 * A default as the API takes it. That of an array comes as PostgreSQL writes it, such as `{}`: null for one
 * with elements, which the server fills in by itself.
 */
function defaultOf({ type, schema }: Field): unknown {
  const value = schema?.default_value ?? null;
  const isArray = type === 'json' && schema?.data_type.endsWith('[]') === true;
  if (!isArray || typeof value !== 'string') return value;
  return value === '{}' ? [] : null;
}

/** What a new item begins with: defaults of the columns and presets, which the server sets by itself. */
export function initialItem(
  fields: readonly Field[],
  presets: Readonly<Record<string, unknown>> | undefined,
): Item {
  const defaults = fields.flatMap((field): [string, unknown][] => {
    const value = defaultOf(field);
    return value === null || isMade(field.type, value) ? [] : [[field.field, value]];
  });
  const given = Object.entries(presets ?? {}).filter(
    ([, value]) => !(typeof value === 'string' && value.startsWith('$')),
  );
  return Object.fromEntries([...defaults, ...given]);
}
