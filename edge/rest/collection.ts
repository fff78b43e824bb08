/** The routes of collections themselves: `/collections` and `/collections/:collection`. */
import { createCollections, updateCollection, updateCollections } from '#core/schema/input.ts';
import type { Router } from '#edge/http/router.ts';
import type { EdgeServices } from '#edge/services.ts';
import { type Call, type CallHandler, jsonText, param, parsed, routesOf } from './call.ts';
import { searchLimit, searchOf } from './parameter.ts';
import {
  CHANGE_PARAMETERS,
  changeOne,
  changeSchema,
  forAdministrators,
  removeOne,
} from './schema-change.ts';

const list: CallHandler = async ({ caller, services }) =>
  jsonText(await services.schemaView.collections(caller));

const search: CallHandler = async (call) => {
  const { caller, request, services } = call;
  const { keys, parameters } = searchOf(await request.body.json(searchLimit(services.config)));
  // They say nothing here, but a name that nobody knows is refused to who wants that.
  if (call.strict) parsed(call, parameters);
  return jsonText(
    keys === null
      ? await services.schemaView.collections(caller)
      : await services.schemaView.someCollections(caller, keys),
  );
};

/** The collection that the path names, and how it is shown. */
function placeOf(call: Call) {
  const name = param(call, 'collection');
  return { name, read: () => call.services.schemaView.collection(call.caller, name) };
}

const read: CallHandler = async (call) => jsonText(await placeOf(call).read());

const create: CallHandler = async (call) => {
  const { caller, services } = call;
  const body = await call.request.body.json();
  const change = createCollections(body);
  const names = change.collections.map(({ collection }) => collection);
  const [first] = names;
  const view = services.schemaView;
  if (!Array.isArray(body) && first !== undefined) {
    return changeSchema(call, change, () => view.collection(caller, first));
  }
  return changeSchema(call, change, () => view.someCollections(caller, names));
};

const updateMany: CallHandler = async (call) => {
  const { caller, services } = call;
  const change = updateCollections(await call.request.body.json());
  const names = change.updates.map(({ collection }) => collection);
  return changeSchema(call, change, () => services.schemaView.someCollections(caller, names));
};

const updateOne: CallHandler = async (call) => {
  const { name, read } = placeOf(call);
  const change = updateCollection(name, await call.request.body.json());
  return changeOne(call, { change, read });
};

const remove: CallHandler = (call) => {
  const { name, read } = placeOf(call);
  return removeOne(call, { change: { kind: 'collections.delete', collection: name }, read });
};

export function addCollectionRoutes(router: Router, services: EdgeServices): void {
  const route = routesOf(services);
  router
    .add('GET', '/collections', route(list))
    .add('SEARCH', '/collections', route(search))
    .add('GET', '/collections/:collection', route(read))
    .add('POST', '/collections', route(forAdministrators(create), CHANGE_PARAMETERS))
    .add('PATCH', '/collections', route(forAdministrators(updateMany), CHANGE_PARAMETERS))
    .add(
      'PATCH',
      '/collections/:collection',
      route(forAdministrators(updateOne), CHANGE_PARAMETERS),
    )
    .add('DELETE', '/collections/:collection', route(forAdministrators(remove), CHANGE_PARAMETERS));
}
