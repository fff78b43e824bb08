/** The routes for the caller's own permissions: `/permissions/me`. */
import { allRightsSchema, itemRightsSchema } from './answer/account.ts';
import { type CallHandler, dataResponse, lastSegment, pathParameter } from './call.ts';
import { dataAnswer, type RouteEntry } from './route.ts';

const all: CallHandler = async ({ caller, services }) =>
  dataResponse(await services.permissions.all(caller));

const ofCollection: CallHandler = async (call) => {
  const { caller, services } = call;
  return dataResponse(
    await services.permissions.item(caller, pathParameter(call, 'collection'), null),
  );
};

const ofItem: CallHandler = async (call) => {
  const { caller, services } = call;
  const collection = pathParameter(call, 'collection');
  return dataResponse(await services.permissions.item(caller, collection, lastSegment(call)));
};

export const PERMISSION_ROUTES: readonly RouteEntry[] = [
  {
    method: 'GET',
    path: '/permissions/me',
    summary: "Reads the caller's rights on all collections",
    access: 'user',
    body: null,
    answer: dataAnswer(allRightsSchema),
    handle: all,
  },
  {
    method: 'GET',
    path: '/permissions/me/:collection',
    summary: "Reads the caller's rights on the items of a collection",
    access: 'user',
    body: null,
    answer: dataAnswer(itemRightsSchema),
    handle: ofCollection,
  },
  {
    method: 'GET',
    path: '/permissions/me/:collection/:key',
    summary: "Reads the caller's rights on one item",
    access: 'user',
    body: null,
    answer: dataAnswer(itemRightsSchema),
    handle: ofItem,
  },
];
