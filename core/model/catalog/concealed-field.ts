/** Fields whose values are never returned. */
import type { Field } from './catalog.ts';

/** Replaces a value that is set but never returned. */
export const CONCEALED = '**********';

/** Whether a field's values are never returned: hashed values are concealed, whatever the type. */
export function isConcealed({ type, special }: Pick<Field, 'type' | 'special'>): boolean {
  return type === 'hash' || special.includes('hash') || special.includes('conceal');
}
