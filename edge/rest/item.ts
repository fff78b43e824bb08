/** The routes of items: `/items/:collection` and `/items/:collection/:key`. */
import { skipsCache } from '#edge/cache/cache-headers.ts';
import { pathParameter, visitorOf } from './call.ts';
import { REST_ENVELOPE } from './envelope.ts';
import { itemHandlers } from './item-handler.ts';
import { ITEM_FORMS, itemRoutes } from './item-route.ts';
import type { RouteEntry } from './route.ts';

const handlers = itemHandlers((call) => ({
  items: call.services.items,
  target: {
    caller: call.caller,
    envelope: REST_ENVELOPE,
    collection: pathParameter(call, 'collection'),
    visitor: visitorOf(call),
    strict: call.strict,
    fresh: skipsCache(call.services.config, call.request),
  },
}));

export const ITEM_ROUTES: readonly RouteEntry[] = itemRoutes(
  '/items/:collection',
  ITEM_FORMS,
  handlers,
);
