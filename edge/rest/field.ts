/** The routes of fields: `/fields`, `/fields/:collection` and `/fields/:collection/:field`. */
import { createField, updateField, updateFields } from '#core/schema/input.ts';
import type { Router } from '#edge/http/router.ts';
import type { EdgeServices } from '#edge/services.ts';
import { type Call, type CallHandler, jsonText, param, routesOf } from './call.ts';
import {
  CHANGE_PARAMETERS,
  changeOne,
  changeSchema,
  forAdministrators,
  removeOne,
} from './schema-change.ts';

const list: CallHandler = async ({ caller, services }) =>
  jsonText(await services.schemaView.fields(caller));

const listOf: CallHandler = async (call) =>
  jsonText(await call.services.schemaView.fieldsOf(call.caller, param(call, 'collection')));

/** The field that the path names, and how it is shown. */
function placeOf(call: Call) {
  const { caller, services } = call;
  const collection = param(call, 'collection');
  const field = param(call, 'field');
  return {
    collection,
    field,
    read: () => services.schemaView.field(caller, collection, field),
  };
}

const read: CallHandler = async (call) => jsonText(await placeOf(call).read());

const create: CallHandler = async (call) => {
  const { caller, services } = call;
  const collection = param(call, 'collection');
  const change = createField(collection, await call.request.body.json());
  const { field } = change.field;
  return changeSchema(call, change, () => services.schemaView.field(caller, collection, field));
};

const updateMany: CallHandler = async (call) => {
  const { caller, services } = call;
  const collection = param(call, 'collection');
  const change = updateFields(collection, await call.request.body.json());
  const names = change.fields.map(({ field }) => field);
  return changeSchema(call, change, () =>
    services.schemaView.someFields(caller, collection, names),
  );
};

const updateOne: CallHandler = async (call) => {
  const { collection, field, read } = placeOf(call);
  const change = updateField(collection, field, await call.request.body.json());
  return changeOne(call, { change, read });
};

const remove: CallHandler = (call) => {
  const { collection, field, read } = placeOf(call);
  return removeOne(call, { change: { kind: 'fields.delete', collection, field }, read });
};

export function addFieldRoutes(router: Router, services: EdgeServices): void {
  const route = routesOf(services);
  router
    .add('GET', '/fields', route(list))
    .add('GET', '/fields/:collection', route(listOf))
    .add('GET', '/fields/:collection/:field', route(read))
    .add('POST', '/fields/:collection', route(forAdministrators(create), CHANGE_PARAMETERS))
    .add('PATCH', '/fields/:collection', route(forAdministrators(updateMany), CHANGE_PARAMETERS))
    .add(
      'PATCH',
      '/fields/:collection/:field',
      route(forAdministrators(updateOne), CHANGE_PARAMETERS),
    )
    .add(
      'DELETE',
      '/fields/:collection/:field',
      route(forAdministrators(remove), CHANGE_PARAMETERS),
    );
}
