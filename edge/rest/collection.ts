/** The routes of collections: `/collections` and `/collections/:collection`. */
import * as v from 'valibot';
import { systemName } from '#core/model/system-collections/name.ts';
import {
  collectionBody,
  collectionPatch,
  collectionPatches,
  collectionRename,
  createCollections,
  renameCollection,
  updateCollection,
  updateCollections,
} from '#core/schema/change-input.ts';
import { collectionSchema } from './answer/schema-part.ts';
import {
  type Call,
  type CallHandler,
  jsonTextResponse,
  parseParameters,
  pathParameter,
} from './call.ts';
import { searchBody } from './item-route.ts';
import { parseSearch, searchBodyLimit } from './query-parameters.ts';
import {
  dataAnswer,
  jsonBody,
  NO_CONTENT_ANSWER,
  type RouteEntry,
  writtenDataAnswer,
} from './route.ts';
import {
  CHANGE_PARAMETERS,
  changeAndShow,
  changeSchema,
  deleteSchemaPart,
  renameAndShow,
  SCHEMA_CHANGE_ROUTE,
} from './schema-change.ts';

const list: CallHandler = async ({ caller, services }) =>
  jsonTextResponse(await services.schemaView.collections(caller));

const search: CallHandler = async (call) => {
  const { caller, request, services } = call;
  const { keys, parameters } = parseSearch(
    await request.body.json(searchBodyLimit(services.config)),
  );
  // They have no effect here, but strict handling refuses unknown names.
  if (call.strict) parseParameters(call, parameters);
  return jsonTextResponse(
    keys === null
      ? await services.schemaView.collections(caller)
      : await services.schemaView.someCollections(caller, keys),
  );
};

/** The collection in the path, with a function that reads its description. */
function namedCollection(call: Call) {
  const name = pathParameter(call, 'collection');
  return { name, read: () => call.services.schemaView.collection(call.caller, name) };
}

const read: CallHandler = async (call) => jsonTextResponse(await namedCollection(call).read());

const create: CallHandler = async (call) => {
  const { caller, services } = call;
  const body = await call.request.body.json();
  const change = createCollections(body, call.strict);
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
  const change = updateCollections(await call.request.body.json(), call.strict);
  const names = change.updates.map(({ collection }) => collection);
  return changeSchema(call, change, () => services.schemaView.someCollections(caller, names));
};

const updateOne: CallHandler = async (call) => {
  const { name, read } = namedCollection(call);
  const change = updateCollection(name, await call.request.body.json(), call.strict);
  return changeAndShow(call, { change, read });
};

const rename: CallHandler = async (call) => {
  const { caller, services } = call;
  const { name, read } = namedCollection(call);
  const change = renameCollection(name, await call.request.body.json(), call.strict);
  const shown = () => services.schemaView.collection(caller, change.to);
  return renameAndShow(call, { change, read, shown });
};

const remove: CallHandler = (call) => {
  const { name, read } = namedCollection(call);
  return deleteSchemaPart(call, { change: { kind: 'collections.delete', collection: name }, read });
};

const reading = {
  access: 'rights',
  needs: [{ action: 'read', collection: systemName('collections') }],
} as const;
const changing = { ...SCHEMA_CHANGE_ROUTE, parameters: CHANGE_PARAMETERS };
const several = v.array(collectionSchema);

export const COLLECTION_ROUTES: readonly RouteEntry[] = [
  {
    ...reading,
    method: 'GET',
    path: '/collections',
    summary: 'Lists collections',
    answer: dataAnswer(several),
    body: null,
    handle: list,
  },
  {
    ...reading,
    method: 'SEARCH',
    path: '/collections',
    summary: 'Lists collections, all or by name',
    answer: dataAnswer(several),
    body: searchBody,
    handle: search,
  },
  {
    ...reading,
    method: 'GET',
    path: '/collections/:collection',
    summary: 'Reads a collection',
    answer: dataAnswer(collectionSchema),
    body: null,
    handle: read,
  },
  {
    ...changing,
    method: 'POST',
    path: '/collections',
    summary: 'Creates collections with their fields',
    body: jsonBody(v.union([collectionBody, v.array(collectionBody)])),
    answer: { ...writtenDataAnswer(v.union([collectionSchema, several])), job: true },
    handle: create,
  },
  {
    ...changing,
    method: 'PATCH',
    path: '/collections',
    summary: 'Changes the metadata of collections',
    body: jsonBody(collectionPatches),
    answer: { ...writtenDataAnswer(several), job: true },
    handle: updateMany,
  },
  {
    ...changing,
    method: 'PATCH',
    path: '/collections/:collection',
    summary: 'Changes the metadata of a collection',
    body: jsonBody(collectionPatch),
    answer: { ...writtenDataAnswer(collectionSchema), job: true },
    handle: updateOne,
  },
  {
    ...SCHEMA_CHANGE_ROUTE,
    method: 'POST',
    path: '/collections/:collection/rename',
    summary: 'Renames a collection',
    body: jsonBody(collectionRename),
    answer: { ...writtenDataAnswer(collectionSchema), job: true },
    handle: rename,
  },
  {
    ...changing,
    method: 'DELETE',
    path: '/collections/:collection',
    summary: 'Deletes a collection with its items',
    body: null,
    answer: { ...NO_CONTENT_ANSWER, job: true },
    handle: remove,
  },
];
