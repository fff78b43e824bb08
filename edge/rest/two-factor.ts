/**
 * The routes of two-factor authentication: for the caller, and for administrators on other users.
 */
import { secondFactorSchema } from './answer/account.ts';
import { otpSchema } from './auth.ts';
import { nonEmptyText, objectSchema } from './body.ts';
import { type CallHandler, NO_CONTENT, pathParameter, secretResponse, visitorOf } from './call.ts';
import { dataAnswer, NO_CONTENT_ANSWER, parsedBody, type RouteEntry } from './route.ts';

const generateBody = objectSchema({ password: nonEmptyText });
const enableBody = objectSchema({ secret: nonEmptyText, otp: otpSchema });
const disableBody = objectSchema({ otp: otpSchema });

const disableFor: CallHandler = async (call) => {
  await call.services.twoFactor.disableFor(
    call.caller,
    pathParameter(call, 'key'),
    visitorOf(call),
  );
  return NO_CONTENT;
};

export const TWO_FACTOR_ROUTES: readonly RouteEntry[] = [
  {
    method: 'POST',
    path: '/users/me/tfa/generate',
    summary: "Generates a secret; needs the caller's password",
    access: 'account',
    answer: dataAnswer(secondFactorSchema),
    limit: 'login',
    beforeSecondFactor: true,
    ...parsedBody(generateBody, async ({ caller, services }, { password }) =>
      secretResponse(await services.twoFactor.generate(caller, password)),
    ),
  },
  {
    method: 'POST',
    path: '/users/me/tfa/enable',
    summary: 'Enables two-factor authentication',
    access: 'account',
    answer: NO_CONTENT_ANSWER,
    errors: ['INVALID_OTP'],
    beforeSecondFactor: true,
    ...parsedBody(enableBody, async (call, body) => {
      const { twoFactor } = call.services;
      await twoFactor.enable(call.caller, body.secret, body.otp, visitorOf(call));
      return NO_CONTENT;
    }),
  },
  {
    method: 'POST',
    path: '/users/me/tfa/disable',
    summary: 'Disables two-factor authentication; needs a one-time password',
    access: 'account',
    answer: NO_CONTENT_ANSWER,
    errors: ['INVALID_OTP'],
    limit: 'login',
    ...parsedBody(disableBody, async (call, body) => {
      await call.services.twoFactor.disable(call.caller, body.otp, visitorOf(call));
      return NO_CONTENT;
    }),
  },
  {
    method: 'POST',
    path: '/users/:key/tfa/disable',
    summary: 'Disables two-factor authentication of a user',
    access: 'administrator',
    body: null,
    answer: NO_CONTENT_ANSWER,
    handle: disableFor,
  },
];
