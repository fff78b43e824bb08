/** The routes of invitations: `/users/invite` and `/users/invite/accept`. */
import * as v from 'valibot';
import type { Router } from '#edge/http/router.ts';
import { strict } from '#edge/limit/strict.ts';
import type { EdgeServices } from '#edge/services.ts';
import { address, bodyOf, members, page, word } from './body.ts';
import { type CallHandler, NO_CONTENT, routesOf, visitorOf } from './call.ts';

const invitation = members({
  email: v.union(
    [address, v.pipe(v.array(address), v.nonEmpty())],
    'must be an e-mail address or a list of some',
  ),
  role: v.pipe(v.string('must be a text'), v.uuid('must be the key of a role')),
  invite_url: page,
});

const acceptance = members({ token: word, password: word });

const invite: CallHandler = async (call) => {
  const { email, role, invite_url } = await bodyOf(call, invitation);
  const emails = Array.isArray(email) ? email : [email];
  await call.services.invitations.invite(call.caller, { emails, role, page: invite_url });
  return NO_CONTENT;
};

const accept: CallHandler = async (call) => {
  const { token, password } = await bodyOf(call, acceptance);
  await call.services.invitations.accept(token, password, visitorOf(call));
  return NO_CONTENT;
};

export function addInvitationRoutes(router: Router, services: EdgeServices): void {
  const route = routesOf(services);
  router
    .add('POST', '/users/invite', route(invite))
    .add('POST', '/users/invite/accept', route(strict('reset', accept)));
}
