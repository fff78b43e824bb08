/** The routes of system collections, from their registry. */

import type { Service } from '#core/model/system-collections/entry.ts';
import { systemName } from '#core/model/system-collections/name.ts';
import { SERVED } from '#core/model/system-collections/registry.ts';
import { visitorOf } from './call.ts';
import { REST_ENVELOPE } from './envelope.ts';
import { itemHandlers } from './item-handler.ts';
import { ALL_FORMS, itemRoutes, READ_FORMS, SINGLE_FORMS } from './item-route.ts';
import type { RouteEntry } from './route.ts';
import type { ItemForm } from './route-facts.ts';

/** The routes for each kind of system collection. */
const FORMS: Readonly<Record<Service, readonly ItemForm[]>> = {
  all: ALL_FORMS,
  read: READ_FORMS,
  single: SINGLE_FORMS,
  own: [],
};

/** Each collection is served under its name without the prefix. */
export const SYSTEM_ROUTES: readonly RouteEntry[] = SERVED.flatMap(([name, service]) => {
  const collection = systemName(name);
  const handlers = itemHandlers((call) => ({
    items: call.services.system,
    target: {
      caller: call.caller,
      collection,
      visitor: visitorOf(call),
      strict: call.strict,
      envelope: REST_ENVELOPE,
    },
  }));
  return itemRoutes(`/${name}`, FORMS[service], handlers, collection);
});
