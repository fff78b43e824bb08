/** The routes of a forgotten password: `/auth/password/request` and `/auth/password/reset`. */
import * as v from 'valibot';
import { nonEmptyText, objectSchema, pageUrlSchema, tokenAndPasswordSchema } from './body.ts';
import { NO_CONTENT, visitorOf } from './call.ts';
import { NO_CONTENT_ANSWER, parsedBody, type RouteEntry } from './route.ts';

/**
 * Any text that could be an account's address, so that known and unknown addresses are treated
 * alike.
 */
const requested = objectSchema({
  email: v.pipe(
    nonEmptyText,
    v.maxLength(255, 'must have up to 255 characters'),
    v.regex(/^\P{Cc}*$/u, 'must not contain control characters'),
  ),
  reset_url: pageUrlSchema,
});

export const PASSWORD_RESET_ROUTES: readonly RouteEntry[] = [
  {
    method: 'POST',
    path: '/auth/password/request',
    summary: 'Requests a mail for a password reset',
    access: 'anyone',
    answer: NO_CONTENT_ANSWER,
    limit: 'reset',
    ...parsedBody(requested, async ({ services, request }, { email, reset_url }) => {
      await services.passwordResets.request(email, reset_url, request.id);
      return NO_CONTENT;
    }),
  },
  {
    method: 'POST',
    path: '/auth/password/reset',
    summary: 'Sets a new password with the token of that mail',
    access: 'anyone',
    answer: NO_CONTENT_ANSWER,
    errors: ['INVALID_TOKEN', 'TOKEN_EXPIRED', 'FAILED_VALIDATION'],
    limit: 'reset',
    ...parsedBody(tokenAndPasswordSchema, async (call, { token, password }) => {
      await call.services.passwordResets.reset(token, password, visitorOf(call));
      return NO_CONTENT;
    }),
  },
];
