/** What a user is called. */
import { isItem } from '../data/values.ts';

/** The name, else the address; null when nothing is known. */
export function personOf(user: unknown): string | null {
  if (!isItem(user)) return null;
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ');
  return name || (typeof user.email === 'string' ? user.email : null);
}
