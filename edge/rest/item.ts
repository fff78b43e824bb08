/** The routes of items: `/items/:collection` and `/items/:collection/:key`. */
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
      fresh: skipsCache(services.config, call.request),
    },
  }));
  router
    .add('GET', '/items/:collection', route(handlers.list))
    .add('SEARCH', '/items/:collection', route(handlers.search))
    .add('GET', '/items/:collection/:key', route(handlers.read))
    .add('POST', '/items/:collection', route(handlers.create))
    .add('PATCH', '/items/:collection', route(handlers.updateMany))
    .add('PATCH', '/items/:collection/:key', route(handlers.updateOne))
    .add('DELETE', '/items/:collection', route(handlers.deleteMany))
    .add('DELETE', '/items/:collection/:key', route(handlers.deleteOne));
}
