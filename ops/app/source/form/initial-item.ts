/** What a new item begins with: defaults of the columns and presets. */
import type { Field, Item } from '../data/schema-types.ts';

/** Types whose default may be an expression, such as `now()`. */
const MADE = new Set(['date', 'time', 'dateTime', 'timestamp', 'uuid', 'unknown', 'binary']);

function isMade(type: string, value: unknown): boolean {
  return typeof value === 'string' && (MADE.has(type) || /\(.*\)$/.test(value));
}

/** What a new item begins with: defaults of the columns and presets, which the server sets by itself. */
export function initialItem(
  fields: readonly Field[],
  presets: Readonly<Record<string, unknown>> | undefined,
): Item {
  const defaults = fields.flatMap(({ field, type, schema }): [string, unknown][] => {
    const value = schema?.default_value ?? null;
    return value === null || isMade(type, value) ? [] : [[field, value]];
  });
  const given = Object.entries(presets ?? {}).filter(
    ([, value]) => !(typeof value === 'string' && value.startsWith('$')),
  );
  return Object.fromEntries([...defaults, ...given]);
}
