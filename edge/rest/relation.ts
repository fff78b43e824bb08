/** The routes of relations, by the field that refers: `/relations`, `/relations/:collection/:field`. */
import type { Router } from '#edge/http/router.ts';
import type { EdgeServices } from '#edge/services.ts';
import { type CallHandler, jsonText, param, routesOf } from './call.ts';

const list: CallHandler = async ({ caller, services }) =>
  jsonText(await services.schemaView.relations(caller));

const listOf: CallHandler = async (call) =>
  jsonText(await call.services.schemaView.relationsOf(call.caller, param(call, 'collection')));

const read: CallHandler = async (call) => {
  const { caller, services } = call;
  return jsonText(
    await services.schemaView.relation(caller, param(call, 'collection'), param(call, 'field')),
  );
};

export function addRelationRoutes(router: Router, services: EdgeServices): void {
  const route = routesOf(services);
  router
    .add('GET', '/relations', route(list))
    .add('GET', '/relations/:collection', route(listOf))
    .add('GET', '/relations/:collection/:field', route(read));
}
