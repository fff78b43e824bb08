/** Lists of texts as fields keep them: as a list (`csv`, `json`), or as one text with commas. */
import type { Field } from '../data/schema-types.ts';

/** The entries of a value. */
export function entriesOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(String);
  if (typeof value !== 'string' || value === '') return [];
  return value.split(',');
}

/** The entries as the type of the field takes them; none is null. */
export function listValue({ type }: Pick<Field, 'type'>, entries: readonly unknown[]): unknown {
  if (entries.length === 0) return null;
  return type === 'json' || type === 'csv' ? entries : entries.join(',');
}
