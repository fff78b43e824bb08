/** The routes for the caller's own rights: `/permissions/me`. */
import { allRights, itemRights } from './answer/account.ts';
import { type CallHandler, data, lastSegment, param } from './call.ts';
import { answerOf, type RouteEntry } from './route.ts';

const all: CallHandler = async ({ caller, services }) =>
  data(await services.permissions.all(caller));

const ofCollection: CallHandler = async (call) => {
  const { caller, services } = call;
  return data(await services.permissions.item(caller, param(call, 'collection'), null));
};

const ofItem: CallHandler = async (call) => {
  const { caller, services } = call;
  const collection = param(call, 'collection');
  return data(await services.permissions.item(caller, collection, lastSegment(call)));
};

export const PERMISSION_ROUTES: readonly RouteEntry[] = [
  {
    method: 'GET',
    path: '/permissions/me',
    summary: "Reads the caller's rights on all collections",
    access: 'user',
    body: null,
    answer: answerOf(allRights),
    handle: all,
  },
  {
    method: 'GET',
    path: '/permissions/me/:collection',
    summary: "Reads the caller's rights on the items of a collection",
    access: 'user',
    body: null,
    answer: answerOf(itemRights),
    handle: ofCollection,
  },
  {
    method: 'GET',
    path: '/permissions/me/:collection/:key',
    summary: "Reads the caller's rights on one item",
    access: 'user',
    body: null,
    answer: answerOf(itemRights),
    handle: ofItem,
  },
];
