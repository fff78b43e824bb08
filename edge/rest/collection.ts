/** The routes of collections themselves: `/collections` and `/collections/:collection`. */
import type { Router } from '#edge/http/router.ts';
import type { EdgeServices } from '#edge/services.ts';
import { type CallHandler, jsonText, param, routesOf } from './call.ts';
import { searchOf } from './parameter.ts';

const list: CallHandler = async ({ caller, services }) =>
  jsonText(await services.schemaView.collections(caller));

const search: CallHandler = async ({ caller, request, services }) => {
  const { keys } = searchOf(await request.body.json());
  return jsonText(
    keys === null
      ? await services.schemaView.collections(caller)
      : await services.schemaView.someCollections(caller, keys),
  );
};

const read: CallHandler = async (call) =>
  jsonText(await call.services.schemaView.collection(call.caller, param(call, 'collection')));

export function addCollectionRoutes(router: Router, services: EdgeServices): void {
  const route = routesOf(services);
  router
    .add('GET', '/collections', route(list))
    .add('SEARCH', '/collections', route(search))
    .add('GET', '/collections/:collection', route(read));
}
