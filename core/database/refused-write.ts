/**
 * Records the connections whose write was cancelled in favour of other work, and yields the error
 * for the caller.
 */

import { reason } from '#core/base/errors/reason.ts';
import { type ServiceError, unavailable } from '#core/base/errors/service-error.ts';

const refused = new WeakSet<object>();

export function refuseWrite(client: object): void {
  refused.add(client);
}

/** Removes the record, because the connection is reused. */
export function forgetRefusal(client: object): void {
  refused.delete(client);
}

/** The error for a cancelled write on this connection; null when it was not cancelled. */
export function refusalOf(client: object): ServiceError | null {
  if (!refused.has(client)) return null;
  return unavailable('database', reason('lock_wait_ended'));
}
