/** The routes by which callers learn what they may do: `/permissions/me`. */
import type { Router } from '#edge/http/router.ts';
import type { EdgeServices } from '#edge/services.ts';
import { type CallHandler, data, lastSegment, param, routesOf } from './call.ts';

const all: CallHandler = async ({ caller, services }) =>
  data(await services.permissions.all(caller));

const ofCollection: CallHandler = async (call) => {
  const { caller, services } = call;
  return data(await services.permissions.item(caller, param(call, 'collection'), null));
};

const ofItem: CallHandler = async (call) => {
  const { caller, services } = call;
  const collection = param(call, 'collection');
  return data(await services.permissions.item(caller, collection, lastSegment(call)));
};

export function addPermissionRoutes(router: Router, services: EdgeServices): void {
  const route = routesOf(services);
  router
    .add('GET', '/permissions/me', route(all))
    .add('GET', '/permissions/me/:collection', route(ofCollection))
    .add('GET', '/permissions/me/:collection/:key', route(ofItem));
}
