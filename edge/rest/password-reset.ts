/** The routes of a forgotten password: `/auth/password/request` and `/auth/password/reset`. */
import * as v from 'valibot';
import type { Router } from '#edge/http/router.ts';
import { strict } from '#edge/limit/strict.ts';
import type { EdgeServices } from '#edge/services.ts';
import { bodyOf, members, page, word } from './body.ts';
import { type CallHandler, NO_CONTENT, routesOf, visitorOf } from './call.ts';

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

const request: CallHandler = async (call) => {
  const { email, reset_url } = await bodyOf(call, requested);
  await call.services.passwordResets.request(email, reset_url);
  return NO_CONTENT;
};

const reset: CallHandler = async (call) => {
  const { token, password } = await bodyOf(call, chosen);
  await call.services.passwordResets.reset(token, password, visitorOf(call));
  return NO_CONTENT;
};

export function addPasswordResetRoutes(router: Router, services: EdgeServices): void {
  const route = routesOf(services);
  router
    .add('POST', '/auth/password/request', route(strict('reset', request)))
    .add('POST', '/auth/password/reset', route(strict('reset', reset)));
}
