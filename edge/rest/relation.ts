/** The routes of relations, by the field that refers: `/relations`, `/relations/:collection/:field`. */
import { createRelation, updateRelation } from '#core/schema/input.ts';
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
  jsonText(await services.schemaView.relations(caller));

const listOf: CallHandler = async (call) =>
  jsonText(await call.services.schemaView.relationsOf(call.caller, param(call, 'collection')));

/** The relation that the path names by its field, and how it is shown. */
function placeOf(call: Call) {
  const { caller, services } = call;
  const collection = param(call, 'collection');
  const field = param(call, 'field');
  return {
    collection,
    field,
    read: () => services.schemaView.relation(caller, collection, field),
  };
}

const read: CallHandler = async (call) => jsonText(await placeOf(call).read());

const create: CallHandler = async (call) => {
  const { caller, services } = call;
  const change = createRelation(await call.request.body.json());
  const { collection, field } = change.relation;
  return changeSchema(call, change, () => services.schemaView.relation(caller, collection, field));
};

/** What a relation refers to: null for several collections, undefined without the relation. */
function relatedOf({ services }: Call, collection: string, field: string) {
  const relation = services.catalog.current().relations.get(collection)?.get(field);
  if (relation?.kind === 'a2o') return null;
  return relation?.kind === 'm2o' ? relation.one.collection : undefined;
}

const update: CallHandler = async (call) => {
  const { collection, field, read } = placeOf(call);
  const body = await call.request.body.json();
  const change = updateRelation(collection, field, body, relatedOf(call, collection, field));
  return changeOne(call, { change, read });
};

const remove: CallHandler = (call) => {
  const { collection, field, read } = placeOf(call);
  return removeOne(call, { change: { kind: 'relations.delete', collection, field }, read });
};

export function addRelationRoutes(router: Router, services: EdgeServices): void {
  const route = routesOf(services);
  router
    .add('GET', '/relations', route(list))
    .add('GET', '/relations/:collection', route(listOf))
    .add('GET', '/relations/:collection/:field', route(read))
    .add('POST', '/relations', route(forAdministrators(create), CHANGE_PARAMETERS))
    .add(
      'PATCH',
      '/relations/:collection/:field',
      route(forAdministrators(update), CHANGE_PARAMETERS),
    )
    .add(
      'DELETE',
      '/relations/:collection/:field',
      route(forAdministrators(remove), CHANGE_PARAMETERS),
    );
}
