/** What people are called. */
import { isItem } from '../data/values.ts';

/** The name of a user; null when nobody knows. */
export function personName(user: unknown): string | null {
  if (!isItem(user)) return null;
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ');
  return name || (typeof user.email === 'string' ? user.email : null);
}
