/** Where a call comes from, as the record of changes keeps it. */
import type { Origin } from '#core/identity/mail-flow.ts';
import type { Call } from './call.ts';

export function originOf({ request }: Call): Origin {
  return { ip: request.ip || null, userAgent: request.header('user-agent') ?? null };
}
