/** The routes of items: `/items/:collection` and `/items/:collection/:key`. */
import { QUERY_PARAMETERS } from '#core/query/parse/parameter.ts';
import { skipsCache } from '#edge/cache/header.ts';
import type { Router } from '#edge/http/router.ts';
import type { EdgeServices } from '#edge/services.ts';
import { param, routesOf, visitorOf } from './call.ts';
import { itemHandlers } from './item-handler.ts';

export function addItemRoutes(router: Router, services: EdgeServices): void {
  const route = routesOf(services);
  const handlers = itemHandlers((call) => ({
    items: call.services.items,
    target: {
      caller: call.caller,
      collection: param(call, 'collection'),
      visitor: visitorOf(call),
      strict: call.strict,
      fresh: skipsCache(services.config, call.request),
    },
  }));
  router
    .add('GET', '/items/:collection', route(handlers.list, QUERY_PARAMETERS))
    .add('SEARCH', '/items/:collection', route(handlers.search, QUERY_PARAMETERS))
    .add('GET', '/items/:collection/:key', route(handlers.read, QUERY_PARAMETERS))
    .add('POST', '/items/:collection', route(handlers.create, QUERY_PARAMETERS))
    .add('PATCH', '/items/:collection', route(handlers.updateMany, QUERY_PARAMETERS))
    .add('PATCH', '/items/:collection/:key', route(handlers.updateOne, QUERY_PARAMETERS))
    .add('DELETE', '/items/:collection', route(handlers.deleteMany, QUERY_PARAMETERS))
    .add('DELETE', '/items/:collection/:key', route(handlers.deleteOne, QUERY_PARAMETERS));
}
