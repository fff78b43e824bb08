/** Variables: Limits of requests. */
import { choice, define, flag, integer } from '../variable.ts';

export const rateLimitVariables = {
  RATE_LIMIT_STORE: define({
    parse: choice(['memory', 'redis'] as const),
    fallback: undefined,
    alias: 'RATE_LIMITER_STORE',
    meaning:
      'Where requests are counted: redis (shared by all processes) or memory; unset: redis with REDIS_URL, else memory',
  }),
  RATE_LIMIT_ENABLED: define({
    parse: flag,
    fallback: 'false',
    alias: 'RATE_LIMITER_ENABLED',
    meaning: 'Limit the requests of one address',
  }),
  RATE_LIMIT_POINTS: define({
    parse: integer(1, 1_000_000_000),
    fallback: '50',
    alias: 'RATE_LIMITER_POINTS',
    meaning: 'Requests within RATE_LIMIT_DURATION',
  }),
  RATE_LIMIT_DURATION: define({
    parse: integer(1, 86_400),
    fallback: '1',
    alias: 'RATE_LIMITER_DURATION',
    meaning: 'Length of the period in seconds',
  }),
  RATE_LIMIT_GLOBAL_ENABLED: define({
    parse: flag,
    fallback: 'false',
    alias: 'RATE_LIMITER_GLOBAL_ENABLED',
    meaning: 'Limit all requests together; needs RATE_LIMIT_ENABLED and must allow more',
  }),
  RATE_LIMIT_GLOBAL_POINTS: define({
    parse: integer(1, 1_000_000_000),
    fallback: '1000',
    alias: 'RATE_LIMITER_GLOBAL_POINTS',
    meaning: 'Requests within RATE_LIMIT_GLOBAL_DURATION',
  }),
  RATE_LIMIT_GLOBAL_DURATION: define({
    parse: integer(1, 86_400),
    fallback: '1',
    alias: 'RATE_LIMITER_GLOBAL_DURATION',
    meaning: 'Length of the period in seconds',
  }),
  RATE_LIMIT_IDENTITY_ENABLED: define({
    parse: flag,
    fallback: 'false',
    alias: 'RATE_LIMITER_IDENTITY_ENABLED',
    meaning: 'Limit the requests of one user, or of one address without a user',
  }),
  RATE_LIMIT_IDENTITY_POINTS: define({
    parse: integer(1, 1_000_000_000),
    fallback: '100',
    alias: 'RATE_LIMITER_IDENTITY_POINTS',
    meaning: 'Requests within RATE_LIMIT_IDENTITY_DURATION',
  }),
  RATE_LIMIT_IDENTITY_DURATION: define({
    parse: integer(1, 86_400),
    fallback: '1',
    alias: 'RATE_LIMITER_IDENTITY_DURATION',
    meaning: 'Length of the period in seconds',
  }),
  RATE_LIMIT_LOGIN_ENABLED: define({
    parse: flag,
    fallback: 'true',
    alias: 'RATE_LIMITER_LOGIN_ENABLED',
    meaning: 'Limit logins of one address, and separately its password resets and its hashes',
  }),
  RATE_LIMIT_LOGIN_POINTS: define({
    parse: integer(1, 1_000_000_000),
    fallback: '10',
    alias: 'RATE_LIMITER_LOGIN_POINTS',
    meaning: 'Requests within RATE_LIMIT_LOGIN_DURATION',
  }),
  RATE_LIMIT_LOGIN_DURATION: define({
    parse: integer(1, 86_400),
    fallback: '60',
    alias: 'RATE_LIMITER_LOGIN_DURATION',
    meaning: 'Length of the period in seconds',
  }),
  RATE_LIMIT_REGISTRATION_ENABLED: define({
    parse: flag,
    fallback: 'true',
    alias: 'RATE_LIMITER_REGISTRATION_ENABLED',
    meaning: 'Limit registrations of one address',
  }),
  RATE_LIMIT_REGISTRATION_POINTS: define({
    parse: integer(1, 1_000_000_000),
    fallback: '5',
    alias: 'RATE_LIMITER_REGISTRATION_POINTS',
    meaning: 'Requests within RATE_LIMIT_REGISTRATION_DURATION',
  }),
  RATE_LIMIT_REGISTRATION_DURATION: define({
    parse: integer(1, 86_400),
    fallback: '60',
    alias: 'RATE_LIMITER_REGISTRATION_DURATION',
    meaning: 'Length of the period in seconds',
  }),
};
