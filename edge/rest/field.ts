/** The routes of fields: `/fields`, `/fields/:collection` and `/fields/:collection/:field`. */
import * as v from 'valibot';
import {
  createField,
  fieldBody,
  patchBody,
  patchesBody,
  updateField,
  updateFields,
} from '#core/schema/change-input.ts';
import { fieldSchema } from './answer/schema-part.ts';
import { type CallHandler, pathParameter } from './call.ts';
import { jsonBody, type RouteEntry, writtenDataAnswer } from './route.ts';
import { CHANGE_PARAMETERS, changeSchema, SCHEMA_CHANGE_ROUTE } from './schema-change.ts';
import { schemaPartRoutes } from './schema-part.ts';

const create: CallHandler = async (call) => {
  const { caller, services } = call;
  const collection = pathParameter(call, 'collection');
  const change = createField(collection, await call.request.body.json(), call.strict);
  const { field } = change.field;
  return changeSchema(call, change, () => services.schemaView.field(caller, collection, field));
};

const updateMany: CallHandler = async (call) => {
  const { caller, services } = call;
  const collection = pathParameter(call, 'collection');
  const change = updateFields(collection, await call.request.body.json(), call.strict);
  const names = change.fields.map(({ field }) => field);
  return changeSchema(call, change, () =>
    services.schemaView.someFields(caller, collection, names),
  );
};

export const FIELD_ROUTES: readonly RouteEntry[] = [
  ...schemaPartRoutes({
    path: '/fields',
    one: 'a field',
    many: 'fields',
    all: (view, caller) => view.fields(caller),
    of: (view, caller, collection) => view.fieldsOf(caller, collection),
    shown: (view, caller, { collection, field }) => view.field(caller, collection, field),
    updateBody: jsonBody(patchBody),
    shape: fieldSchema,
    update: (call, { collection, field }, body) =>
      updateField(collection, field, body, call.strict),
    remove: (name) => ({ kind: 'fields.delete', ...name }),
  }),
  {
    method: 'POST',
    path: '/fields/:collection',
    summary: 'Creates a field',
    ...SCHEMA_CHANGE_ROUTE,
    parameters: CHANGE_PARAMETERS,
    body: jsonBody(fieldBody),
    answer: { ...writtenDataAnswer(fieldSchema), job: true },
    handle: create,
  },
  {
    method: 'PATCH',
    path: '/fields/:collection',
    summary: 'Changes fields of a collection',
    ...SCHEMA_CHANGE_ROUTE,
    parameters: CHANGE_PARAMETERS,
    body: jsonBody(patchesBody),
    answer: { ...writtenDataAnswer(v.array(fieldSchema)), job: true },
    handle: updateMany,
  },
];
