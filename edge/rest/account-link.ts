/** The route of links for users that administrators hand over themselves: `/users/:key/link`. */
import { accountLinkSchema } from './answer/account.ts';
import { pathParameter, secretResponse, visitorOf } from './call.ts';
import { dataAnswer, type RouteEntry } from './route.ts';

export const ACCOUNT_LINK_ROUTES: readonly RouteEntry[] = [
  {
    method: 'POST',
    path: '/users/:key/link',
    summary: 'Creates a link with which an invited or active user sets a password',
    access: 'administrator',
    body: null,
    answer: dataAnswer(accountLinkSchema),
    errors: ['UNPROCESSABLE_ENTITY'],
    handle: async (call) =>
      secretResponse(
        await call.services.accountLinks.create(
          call.caller,
          pathParameter(call, 'key'),
          visitorOf(call),
        ),
      ),
  },
];
