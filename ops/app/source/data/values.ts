/** Reads values whose shape only the data knows. */
import type { Item } from './schema-types.ts';

/** Whether a value is an object with members: an item, or a part of a payload. */
export function isItem(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether two values are the same on the wire; what is missing is null. */
export function sameValue(one: unknown, other: unknown): boolean {
  const [left, right] = [one ?? null, other ?? null];
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}

/** A text of the options of a field; null for none. */
export function textOption(options: Item | null | undefined, name: string): string | null {
  const value = options?.[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A number of the options of a field; null for none. */
export function numberOption(options: Item | null | undefined, name: string): number | null {
  const value = options?.[name];
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** The flags of `meta.special`. */
export function specialsOf(field: { readonly meta: { readonly special: unknown } | null }) {
  const special = field.meta?.special;
  const list = Array.isArray(special) ? special.map(String) : String(special ?? '').split(',');
  return new Set(list.map((flag) => flag.trim()));
}
