/** The routes about the caller: `/users/me`, `/roles/me`, `/policies/me/globals`. */
import * as v from 'valibot';
import { CURRENT_PASSWORD } from '#core/accounts/identity/password-confirmation.ts';
import { systemName } from '#core/model/system-collections/name.ts';
import {
  type AccountRequester,
  combinedPolicySettings,
} from '#core/services/system/own-account.ts';
import { ownRightsSchema } from './answer/account.ts';
import { nonEmptyText, objectSchema } from './body.ts';
import {
  type Call,
  type CallHandler,
  dataResponse,
  NO_CONTENT,
  parseUrlQuery,
  readResponse,
  visitorOf,
} from './call.ts';
import { REST_ENVELOPE } from './envelope.ts';
import { readBackQuery, writeResponse } from './item-handler.ts';
import { ITEM_PARAMETERS } from './parameter/item.ts';
import {
  anyObjectBody,
  dataAnswer,
  JSON_ANSWER,
  jsonBody,
  NO_CONTENT_ANSWER,
  parsedBody,
  type RouteEntry,
  WRITE_ANSWER,
  WRITE_ERRORS,
} from './route.ts';

const USERS = systemName('users');

/** Required to change the e-mail address or the password, unless the login is recent. */
const confirmation = v.object({ [CURRENT_PASSWORD]: v.optional(v.string()) });

function requesterOf(call: Call): AccountRequester {
  const { caller, strict } = call;
  return { caller, visitor: visitorOf(call), strict, envelope: REST_ENVELOPE };
}

const read: CallHandler = async (call) => {
  const { ownAccount } = call.services;
  const { signal } = call.request;
  return readResponse(
    call,
    await ownAccount.read(requesterOf(call), () => parseUrlQuery(call), signal),
  );
};

const update: CallHandler = async (call) => {
  const { ownAccount } = call.services;
  const requester = requesterOf(call);
  await ownAccount.admit(requester);
  const body = await call.request.body.json();
  return writeResponse(await ownAccount.update(requester, body, () => readBackQuery(call)));
};

const trackBody = objectSchema({
  last_page: v.pipe(nonEmptyText, v.maxLength(255, 'is too long')),
});

const readRoles: CallHandler = async (call) =>
  readResponse(call, await call.services.ownAccount.roles(requesterOf(call), parseUrlQuery(call)));

const readAccess: CallHandler = async ({ caller }) => dataResponse(combinedPolicySettings(caller));

export const OWN_ACCOUNT_ROUTES: readonly RouteEntry[] = [
  {
    method: 'GET',
    path: '/users/me',
    summary: 'Reads the own user',
    access: 'account',
    parameters: ITEM_PARAMETERS,
    items: { form: 'read', collection: USERS },
    body: null,
    answer: JSON_ANSWER,
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
    body: { ...jsonBody(anyObjectBody), ofItems: true, beside: confirmation },
    answer: WRITE_ANSWER,
    errors: [...WRITE_ERRORS, 'UNPROCESSABLE_ENTITY'],
    beforeSecondFactor: true,
    handle: update,
  },
  {
    method: 'PATCH',
    path: '/users/me/track/page',
    summary: 'Stores the last page of the caller in the Admin App',
    access: 'account',
    answer: NO_CONTENT_ANSWER,
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
    answer: JSON_ANSWER,
    handle: readRoles,
  },
  {
    method: 'GET',
    path: '/policies/me/globals',
    summary:
      "Reads what the caller's policies say about administration, the Admin App and two-factor authentication",
    access: 'anyone',
    body: null,
    answer: dataAnswer(ownRightsSchema),
    handle: readAccess,
  },
];
