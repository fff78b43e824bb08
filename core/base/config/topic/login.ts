/** Variables: Logins and tokens. */
import * as v from 'valibot';
import {
  choice,
  cookieName,
  define,
  duration,
  flag,
  integer,
  secretKey,
  size,
  text,
} from '../variable.ts';

const SAME_SITE = ['lax', 'strict', 'none'] as const;

export const loginVariables = {
  ADMIN_EMAIL: define({
    parse: v.pipe(v.string(), v.email('must be an e-mail address')),
    fallback: undefined,
    meaning: 'E-mail of the first admin, first start only; unset: admin@example.com',
  }),
  ADMIN_PASSWORD: define({
    parse: v.pipe(v.string(), v.minLength(8, 'must have at least 8 characters')),
    fallback: undefined,
    secret: true,
    meaning: 'Password of the first admin, first start only; unset: generated and shown once',
  }),
  ADMIN_TOKEN: define({
    parse: v.pipe(v.string(), v.minLength(16, 'must have at least 16 characters')),
    fallback: undefined,
    secret: true,
    meaning: 'Static token of the first admin, first start only; unset: generated and shown once',
  }),
  ARGON2_MEMORY: define({
    parse: size,
    fallback: '19mb',
    meaning: 'Memory for hashing one password',
  }),
  ARGON2_TIME: define({
    parse: integer(1, 100),
    fallback: '2',
    meaning: 'Passes over that memory for one password',
  }),
  ARGON2_PARALLELISM: define({
    parse: integer(1, 64),
    fallback: '1',
    meaning: 'Lanes for hashing one password',
  }),
  SECRET: define({
    parse: secretKey,
    fallback: undefined,
    secret: true,
    meaning:
      'Key that signs tokens and encrypts secrets, at least 32 characters, the same on all hosts; unset: DATA_DIR/secret',
  }),
  SECRET_PREVIOUS: define({
    parse: secretKey,
    fallback: undefined,
    secret: true,
    meaning:
      'The key before SECRET: its tokens are accepted and its secrets read; it makes no new ones',
  }),
  ACCESS_TOKEN_TTL: define({
    parse: duration,
    fallback: '15m',
    meaning: 'Life of an access token',
  }),
  REFRESH_TOKEN_TTL: define({
    parse: duration,
    fallback: '7d',
    meaning: 'Life of a refresh token; each refresh starts it again',
  }),
  SESSION_COOKIE_TTL: define({
    parse: duration,
    fallback: '1d',
    meaning: 'Life of a session cookie; each refresh starts it again',
  }),
  SESSION_REFRESH_GRACE_PERIOD: define({
    parse: duration,
    fallback: '10s',
    meaning: 'Time for which a session cookie is still accepted after it was refreshed',
  }),
  LOGIN_STALL_TIME: define({
    parse: duration,
    fallback: '500ms',
    meaning: 'Minimum time of a refused login, so that the time reveals nothing',
  }),
  REFRESH_TOKEN_COOKIE_NAME: define({
    parse: cookieName,
    fallback: 'sluice_refresh_token',
    meaning: 'Name of the cookie with the refresh token in mode cookie',
  }),
  REFRESH_TOKEN_COOKIE_SECURE: define({
    parse: flag,
    fallback: 'false',
    meaning: 'Send that cookie over HTTPS only',
  }),
  REFRESH_TOKEN_COOKIE_SAME_SITE: define({
    parse: choice(SAME_SITE),
    fallback: 'lax',
    meaning: 'Whether other sites may make a browser send that cookie',
  }),
  REFRESH_TOKEN_COOKIE_DOMAIN: define({
    parse: text,
    fallback: undefined,
    meaning: 'Domain of that cookie; unset: only the host of the API',
  }),
  SESSION_COOKIE_NAME: define({
    parse: cookieName,
    fallback: 'sluice_session_token',
    meaning: 'Name of the cookie with the access token in mode session',
  }),
  SESSION_COOKIE_SECURE: define({
    parse: flag,
    fallback: 'false',
    meaning: 'Send that cookie over HTTPS only',
  }),
  SESSION_COOKIE_SAME_SITE: define({
    parse: choice(SAME_SITE),
    fallback: 'lax',
    meaning: 'Whether other sites may make a browser send that cookie',
  }),
  SESSION_COOKIE_DOMAIN: define({
    parse: text,
    fallback: undefined,
    meaning: 'Domain of that cookie; unset: only the host of the API',
  }),
};
