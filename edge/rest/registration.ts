/** The routes of registration: `/users/register` and `/users/register/verify-email`. */
import * as v from 'valibot';
import { publicUrl } from '#core/base/config/public-url.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { Response } from '#edge/http/response.ts';
import {
  emailAddressSchema,
  nonEmptyText,
  objectSchema,
  pageUrlSchema,
  personalNameSchema,
} from './body.ts';
import { type Call, type CallHandler, NO_CONTENT, visitorOf } from './call.ts';
import { NO_CONTENT_ANSWER, parsedBody, type RouteEntry } from './route.ts';

const applicant = objectSchema({
  email: emailAddressSchema,
  password: nonEmptyText,
  first_name: personalNameSchema,
  last_name: personalNameSchema,
  verification_url: pageUrlSchema,
});

async function register(call: Call, body: v.InferOutput<typeof applicant>): Promise<Response> {
  const { email, password, first_name: firstName, last_name: lastName } = body;
  const { registrations } = call.services;
  await registrations.register(
    { email, password, firstName, lastName, page: body.verification_url },
    visitorOf(call),
    call.request.id,
  );
  return NO_CONTENT;
}

const ABOUT_LINK: ReadonlySet<string> = new Set(['INVALID_TOKEN', 'TOKEN_EXPIRED']);

/**
 * The page of the App to continue with. A browser user with an expired link is redirected to an App
 * page; other clients receive the error.
 */
async function confirmed(call: Call, token: string): Promise<string> {
  try {
    return `users/${await call.services.registrations.verify(token, visitorOf(call))}`;
  } catch (error) {
    const isDead = error instanceof ServiceError && ABOUT_LINK.has(error.code);
    if (isDead && call.request.header('accept')?.includes('text/html')) return 'register?link=dead';
    throw error;
  }
}

/** Redirects only to pages of this installation. */
const verify: CallHandler = async (call) => {
  const admin = `${publicUrl(call.services.config)}/admin`;
  const { token } = call.parameters;
  const given = typeof token === 'string' && token !== '' ? token : null;
  const target = given === null ? 'login' : await confirmed(call, given);
  return { status: 302, headers: { Location: `${admin}/${target}`, 'Cache-Control': 'no-store' } };
};

export const REGISTRATION_ROUTES: readonly RouteEntry[] = [
  {
    method: 'POST',
    path: '/users/register',
    summary: 'Registers a user, where the settings allow that',
    access: 'anyone',
    answer: NO_CONTENT_ANSWER,
    errors: ['FAILED_VALIDATION'],
    limit: 'registration',
    ...parsedBody(applicant, register),
  },
  {
    method: 'GET',
    path: '/users/register/verify-email',
    summary: 'Confirms an address with the token of a mail, and redirects to the Admin App',
    access: 'anyone',
    parameters: {
      token: { summary: 'The token of the mail', schema: v.pipe(v.string(), v.nonEmpty()) },
    },
    body: null,
    answer: { statuses: [302], type: null },
    errors: ['INVALID_TOKEN', 'TOKEN_EXPIRED'],
    handle: verify,
  },
];
