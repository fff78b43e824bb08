/** The routes of fields: `/fields`, `/fields/:collection` and `/fields/:collection/:field`. */
import * as v from 'valibot';
import {
  createField,
  fieldBody,
  fieldRename,
  patchBody,
  patchesBody,
  renameField,
  updateField,
  updateFields,
} from '#core/schema/change-input.ts';
import { fieldSchema } from './answer/schema-part.ts';
import { type CallHandler, pathParameter } from './call.ts';
import { jsonBody, type RouteEntry, writtenDataAnswer } from './route.ts';
import {
  CHANGE_PARAMETERS,
  changeSchema,
  renameAndShow,
  SCHEMA_CHANGE_ROUTE,
} from './schema-change.ts';
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

const rename: CallHandler = async (call) => {
  const { caller, services } = call;
  const collection = pathParameter(call, 'collection');
  const field = pathParameter(call, 'field');
  const change = renameField(collection, field, await call.request.body.json(), call.strict);
  const view = services.schemaView;
  return renameAndShow(call, {
    change,
    read: () => view.field(caller, collection, field),
    shown: () => view.field(caller, collection, change.to),
  });
};

export const FIELD_ROUTES: readonly RouteEntry[] = [
  ...schemaPartRoutes({
    path: '/fields',
    one: 'a field',
    many: 'fields',
    all: ({ caller, services }) => services.schemaView.fields(caller),
    of: ({ caller, services }, collection) => services.schemaView.fieldsOf(caller, collection),
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
  {
    method: 'POST',
    path: '/fields/:collection/:field/rename',
    summary: 'Renames a field',
    ...SCHEMA_CHANGE_ROUTE,
    body: jsonBody(fieldRename),
    answer: { ...writtenDataAnswer(fieldSchema), job: true },
    handle: rename,
  },
];
