/** Which connections run a write that was ended in favour of others, and what its caller is told. */
import { type ServiceError, unavailable } from '#core/errors/service-error.ts';

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
  const reason = 'The write waited for a lock of somebody else, and others needed the connection.';
  return unavailable('database', reason);
}
