/**
 * The routes of relations, by the referring field: `/relations`, `/relations/:collection/:field`.
 */
import {
  createRelation,
  relationBody,
  relationPatch,
  updateRelation,
} from '#core/schema/change-input.ts';
import { relationSchema } from './answer/schema-part.ts';
import type { Call, CallHandler } from './call.ts';
import { flagParameter } from './parameter/item.ts';
import { jsonBody, type RouteEntry, writtenDataAnswer } from './route.ts';
import {
  booleanParameter,
  CHANGE_PARAMETERS,
  changeSchema,
  SCHEMA_CHANGE_ROUTE,
} from './schema-change.ts';
import { type PartName, schemaPartRoutes } from './schema-part.ts';

const create: CallHandler = async (call) => {
  const { caller, services } = call;
  const change = createRelation(await call.request.body.json(), call.strict);
  const { collection, field } = change.relation;
  return changeSchema(call, change, () => services.schemaView.relation(caller, collection, field));
};

/** The related collection: null for several collections, undefined without a relation. */
function relatedOf({ services }: Call, { collection, field }: PartName) {
  const relation = services.catalog.current().relations.get(collection)?.get(field);
  if (relation?.kind === 'a2o') return null;
  return relation?.kind === 'm2o' ? relation.one.collection : undefined;
}

function listedRelations(call: Call) {
  return { reverse: booleanParameter(call, 'reverse') };
}

export const RELATION_ROUTES: readonly RouteEntry[] = [
  ...schemaPartRoutes({
    path: '/relations',
    one: 'a relation',
    many: 'relations',
    all: (call) => call.services.schemaView.relations(call.caller, listedRelations(call)),
    of: (call, collection) =>
      call.services.schemaView.relationsOf(call.caller, collection, listedRelations(call)),
    listParameters: {
      reverse: {
        summary: 'Adds the field of the other side, which lists the referring items',
        schema: flagParameter,
      },
    },
    shown: (view, caller, { collection, field }) => view.relation(caller, collection, field),
    updateBody: jsonBody(relationPatch),
    shape: relationSchema,
    update: (call, name, body) =>
      updateRelation(name.collection, name.field, body, relatedOf(call, name), call.strict),
    remove: (name) => ({ kind: 'relations.delete', ...name }),
  }),
  {
    method: 'POST',
    path: '/relations',
    summary: 'Creates a relation',
    ...SCHEMA_CHANGE_ROUTE,
    parameters: CHANGE_PARAMETERS,
    body: jsonBody(relationBody),
    answer: { ...writtenDataAnswer(relationSchema), job: true },
    handle: create,
  },
];
