/** The routes of a forgotten password: `/auth/password/request` and `/auth/password/reset`. */
import * as v from 'valibot';
import { members, page, word } from './body.ts';
import { NO_CONTENT, visitorOf } from './call.ts';
import { NOTHING, parsedBody, type RouteEntry } from './route.ts';

/** Whatever text an account may have as its address, so that each is found or not in the same way. */
const requested = members({
  email: v.pipe(
    word,
    v.maxLength(255, 'must have up to 255 characters'),
    v.regex(/^\P{Cc}*$/u, 'must not hold control characters'),
  ),
  reset_url: page,
});

const chosen = members({ token: word, password: word });

export const PASSWORD_RESET_ROUTES: readonly RouteEntry[] = [
  {
    method: 'POST',
    path: '/auth/password/request',
    summary: 'Sends a mail with which a forgotten password is replaced',
    access: 'anyone',
    answer: NOTHING,
    limit: 'reset',
    ...parsedBody(requested, async ({ services }, { email, reset_url }) => {
      await services.passwordResets.request(email, reset_url);
      return NO_CONTENT;
    }),
  },
  {
    method: 'POST',
    path: '/auth/password/reset',
    summary: 'Sets a new password with the token of that mail',
    access: 'anyone',
    answer: NOTHING,
    limit: 'reset',
    ...parsedBody(chosen, async (call, { token, password }) => {
      await call.services.passwordResets.reset(token, password, visitorOf(call));
      return NO_CONTENT;
    }),
  },
];
