/** Rejects unknown members of a body, for clients that prefer strict handling. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { isJsonObject } from '#core/base/json/json-object.ts';

/**
 * Rejects members of a body, and of the objects in it, that its schema does not define.
 * @param known the parsed body
 * @param isPassedOver whether the schema accepts the member at a place, but omits it from the
 * result
 * @throws ServiceError INVALID_PAYLOAD naming the first
 */
export function requireKnownMembers(
  body: unknown,
  known: unknown,
  isPassedOver: (place: string) => boolean = () => false,
  within = '',
): void {
  if (Array.isArray(body) && Array.isArray(known)) {
    for (const [index, entry] of body.entries()) {
      requireKnownMembers(entry, known[index], isPassedOver, within);
    }
    return;
  }
  if (!isJsonObject(body) || !isJsonObject(known)) return;
  for (const [name, value] of Object.entries(body)) {
    const place = `${within}${name}`;
    if (Object.hasOwn(known, name)) {
      requireKnownMembers(value, known[name], isPassedOver, `${place}.`);
    } else if (!isPassedOver(place))
      throw invalidPayload(reason('body_member_unknown', { member: place }));
  }
}
