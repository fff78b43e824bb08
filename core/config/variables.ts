/** All environment variables of Sluice, for start-up and for `npm run config`. */
import * as v from 'valibot';
import { origins } from './origin.ts';
import { DEFAULT_LIMITS } from './query-limits.ts';
import {
  choice,
  cookieName,
  duration,
  flag,
  headerName,
  httpTokens,
  integer,
  list,
  mailbox,
  proxies,
  secretKey,
  size,
  text,
  url,
  urlList,
  type Variable,
} from './variable.ts';

const SAME_SITE = ['lax', 'strict', 'none'] as const;

/** Keeps the type of each entry: its value, and whether it has a default. */
function define<T, const F extends string | undefined>(entry: Variable<T, F>): Variable<T, F> {
  return entry;
}

export const variables = {
  PORT: define({ parse: integer(1, 65_535), fallback: '8055', meaning: 'TCP port of the API' }),
  HOST: define({ parse: text, fallback: '127.0.0.1', meaning: 'Address the API listens on' }),
  PUBLIC_URL: define({
    parse: url('http', 'https'),
    fallback: undefined,
    meaning: 'URL under which clients reach the API; unset: http://HOST:PORT',
  }),
  SLUICE_URL: define({
    parse: url('http', 'https'),
    fallback: undefined,
    meaning:
      'Installation that npm run sluice and npm run demo work on; unset: what runs on DATA_DIR',
  }),
  COMPRESSION: define({
    parse: flag,
    fallback: 'on',
    meaning: 'Compress long answers for clients that accept br or gzip',
  }),
  HSTS_ENABLED: define({
    parse: flag,
    fallback: 'false',
    meaning: 'Tell browsers to reach the API by HTTPS only, for a year',
  }),
  CORS_ENABLED: define({
    parse: flag,
    fallback: 'false',
    meaning: 'Let web pages of other origins use the API',
  }),
  CORS_ORIGIN: define({
    parse: origins,
    fallback: 'false',
    meaning:
      'Which ones: false, true for any, *, a list of origins, or a /regex/; * excludes credentials',
  }),
  CORS_METHODS: define({
    parse: httpTokens,
    fallback: 'GET,POST,PATCH,DELETE,SEARCH',
    meaning: 'Methods that they may use',
  }),
  CORS_ALLOWED_HEADERS: define({
    parse: httpTokens,
    fallback:
      'Content-Type,Authorization,If-Match,If-None-Match,Prefer,Idempotency-Key,X-Request-Id',
    meaning: 'Request headers that they may set',
  }),
  CORS_EXPOSED_HEADERS: define({
    parse: httpTokens,
    fallback:
      'Content-Range,Content-Disposition,ETag,Location,Preference-Applied,RateLimit,RateLimit-Policy,Retry-After,X-Request-Id',
    meaning: 'Response headers that they may read',
  }),
  CORS_CREDENTIALS: define({
    parse: flag,
    fallback: 'true',
    meaning: 'Let them send cookies',
  }),
  CORS_MAX_AGE: define({
    parse: integer(0, 86_400),
    fallback: '18000',
    meaning: 'Seconds for which a browser need not ask again whether it may',
  }),
  RATE_LIMIT_STORE: define({
    parse: choice(['memory', 'redis'] as const),
    fallback: undefined,
    alias: 'RATE_LIMITER_STORE',
    meaning:
      'Where requests are counted; unset: redis with REDIS_URL, which all processes share, else memory',
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
    meaning: 'Seconds after which they are counted anew',
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
    meaning: 'Seconds after which they are counted anew',
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
    meaning: 'Seconds after which they are counted anew',
  }),
  RATE_LIMIT_LOGIN_ENABLED: define({
    parse: flag,
    fallback: 'true',
    alias: 'RATE_LIMITER_LOGIN_ENABLED',
    meaning: 'Limit logins of one address, and as many password resets and hashings',
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
    meaning: 'Seconds after which they are counted anew',
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
    meaning: 'Seconds after which they are counted anew',
  }),
  DATA_DIR: define({
    parse: text,
    fallback: '.data',
    meaning: 'Folder of the embedded database, spooled uploads and generated credentials',
  }),
  DATABASE_URL: define({
    parse: url('postgres', 'postgresql'),
    fallback: undefined,
    secret: true,
    meaning: 'PostgreSQL 14 to 18 to serve; unset: an embedded PostgreSQL under DATA_DIR',
  }),
  DATABASE_DIRECT_URL: define({
    parse: url('postgres', 'postgresql'),
    fallback: undefined,
    secret: true,
    meaning:
      'The same database without a transaction pooler, for LISTEN and migrations; unset: DATABASE_URL',
  }),
  DATABASE_SCHEMA: define({
    parse: list,
    fallback: 'public',
    meaning: 'Schemas to serve, a comma list; the first one holds the system tables',
  }),
  DATABASE_POOL_MAX: define({
    parse: integer(1, 1_000),
    fallback: '10',
    meaning:
      'Most connections of one process to the database, those of the queue not counted; a worker has two at the least',
  }),
  DATABASE_POOL_WAIT: define({
    parse: duration,
    fallback: '5s',
    meaning: 'Longest wait for a connection; past it the answer is 503',
  }),
  SCHEMA_EVENT_TRIGGER: define({
    parse: flag,
    fallback: 'true',
    meaning:
      'Have PostgreSQL tell at once when others alter tables; needs a superuser and no REDIS_URL',
  }),
  SCHEMA_LOCK_TIMEOUT: define({
    parse: duration,
    fallback: '3s',
    meaning:
      'Longest that a change of the schema queues for a table at once; it gives up after ten times that',
  }),
  REDIS_URL: define({
    parse: url('redis', 'rediss'),
    fallback: undefined,
    secret: true,
    meaning: 'Redis 6.2 or later for queue and messages; unset: both run on PostgreSQL',
  }),
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
    meaning: 'Memory that hashing one password takes',
  }),
  ARGON2_TIME: define({
    parse: integer(1, 100),
    fallback: '2',
    meaning: 'Passes over that memory for one password',
  }),
  ARGON2_PARALLELISM: define({
    parse: integer(1, 64),
    fallback: '1',
    meaning: 'Lanes that hashing one password uses',
  }),
  SECRET: define({
    parse: secretKey,
    fallback: undefined,
    secret: true,
    meaning:
      'Key that signs tokens, at least 32 characters, the same on all hosts; unset: DATA_DIR/secret',
  }),
  SECRET_PREVIOUS: define({
    parse: secretKey,
    fallback: undefined,
    secret: true,
    meaning: 'The key before SECRET, whose tokens still count; it signs nothing new',
  }),
  ACCESS_TOKEN_TTL: define({
    parse: duration,
    fallback: '15m',
    meaning: 'Life of an access token',
  }),
  REFRESH_TOKEN_TTL: define({
    parse: duration,
    fallback: '7d',
    meaning: 'Life of a refresh token, begun anew by each refresh',
  }),
  SESSION_COOKIE_TTL: define({
    parse: duration,
    fallback: '1d',
    meaning: 'Life of a session cookie, begun anew by each refresh',
  }),
  SESSION_REFRESH_GRACE_PERIOD: define({
    parse: duration,
    fallback: '10s',
    meaning: 'Time for which a session cookie still counts after it was refreshed',
  }),
  LOGIN_STALL_TIME: define({
    parse: duration,
    fallback: '500ms',
    meaning: 'Least time that a refused login takes, so that time tells nothing',
  }),
  REFRESH_TOKEN_COOKIE_NAME: define({
    parse: cookieName,
    fallback: 'sluice_refresh_token',
    meaning: 'Name of the cookie that holds the refresh token in mode cookie',
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
    meaning: 'Domain of that cookie; unset: the host of the API alone',
  }),
  SESSION_COOKIE_NAME: define({
    parse: cookieName,
    fallback: 'sluice_session_token',
    meaning: 'Name of the cookie that holds the access token in mode session',
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
    meaning: 'Domain of that cookie; unset: the host of the API alone',
  }),
  IP_TRUST_PROXY: define({
    parse: proxies,
    fallback: 'off',
    meaning:
      'Whose X-Forwarded-For names the client: off, on (anybody), or a list of addresses and ranges',
  }),
  EDGE_PROCESSES: define({
    parse: integer(0, 64),
    fallback: '1',
    meaning: 'Processes that answer requests, sharing one port',
  }),
  WORKER_PROCESSES: define({
    parse: integer(0, 64),
    fallback: '1',
    meaning: 'Processes that do jobs',
  }),
  WORKER_CONCURRENCY: define({
    parse: integer(1, 100),
    fallback: '2',
    meaning: 'Jobs that one worker does at the same time from each queue',
  }),
  LOG_LEVEL: define({
    parse: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const),
    fallback: 'info',
    meaning: 'Least severe log line that is written',
  }),
  QUERY_LIMIT_DEFAULT: define({
    parse: integer(1, 1_000_000),
    fallback: '100',
    meaning: 'Items that a read returns when it names no limit',
  }),
  QUERY_LIMIT_MAX: define({
    parse: integer(1, 1_000_000_000),
    fallback: undefined,
    meaning: 'Highest limit that a read may ask for; unset: none',
  }),
  QUERY_MAX_FIELDS: define({
    parse: integer(1, 100_000),
    fallback: '500',
    meaning: 'Most fields and aliases that one read may select',
  }),
  QUERY_BODY_MAX_SIZE: define({
    parse: size,
    fallback: '1mb',
    meaning: 'Largest body of a SEARCH and of a write by query',
  }),
  QUERY_MAX_CONDITIONS: define({
    parse: integer(1, 1_000_000),
    fallback: String(DEFAULT_LIMITS.conditions),
    meaning: 'Most conditions of one query, of a stored rule, and of a write by query',
  }),
  QUERY_MAX_LIST_VALUES: define({
    parse: integer(1, 10_000_000),
    fallback: String(DEFAULT_LIMITS.listValues),
    meaning: 'Most values in all lists of its conditions together',
  }),
  QUERY_MAX_SORT_TERMS: define({
    parse: integer(1, 10_000),
    fallback: String(DEFAULT_LIMITS.sortTerms),
    meaning: 'Most sort terms of one query',
  }),
  QUERY_MAX_GROUPS: define({
    parse: integer(1, 10_000),
    fallback: String(DEFAULT_LIMITS.groups),
    meaning: 'Most fields that one query may group by',
  }),
  QUERY_MAX_NESTING: define({
    parse: integer(4, 200),
    fallback: String(DEFAULT_LIMITS.nesting),
    meaning: 'Deepest nesting of a filter',
  }),
  QUERY_MAX_BINDS: define({
    parse: integer(100, 65_535),
    fallback: String(DEFAULT_LIMITS.binds),
    meaning: 'Most values that one statement of a query may send to PostgreSQL, rules included',
  }),
  QUERY_MAX_COST: define({
    parse: integer(1_000, Number.MAX_SAFE_INTEGER),
    fallback: String(DEFAULT_LIMITS.cost),
    meaning: 'Most items that the limits of a query and of the lists in it may multiply to',
  }),
  QUERY_MAX_NESTED_ITEMS: define({
    parse: integer(100, Number.MAX_SAFE_INTEGER),
    fallback: String(DEFAULT_LIMITS.nestedItems),
    meaning:
      'Most items that the lists inside the items of an answer may bring; of each item in streams and exports',
  }),
  ANSWER_MAX_SIZE: define({
    parse: size,
    fallback: '64mb',
    meaning: 'Most bytes of values in one item of an answer, or in an answer that is no list',
  }),
  MAX_RELATIONAL_DEPTH: define({
    parse: integer(2, 100),
    fallback: '10',
    meaning: 'Most relations that a path of a query may go through',
  }),
  MAX_JSON_QUERY_DEPTH: define({
    parse: integer(1, 100),
    fallback: '10',
    meaning: 'Most steps of a path into a document, in _json and json()',
  }),
  QUERY_MAX_SEARCH: define({
    parse: integer(1, 100_000),
    fallback: String(DEFAULT_LIMITS.search),
    meaning: 'Longest term of a search, in characters',
  }),
  QUERY_MAX_JOINS: define({
    parse: integer(1, 1_000_000),
    fallback: String(DEFAULT_LIMITS.joins),
    meaning: 'Most relations that the conditions of one query may go through, altogether',
  }),
  QUERY_TIMEOUT: define({
    parse: duration,
    fallback: '30s',
    meaning:
      'Longest time that one statement of a request may run; past it the answer is 503, also where the database does not heed it',
  }),
  STREAM_MAX: define({
    parse: integer(1, 1_000),
    fallback: '4',
    meaning:
      'Long answers that an edge reads at once, each by a connection beyond DATABASE_POOL_MAX',
  }),
  STREAM_MAX_PER_USER: define({
    parse: integer(1, 1_000),
    fallback: '2',
    meaning: 'How many of them one user, or one address without a user, may have',
  }),
  STREAM_IDLE: define({
    parse: duration,
    fallback: '60s',
    meaning: 'Time after which the connection of a client that reads nothing of its answer is cut',
  }),
  STREAM_MAX_TIME: define({
    parse: duration,
    fallback: '1h',
    meaning: 'Longest time that a client may take to read its answer',
  }),
  CACHE_ENABLED: define({
    parse: flag,
    fallback: 'false',
    meaning:
      'Keep answers of reads until their tables are written to; needs REDIS_URL with several edges',
  }),
  CACHE_TTL: define({
    parse: duration,
    fallback: '5m',
    meaning: 'Longest time for which one is kept, and writes by other programs may go unnoticed',
  }),
  CACHE_MAX_SIZE: define({
    parse: size,
    fallback: '64mb',
    meaning: 'Memory that they take in each edge',
  }),
  CACHE_VALUE_MAX_SIZE: define({
    parse: size,
    fallback: undefined,
    meaning: 'Largest answer that is kept; unset: CACHE_MAX_SIZE',
  }),
  CACHE_STATUS_HEADER: define({
    parse: headerName,
    fallback: undefined,
    meaning: 'Name of a response header that tells HIT or MISS; unset: none',
  }),
  CACHE_SKIP_ALLOWED: define({
    parse: flag,
    fallback: 'false',
    meaning: 'Let clients pass the cache by with Cache-Control: no-store',
  }),
  CACHE_CONTROL_S_MAXAGE: define({
    parse: duration,
    fallback: '0s',
    meaning: 'Time for which proxies may show answers to anonymous callers without asking again',
  }),
  BODY_MAX_SIZE: define({
    parse: size,
    fallback: '16mb',
    alias: 'MAX_PAYLOAD_SIZE',
    meaning: 'Largest JSON body of a request',
  }),
  BODY_MAX_MEMBERS: define({
    parse: integer(100, 100_000_000),
    fallback: '10000',
    meaning: 'Most members of one object of a JSON body',
  }),
  BODY_MAX_VALUES: define({
    parse: integer(1_000, 1_000_000_000),
    fallback: '2500000',
    meaning: 'Most values of a JSON body: objects, lists, members and entries together',
  }),
  FORM_MAX_SIZE: define({
    parse: size,
    fallback: '64kb',
    meaning: 'Largest body of a login and of whatever else takes a few named values',
  }),
  MAX_BATCH_MUTATION: define({
    parse: integer(1, 100_000_000),
    fallback: '100000',
    meaning: 'Most items that one request may write, related ones and those let go counted',
  }),
  IMPORT_MAX_SIZE: define({
    parse: size,
    fallback: undefined,
    alias: 'IMPORT_MAX_FILE_SIZE',
    meaning: 'Largest file that may be imported; unset: no bound',
  }),
  IMPORT_TIMEOUT: define({
    parse: duration,
    fallback: '1h',
    meaning: 'Longest time that one import may run',
  }),
  MAX_IMPORT_ERRORS: define({
    parse: integer(1, 1_000_000),
    fallback: '1000',
    meaning: 'Most rejected rows that the report of an import lists',
  }),
  JOBS_MAX_PER_USER: define({
    parse: integer(1, 100_000_000),
    fallback: '10000',
    meaning: 'Jobs of one user, or of one address without a user, that may wait and run',
  }),
  EVENTS_MAX_PER_USER: define({
    parse: integer(1, 1_000_000),
    fallback: '100',
    meaning: 'Streams of events of one user that may be open at each edge',
  }),
  SPOOL_MAX_PER_USER: define({
    parse: size,
    fallback: '256gb',
    meaning: 'Bytes of uploads of one user that may wait to be worked on',
  }),
  JOB_WAIT_LIMIT: define({
    parse: duration,
    fallback: '50s',
    meaning: 'Longest time that a request waits for its job before it answers 202',
  }),
  JOB_LOCK_DURATION: define({
    parse: duration,
    fallback: '15s',
    meaning: 'Time after which a job of a worker that gave no sign of life is taken by another',
  }),
  JOB_RETRY_DELAY: define({
    parse: duration,
    fallback: '1s',
    meaning: 'Pause before a job that failed is tried again; doubled each further time',
  }),
  JOBS_RETENTION: define({
    parse: duration,
    fallback: '30d',
    meaning: 'Age at which finished jobs and their reports are removed',
  }),
  RETENTION_ENABLED: define({
    parse: flag,
    fallback: 'false',
    meaning: 'Remove old history once a day',
  }),
  ACTIVITY_RETENTION: define({
    parse: duration,
    fallback: '90d',
    meaning: 'Age at which activities are removed, once they have no revisions',
  }),
  REVISIONS_RETENTION: define({
    parse: duration,
    fallback: '90d',
    meaning: 'Age at which revisions are removed',
  }),
  NODE_ENV: define({
    parse: text,
    fallback: 'production',
    meaning: 'With development, mails are logged when no transport is set',
  }),
  EMAIL_TRANSPORT: define({
    parse: choice(['log', 'smtp'] as const),
    fallback: undefined,
    meaning:
      'How mail leaves: smtp, or log to write it, links included, into the log of the worker; unset: log when NODE_ENV is development, else no mail and 503 where it is needed',
  }),
  EMAIL_FROM: define({
    parse: mailbox,
    fallback: undefined,
    meaning: 'Sender of mails, Name <address>; unset: no-reply at the host of PUBLIC_URL',
  }),
  EMAIL_SMTP_HOST: define({
    parse: text,
    fallback: 'localhost',
    meaning: 'Mail server',
  }),
  EMAIL_SMTP_PORT: define({
    parse: integer(1, 65_535),
    fallback: '587',
    meaning: 'Its TCP port; 465 with EMAIL_SMTP_SECURE',
  }),
  EMAIL_SMTP_USER: define({
    parse: text,
    fallback: undefined,
    meaning: 'User name at the mail server; unset: none is sent',
  }),
  EMAIL_SMTP_PASSWORD: define({
    parse: text,
    fallback: undefined,
    secret: true,
    meaning: 'Password at the mail server',
  }),
  EMAIL_SMTP_SECURE: define({
    parse: flag,
    fallback: 'false',
    meaning:
      'TLS from the first byte; false: STARTTLS where the server offers it, required before a password is sent, not used on loopback',
  }),
  USER_INVITE_URL_ALLOW_LIST: define({
    parse: urlList,
    fallback: undefined,
    meaning: 'URLs, a comma list, under which the page of an invite_url may lie; unset: none',
  }),
  PASSWORD_RESET_URL_ALLOW_LIST: define({
    parse: urlList,
    fallback: undefined,
    meaning: 'The same for reset_url',
  }),
  USER_REGISTER_URL_ALLOW_LIST: define({
    parse: urlList,
    fallback: undefined,
    meaning: 'The same for verification_url',
  }),
  REGISTER_STALL_TIME: define({
    parse: duration,
    fallback: '750ms',
    meaning: 'Shortest time that a registration or a request for a password reset takes',
  }),
  DATABASE_SHORTAGE: define({
    parse: text,
    fallback: undefined,
    meaning: 'Set by npm start: what health tells when PostgreSQL allows too few connections',
  }),
  FAILPOINT: define({
    parse: text,
    fallback: undefined,
    meaning: 'For tests: the named place at which a process stops and waits to be killed',
  }),
} satisfies Record<string, Variable<unknown, string | undefined>>;
