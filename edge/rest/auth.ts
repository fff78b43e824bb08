/** The routes of login: `/auth`, `/auth/login`, `/auth/refresh`, `/auth/logout`. */
import * as v from 'valibot';
import type { Pass } from '#core/accounts/identity/session-renewal.ts';
import { type Admission, MODES, type Mode } from '#core/accounts/identity/sign-in.ts';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import type { Response } from '#edge/http/response.ts';
import { tokensSchema } from './answer/account.ts';
import { identityProvidersSchema } from './answer/server.ts';
import { nonEmptyText, objectSchema } from './body.ts';
import { type Call, type CallHandler, NO_CONTENT, visitorOf } from './call.ts';
import { cookieOf, deleteCookie, setCookie } from './cookie.ts';
import { checkCsrf } from './csrf-check.ts';
import {
  dataAnswer,
  JSON_ANSWER,
  NO_CONTENT_ANSWER,
  parsedBody,
  type RouteEntry,
} from './route.ts';

/** Maximum length of an e-mail address that is looked up. */
const EMAIL_MAX_LENGTH = 255;

const mode = v.picklist(MODES, `must be one of ${MODES.join(', ')}`);
const email = v.pipe(
  nonEmptyText,
  v.maxLength(EMAIL_MAX_LENGTH, `may have up to ${EMAIL_MAX_LENGTH} characters`),
  v.regex(/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u, 'must be an e-mail address'),
);
/** A one-time password. */
export const otpSchema = v.pipe(
  v.union([v.string(), v.number()], 'must be a text'),
  v.transform(String),
);

const loginBody = objectSchema({
  email,
  password: nonEmptyText,
  mode: v.optional(mode, 'json'),
  otp: v.nullish(otpSchema, null),
});
const passBody = v.optional(
  objectSchema({ refresh_token: v.optional(v.string('must be a text')), mode: v.optional(mode) }),
  {},
);

type PassBody = v.InferOutput<typeof passBody>;

/** The response of login and refresh. Tokens that are not in the body are in a cookie. */
function admitted({ request, services }: Call, mode: Mode, admission: Admission): Response {
  const { config } = services;
  const { accessToken, refreshToken, expires } = admission;
  const inBody = mode === 'session' ? {} : { access_token: accessToken };
  if (mode === 'session') setCookie(request, accessToken, 'session', config);
  if (mode === 'cookie') setCookie(request, refreshToken ?? '', 'refresh', config);
  const own = mode === 'json' ? { refresh_token: refreshToken } : {};
  return {
    status: 200,
    headers: { 'Cache-Control': 'no-store' },
    body: JSON.stringify({ data: { expires, ...own, ...inBody } }),
  };
}

async function login(call: Call, body: v.InferOutput<typeof loginBody>): Promise<Response> {
  const { mode, ...credentials } = body;
  // Otherwise a malicious page could log its visitors in to a foreign account.
  if (mode !== 'json') checkCsrf(call.request, call.services.config);
  const admission = await call.services.signIn.login(credentials, mode, visitorOf(call));
  return admitted(call, mode, admission);
}

/**
 * The refresh token of the client: from the place that the mode specifies, else from the body, else
 * from the cookie.
 * @throws ServiceError INVALID_PAYLOAD without one; as {@link checkCsrf}
 */
function passOf(call: Call, body: PassBody): Pass {
  const { request, services } = call;
  const { refresh_token: given, mode: wanted } = body;
  const mode = wanted ?? (given === undefined ? 'cookie' : 'json');
  const { config } = services;
  if (mode === 'json') {
    if (given !== undefined && given !== '') return { mode, refreshToken: given };
  } else {
    const token = cookieOf(request, config, mode === 'session' ? 'session' : 'refresh');
    if (token !== null) {
      checkCsrf(request, config);
      return mode === 'session' ? { mode, accessToken: token } : { mode, refreshToken: token };
    }
  }
  throw invalidPayload(
    mode === 'json' ? reason('refresh_token_missing') : reason('cookie_missing'),
  );
}

/**
 * A refused refresh does not delete the cookie, because another request may have set a newer one.
 */
async function refresh(call: Call, body: PassBody): Promise<Response> {
  const pass = passOf(call, body);
  const admission = await call.services.renewal.refresh(pass, visitorOf(call));
  return admitted(call, pass.mode, admission);
}

async function logout(call: Call, body: PassBody): Promise<Response> {
  const { request, services } = call;
  const pass = passOf(call, body);
  await services.renewal.logout(pass);
  if (pass.mode === 'cookie') deleteCookie(request, 'refresh', services.config);
  if (pass.mode === 'session') deleteCookie(request, 'session', services.config);
  return NO_CONTENT;
}

/** There are no external providers yet. */
const providers: CallHandler = async () => ({
  status: 200,
  body: JSON.stringify({ data: [], disableDefault: false }),
});

export const AUTH_ROUTES: readonly RouteEntry[] = [
  {
    method: 'GET',
    path: '/auth',
    summary: 'Lists the identity providers',
    access: 'anyone',
    body: null,
    answer: { ...JSON_ANSWER, schema: identityProvidersSchema },
    handle: providers,
  },
  {
    method: 'POST',
    path: '/auth/login',
    summary: 'Logs in with e-mail address and password',
    access: 'anyone',
    answer: dataAnswer(tokensSchema),
    errors: ['INVALID_OTP', 'USER_SUSPENDED'],
    limit: 'login',
    ignoresSession: true,
    ...parsedBody(loginBody, login),
  },
  {
    method: 'POST',
    path: '/auth/refresh',
    summary: 'Renews a session',
    access: 'anyone',
    answer: dataAnswer(tokensSchema),
    errors: ['USER_SUSPENDED'],
    ignoresSession: true,
    ...parsedBody(passBody, refresh),
  },
  {
    method: 'POST',
    path: '/auth/logout',
    summary: 'Ends a session',
    access: 'anyone',
    answer: NO_CONTENT_ANSWER,
    ignoresSession: true,
    ...parsedBody(passBody, logout),
  },
];
