/** Fields whose values are never shown. */
import type { Field } from './catalog.ts';

/** What stands for a value that is set but never shown. */
export const CONCEALED = '**********';

/** Whether a field's values are never shown: what is hashed is concealed, whatever its type is. */
export function isConcealed({ type, special }: Pick<Field, 'type' | 'special'>): boolean {
  return type === 'hash' || special.includes('hash') || special.includes('conceal');
}
