/** The routes of registration: `/users/register` and `/users/register/verify-email`. */
import { publicUrl } from '#core/config/public-url.ts';
import type { Router } from '#edge/http/router.ts';
import { strict } from '#edge/limit/strict.ts';
import type { EdgeServices } from '#edge/services.ts';
import { address, bodyOf, members, page, personalName, word } from './body.ts';
import { type CallHandler, NO_CONTENT, routesOf, visitorOf } from './call.ts';

const applicant = members({
  email: address,
  password: word,
  first_name: personalName,
  last_name: personalName,
  verification_url: page,
});

const register: CallHandler = async (call) => {
  const body = await bodyOf(call, applicant);
  const { email, password, first_name: firstName, last_name: lastName } = body;
  const { registrations } = call.services;
  await registrations.register(
    { email, password, firstName, lastName, page: body.verification_url },
    visitorOf(call),
  );
  return NO_CONTENT;
};

/** Leads to pages of our own only. */
const verify: CallHandler = async (call) => {
  const { config, registrations } = call.services;
  const admin = `${publicUrl(config)}/admin`;
  const { token } = call.parameters;
  const given = typeof token === 'string' && token !== '' ? token : null;
  const target =
    given === null ? 'login' : `users/${await registrations.verify(given, visitorOf(call))}`;
  return { status: 302, headers: { Location: `${admin}/${target}`, 'Cache-Control': 'no-store' } };
};

export function addRegistrationRoutes(router: Router, services: EdgeServices): void {
  const route = routesOf(services);
  router
    .add('POST', '/users/register', route(strict('registration', register)))
    .add('GET', '/users/register/verify-email', route(verify, ['token']));
}
