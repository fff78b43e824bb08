/** The routes of fields: `/fields`, `/fields/:collection` and `/fields/:collection/:field`. */
import type { Router } from '#edge/http/router.ts';
import type { EdgeServices } from '#edge/services.ts';
import { type CallHandler, jsonText, param, routesOf } from './call.ts';

const list: CallHandler = async ({ caller, services }) =>
  jsonText(await services.schemaView.fields(caller));

const listOf: CallHandler = async (call) =>
  jsonText(await call.services.schemaView.fieldsOf(call.caller, param(call, 'collection')));

const read: CallHandler = async (call) => {
  const { caller, services } = call;
  return jsonText(
    await services.schemaView.field(caller, param(call, 'collection'), param(call, 'field')),
  );
};

export function addFieldRoutes(router: Router, services: EdgeServices): void {
  const route = routesOf(services);
  router
    .add('GET', '/fields', route(list))
    .add('GET', '/fields/:collection', route(listOf))
    .add('GET', '/fields/:collection/:field', route(read));
}
