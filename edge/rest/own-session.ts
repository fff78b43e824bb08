/** The routes of the caller's sessions: `/users/me/sessions`. */
import { ownSessionsSchema } from './answer/account.ts';
import { type CallHandler, NO_CONTENT, pathParameter, secretResponse } from './call.ts';
import { dataAnswer, NO_CONTENT_ANSWER, type RouteEntry } from './route.ts';

const list: CallHandler = async ({ caller, services }) =>
  secretResponse(await services.ownSessions.list(caller));

const end: CallHandler = async (call) => {
  await call.services.ownSessions.end(call.caller, pathParameter(call, 'id'));
  return NO_CONTENT;
};

const endOthers: CallHandler = async ({ caller, services }) => {
  await services.ownSessions.endOthers(caller);
  return NO_CONTENT;
};

export const OWN_SESSION_ROUTES: readonly RouteEntry[] = [
  {
    method: 'GET',
    path: '/users/me/sessions',
    summary: 'Lists the own sessions',
    access: 'account',
    body: null,
    answer: dataAnswer(ownSessionsSchema),
    handle: list,
  },
  {
    method: 'DELETE',
    path: '/users/me/sessions',
    summary: 'Ends the other sessions of the own user',
    access: 'account',
    body: null,
    answer: NO_CONTENT_ANSWER,
    handle: endOthers,
  },
  {
    method: 'DELETE',
    path: '/users/me/sessions/:id',
    summary: 'Ends a session of the own user',
    access: 'account',
    body: null,
    answer: NO_CONTENT_ANSWER,
    handle: end,
  },
];
