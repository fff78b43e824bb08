/**
 * The ids of sessions that a login creates: UUIDs of version 7 (RFC 9562, section 5.7), which
 * contain the time of the login. A renewal preserves the id or the family, and therefore the time
 * of the login.
 */
import { randomUUID } from 'node:crypto';

/** The time, as 48 bits of milliseconds, and the version. */
const FORM = /^([\da-f]{8})-([\da-f]{4})-7/i;

/** A new id of a session that begins at a time, by default now. */
export function newSessionId(now = Date.now()): string {
  const time = now.toString(16).padStart(12, '0');
  // Everything after the version is random in both versions.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** When the session with this id began, in milliseconds since 1970; null for ids without a time. */
export function loginTimeOf(id: string): number | null {
  const [, high, low] = FORM.exec(id) ?? [];
  return high === undefined || low === undefined ? null : Number.parseInt(high + low, 16);
}
