/** The routes about the caller: `/users/me`, `/roles/me`, `/policies/me/globals`. */
import * as v from 'valibot';
import { CURRENT_PASSWORD } from '#core/identity/password-confirmation.ts';
import { ownAccess, type Requester } from '#core/services/system/own-account.ts';
import { systemName } from '#core/system-collections/name.ts';
import { ownRights } from './answer/account.ts';
import { members, word } from './body.ts';
import {
  type Call,
  type CallHandler,
  data,
  NO_CONTENT,
  queryOf,
  readText,
  visitorOf,
} from './call.ts';
import { REST } from './envelope.ts';
import { readBackOf, written } from './item-handler.ts';
import { ITEM_PARAMETERS } from './parameter/item.ts';
import {
  answerOf,
  anyObject,
  DATA,
  json,
  NOTHING,
  parsedBody,
  type RouteEntry,
  WRITE_ERRORS,
  WRITTEN,
} from './route.ts';

const USERS = systemName('users');

/** Asked for where the e-mail address changes, unless the login is young. */
const confirmation = v.object({ [CURRENT_PASSWORD]: v.optional(v.string()) });

function requesterOf(call: Call): Requester {
  const { caller, strict } = call;
  return { caller, visitor: visitorOf(call), strict, envelope: REST };
}

const read: CallHandler = async (call) => {
  const { ownAccount } = call.services;
  const { signal } = call.request;
  return readText(call, await ownAccount.read(requesterOf(call), () => queryOf(call), signal));
};

const update: CallHandler = async (call) => {
  const { ownAccount } = call.services;
  const requester = requesterOf(call);
  await ownAccount.admit(requester);
  const body = await call.request.body.json();
  return written(await ownAccount.update(requester, body, () => readBackOf(call)));
};

const trackBody = members({ last_page: v.pipe(word, v.maxLength(255, 'is too long')) });

const readRoles: CallHandler = async (call) =>
  readText(call, await call.services.ownAccount.roles(requesterOf(call), queryOf(call)));

const readAccess: CallHandler = async ({ caller }) => data(ownAccess(caller));

export const OWN_ACCOUNT_ROUTES: readonly RouteEntry[] = [
  {
    method: 'GET',
    path: '/users/me',
    summary: 'Reads the own user',
    access: 'account',
    parameters: ITEM_PARAMETERS,
    items: { form: 'read', collection: USERS },
    body: null,
    answer: DATA,
    beforeSecondFactor: true,
    handle: read,
  },
  {
    method: 'PATCH',
    path: '/users/me',
    summary: 'Updates the own user',
    access: 'account',
    parameters: ITEM_PARAMETERS,
    items: { form: 'updateOne', collection: USERS },
    body: { ...json(anyObject), ofItems: true, beside: confirmation },
    answer: WRITTEN,
    errors: [...WRITE_ERRORS, 'UNPROCESSABLE_ENTITY'],
    beforeSecondFactor: true,
    handle: update,
  },
  {
    method: 'PATCH',
    path: '/users/me/track/page',
    summary: 'Stores the last page of the caller in the Admin App',
    access: 'account',
    answer: NOTHING,
    ...parsedBody(trackBody, async (call, { last_page: page }) => {
      await call.services.ownAccount.trackPage(requesterOf(call), page);
      return NO_CONTENT;
    }),
  },
  {
    method: 'GET',
    path: '/roles/me',
    summary: 'Reads the own roles',
    access: 'user',
    parameters: ITEM_PARAMETERS,
    items: { form: 'list', collection: systemName('roles') },
    body: null,
    answer: DATA,
    handle: readRoles,
  },
  {
    method: 'GET',
    path: '/policies/me/globals',
    summary:
      "Reads what the caller's policies say about administration, the Admin App and two-factor authentication",
    access: 'anyone',
    body: null,
    answer: answerOf(ownRights),
    handle: readAccess,
  },
];
