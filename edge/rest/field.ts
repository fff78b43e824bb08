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
import { shownField } from './answer/schema-part.ts';
import { type CallHandler, param } from './call.ts';
import { json, type RouteEntry, writtenOf } from './route.ts';
import { CHANGE_PARAMETERS, CHANGING, changeSchema } from './schema-change.ts';
import { partRoutes } from './schema-part.ts';

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

export const FIELD_ROUTES: readonly RouteEntry[] = [
  ...partRoutes({
    path: '/fields',
    one: 'a field',
    many: 'fields',
    all: (view, caller) => view.fields(caller),
    of: (view, caller, collection) => view.fieldsOf(caller, collection),
    shown: (view, caller, { collection, field }) => view.field(caller, collection, field),
    updateBody: json(patchBody),
    shape: shownField,
    update: (_, { collection, field }, body) => updateField(collection, field, body),
    remove: (name) => ({ kind: 'fields.delete', ...name }),
  }),
  {
    method: 'POST',
    path: '/fields/:collection',
    summary: 'Creates a field',
    ...CHANGING,
    parameters: CHANGE_PARAMETERS,
    body: json(fieldBody),
    answer: { ...writtenOf(shownField), job: true },
    handle: create,
  },
  {
    method: 'PATCH',
    path: '/fields/:collection',
    summary: 'Changes fields of a collection',
    ...CHANGING,
    parameters: CHANGE_PARAMETERS,
    body: json(patchesBody),
    answer: { ...writtenOf(v.array(shownField)), job: true },
    handle: updateMany,
  },
];
