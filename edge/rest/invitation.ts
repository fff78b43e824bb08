/** The routes of invitations: `/users/invite` and `/users/invite/accept`. */
import * as v from 'valibot';
import { emailAddressSchema, objectSchema, pageUrlSchema, tokenAndPasswordSchema } from './body.ts';
import { NO_CONTENT, visitorOf } from './call.ts';
import { NO_CONTENT_ANSWER, parsedBody, type RouteEntry, WRITE_ERRORS } from './route.ts';

const invitation = objectSchema({
  email: v.union(
    [emailAddressSchema, v.pipe(v.array(emailAddressSchema), v.nonEmpty())],
    'must be an e-mail address or a list of some',
  ),
  role: v.pipe(v.string('must be a text'), v.uuid('must be the key of a role')),
  invite_url: pageUrlSchema,
});

export const INVITATION_ROUTES: readonly RouteEntry[] = [
  {
    method: 'POST',
    path: '/users/invite',
    summary: 'Invites people by mail to become users',
    access: 'rights',
    needs: [{ action: 'create', collection: 'system_users' }],
    answer: NO_CONTENT_ANSWER,
    errors: [...WRITE_ERRORS, 'UNPROCESSABLE_ENTITY'],
    ...parsedBody(
      invitation,
      async ({ caller, services, request }, { email, role, invite_url }) => {
        const emails = Array.isArray(email) ? email : [email];
        await services.invitations.invite(caller, {
          ...{ emails, role, page: invite_url },
          requestId: request.id,
        });
        return NO_CONTENT;
      },
    ),
  },
  {
    method: 'POST',
    path: '/users/invite/accept',
    summary: 'Accepts an invitation with its token and a password',
    access: 'anyone',
    answer: NO_CONTENT_ANSWER,
    errors: ['INVALID_INVITE', 'INVALID_TOKEN', 'TOKEN_EXPIRED', 'FAILED_VALIDATION'],
    limit: 'reset',
    ...parsedBody(tokenAndPasswordSchema, async (call, { token, password }) => {
      await call.services.invitations.accept(token, password, visitorOf(call));
      return NO_CONTENT;
    }),
  },
];
