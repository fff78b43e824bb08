/** The header `Idempotency-Key` of requests that submit a job. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import type { Request } from '#edge/http/request.ts';

const NAME = 'Idempotency-Key';
/** Visible ASCII characters, as in tokens and UUIDs. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * The key of a request; null without one.
 * @throws ServiceError INVALID_PAYLOAD for a key that is empty, too long or malformed
 */
export function idempotencyKeyOf(request: Request): string | null {
  const key = request.header('idempotency-key');
  if (key === undefined) return null;
  if (KEY.test(key)) return key;
  throw invalidPayload(reason('idempotency_key_invalid', { name: NAME }), { header: NAME });
}
