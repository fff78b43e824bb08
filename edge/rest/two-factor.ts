/** The routes of the second factor, of the caller's own and, for admins, of others. */
import type { Router } from '#edge/http/router.ts';
import { strict } from '#edge/limit/strict.ts';
import type { EdgeServices } from '#edge/services.ts';
import { otp } from './auth.ts';
import { bodyOf, members, word } from './body.ts';
import { type CallHandler, NO_CONTENT, param, routesOf, setUpRoutesOf, visitorOf } from './call.ts';

const generateBody = members({ password: word });
const enableBody = members({ secret: word, otp });
const disableBody = members({ otp });

const generate: CallHandler = async (call) => {
  const { password } = await bodyOf(call, generateBody);
  const generated = await call.services.twoFactor.generate(call.caller, password);
  return {
    status: 200,
    headers: { 'Cache-Control': 'no-store' },
    body: JSON.stringify({ data: generated }),
  };
};

const enable: CallHandler = async (call) => {
  const { secret, otp } = await bodyOf(call, enableBody);
  await call.services.twoFactor.enable(call.caller, secret, otp, visitorOf(call));
  return NO_CONTENT;
};

const disable: CallHandler = async (call) => {
  const { otp } = await bodyOf(call, disableBody);
  await call.services.twoFactor.disable(call.caller, otp, visitorOf(call));
  return NO_CONTENT;
};

const disableFor: CallHandler = async (call) => {
  await call.services.twoFactor.disableFor(call.caller, param(call, 'pk'), visitorOf(call));
  return NO_CONTENT;
};

export function addTwoFactorRoutes(router: Router, services: EdgeServices): void {
  const route = routesOf(services);
  const setUp = setUpRoutesOf(services);
  router
    .add('POST', '/users/me/tfa/generate', setUp(strict('login', generate)))
    .add('POST', '/users/me/tfa/enable', setUp(enable))
    .add('POST', '/users/me/tfa/disable', route(strict('login', disable)))
    .add('POST', '/users/:pk/tfa/disable', route(disableFor));
}
