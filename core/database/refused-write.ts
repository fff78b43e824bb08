/** Which connections run a write that was ended in favour of others, and what its caller is told. */

import { reason } from '#core/base/errors/reason.ts';
import { type ServiceError, unavailable } from '#core/base/errors/service-error.ts';

const refused = new WeakSet<object>();

export function refuseWrite(client: object): void {
  refused.add(client);
}

/** The connection serves another one from now on. */
export function forgetRefusal(client: object): void {
  refused.delete(client);
}

/** Why the write on this connection was ended; null when it was not. */
export function refusalOf(client: object): ServiceError | null {
  if (!refused.has(client)) return null;
  return unavailable('database', reason('lock_wait_ended'));
}
