/** The routes of collections: `/collections` and `/collections/:collection`. */
import * as v from 'valibot';
import {
  collectionBody,
  collectionPatch,
  collectionPatches,
  createCollections,
  updateCollection,
  updateCollections,
} from '#core/schema/change-input.ts';
import { systemName } from '#core/system-collections/name.ts';
import { shownCollection } from './answer/schema-part.ts';
import { type Call, type CallHandler, jsonText, param, parsed } from './call.ts';
import { searchBody } from './item-route.ts';
import { searchLimit, searchOf } from './query-parameters.ts';
import { answerOf, json, NOTHING, type RouteEntry, writtenOf } from './route.ts';
import {
  CHANGE_PARAMETERS,
  CHANGING,
  changeOne,
  changeSchema,
  removeOne,
} from './schema-change.ts';

const list: CallHandler = async ({ caller, services }) =>
  jsonText(await services.schemaView.collections(caller));

const search: CallHandler = async (call) => {
  const { caller, request, services } = call;
  const { keys, parameters } = searchOf(await request.body.json(searchLimit(services.config)));
  // They have no meaning here, but with strict handling unknown names are refused.
  if (call.strict) parsed(call, parameters);
  return jsonText(
    keys === null
      ? await services.schemaView.collections(caller)
      : await services.schemaView.someCollections(caller, keys),
  );
};

/** The collection in the path, and how it is shown. */
function namedCollection(call: Call) {
  const name = param(call, 'collection');
  return { name, read: () => call.services.schemaView.collection(call.caller, name) };
}

const read: CallHandler = async (call) => jsonText(await namedCollection(call).read());

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
  const { name, read } = namedCollection(call);
  const change = updateCollection(name, await call.request.body.json());
  return changeOne(call, { change, read });
};

const remove: CallHandler = (call) => {
  const { name, read } = namedCollection(call);
  return removeOne(call, { change: { kind: 'collections.delete', collection: name }, read });
};

const reading = {
  access: 'rights',
  needs: [{ action: 'read', collection: systemName('collections') }],
} as const;
const changing = { ...CHANGING, parameters: CHANGE_PARAMETERS };
const several = v.array(shownCollection);

export const COLLECTION_ROUTES: readonly RouteEntry[] = [
  {
    ...reading,
    method: 'GET',
    path: '/collections',
    summary: 'Lists collections',
    answer: answerOf(several),
    body: null,
    handle: list,
  },
  {
    ...reading,
    method: 'SEARCH',
    path: '/collections',
    summary: 'Lists collections, all or by name',
    answer: answerOf(several),
    body: searchBody,
    handle: search,
  },
  {
    ...reading,
    method: 'GET',
    path: '/collections/:collection',
    summary: 'Reads a collection',
    answer: answerOf(shownCollection),
    body: null,
    handle: read,
  },
  {
    ...changing,
    method: 'POST',
    path: '/collections',
    summary: 'Creates collections with their fields',
    body: json(v.union([collectionBody, v.array(collectionBody)])),
    answer: { ...writtenOf(v.union([shownCollection, several])), job: true },
    handle: create,
  },
  {
    ...changing,
    method: 'PATCH',
    path: '/collections',
    summary: 'Changes the metadata of collections',
    body: json(collectionPatches),
    answer: { ...writtenOf(several), job: true },
    handle: updateMany,
  },
  {
    ...changing,
    method: 'PATCH',
    path: '/collections/:collection',
    summary: 'Changes the metadata of a collection',
    body: json(collectionPatch),
    answer: { ...writtenOf(shownCollection), job: true },
    handle: updateOne,
  },
  {
    ...changing,
    method: 'DELETE',
    path: '/collections/:collection',
    summary: 'Deletes a collection with its items',
    body: null,
    answer: { ...NOTHING, job: true },
    handle: remove,
  },
];
