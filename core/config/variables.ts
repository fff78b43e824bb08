/** All environment variables of Sluice, for start-up and for `npm run config`. */
import * as v from 'valibot';
import { origins } from './origin.ts';
import { DEFAULT_LIMITS } from './query-limits.ts';
import {
  addressList,
  choice,
  cookieName,
  duration,
  durationOrSeconds,
  flag,
  headerName,
  httpTokens,
  integer,
  list,
  mailbox,
  path,
  proxies,
  secretKey,
  share,
  size,
  sizeOrOff,
  text,
  url,
  urlList,
  type Variable,
} from './variable.ts';

const SOCKET_AUTH = ['handshake', 'strict', 'public'] as const;
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
      'Installation that npm run sluice and npm run demo work on; unset: the one that runs on DATA_DIR',
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
      'Which origins: false, true for any, *, a list of origins, or a /regex/; * excludes credentials',
  }),
  CORS_METHODS: define({
    parse: httpTokens,
    fallback: 'GET,POST,PATCH,PUT,DELETE,SEARCH',
    meaning: 'Methods that they may use',
  }),
  CORS_ALLOWED_HEADERS: define({
    parse: httpTokens,
    fallback:
      'Content-Type,Authorization,If-Match,If-None-Match,Prefer,Idempotency-Key,X-Request-Id,Range,If-Range,Tus-Resumable,Upload-Length,Upload-Offset,Upload-Metadata,Upload-Defer-Length,Upload-Checksum',
    meaning: 'Request headers that they may set',
  }),
  CORS_EXPOSED_HEADERS: define({
    parse: httpTokens,
    fallback:
      'Content-Range,Content-Disposition,ETag,Location,Preference-Applied,RateLimit,RateLimit-Policy,Retry-After,X-Request-Id,Accept-Ranges,Tus-Resumable,Tus-Version,Tus-Extension,Tus-Max-Size,Tus-Checksum-Algorithm,Upload-Offset,Upload-Length,Upload-Expires,File-Id',
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
    meaning: 'Seconds for which a browser may remember the answer to a preflight request',
  }),
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
  DATA_DIR: define({
    parse: text,
    fallback: '.data',
    meaning: 'Folder of the embedded database, spooled uploads and generated credentials',
  }),
  STORAGE_LOCATIONS: define({
    parse: list,
    fallback: 'local',
    meaning:
      'Names of the places for files; jobs use the first. Each has variables STORAGE_<NAME>_…, listed below',
  }),
  STORAGE_PART_SIZE: define({
    parse: v.pipe(size, v.minValue(5 * 1024 ** 2, 'must be at least 5mb, as S3 demands')),
    fallback: '8mb',
    meaning: 'Size of the parts in which files go to S3; a file has at most 10,000',
  }),
  STORAGE_UPLOAD_MEMORY: define({
    parse: size,
    fallback: '64mb',
    meaning: 'Memory of each process for parts on their way to S3; uploads wait for it',
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
    meaning: 'Schemas to serve, a comma list; the first one contains the system tables',
  }),
  DATABASE_POOL_MAX: define({
    parse: integer(1, 1_000),
    fallback: '10',
    meaning:
      'Maximum connections of one process to the database, without those of the queue; a worker has at least two',
  }),
  DATABASE_POOL_WAIT: define({
    parse: duration,
    fallback: '5s',
    meaning: 'Maximum wait for a connection; then the answer is 503',
  }),
  SCHEMA_EVENT_TRIGGER: define({
    parse: flag,
    fallback: 'true',
    meaning:
      'Report tables that others alter at once, with an event trigger; needs a superuser and no REDIS_URL',
  }),
  SCHEMA_LOCK_TIMEOUT: define({
    parse: duration,
    fallback: '3s',
    meaning:
      'Maximum time of one attempt of a schema change to lock a table; it gives up after ten times that',
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
  IP_TRUST_PROXY: define({
    parse: proxies,
    fallback: 'off',
    meaning:
      'Proxies whose X-Forwarded-For is trusted: off, on (anybody), or a list of addresses and ranges',
  }),
  EDGE_PROCESSES: define({
    parse: integer(0, 64),
    fallback: '1',
    meaning: 'Processes that answer requests, sharing one port',
  }),
  EDGE_MEMORY: define({
    parse: v.pipe(size, v.minValue(128 * 1024 ** 2, 'must be at least 128mb')),
    fallback: undefined,
    meaning:
      'JavaScript heap of each edge; bodies and answers may take half as much besides. Unset: half of the memory of the machine or container, divided by EDGE_PROCESSES + 1, from 256mb to 4gb',
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
  MONITOR_PORT: define({
    parse: integer(0, 65_535),
    fallback: '8056',
    meaning: 'TCP port of the monitor; 0 for none',
  }),
  MONITOR_HOST: define({
    parse: text,
    fallback: '127.0.0.1',
    meaning: 'Address the monitor listens on',
  }),
  MONITOR_USER: define({
    parse: text,
    fallback: 'operator',
    meaning: 'User of the monitor',
  }),
  MONITOR_PASSWORD: define({
    parse: v.pipe(v.string(), v.minLength(8, 'must have at least 8 characters')),
    fallback: undefined,
    secret: true,
    meaning: 'Password of the monitor; unset: generated at the first start and shown once',
  }),
  WORKER_NICENESS: define({
    parse: integer(0, 19),
    fallback: '10',
    meaning:
      'How far workers let other processes of their host have the processors first: 0 (not) to 19',
  }),
  LOG_LEVEL: define({
    parse: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const),
    fallback: 'info',
    meaning: 'Lowest level of log lines that are written',
  }),
  ACCESS_LOG: define({
    parse: flag,
    fallback: 'off',
    meaning: 'Write a log line for each request, without its path and parameters',
  }),
  QUERY_LIMIT_DEFAULT: define({
    parse: integer(1, 1_000_000),
    fallback: '100',
    meaning: 'Default limit of a read, in items',
  }),
  QUERY_LIMIT_MAX: define({
    parse: integer(1, 1_000_000_000),
    fallback: undefined,
    meaning: 'Highest limit that a read may name; unset: none',
  }),
  QUERY_MAX_FIELDS: define({
    parse: integer(1, 100_000),
    fallback: '500',
    meaning: 'Maximum fields and aliases in one read',
  }),
  QUERY_BODY_MAX_SIZE: define({
    parse: size,
    fallback: '1mb',
    meaning: 'Maximum body of a SEARCH and of a write by query',
  }),
  QUERY_MAX_CONDITIONS: define({
    parse: integer(1, 1_000_000),
    fallback: String(DEFAULT_LIMITS.conditions),
    meaning: 'Maximum conditions in one query, in a stored rule, and in a write by query',
  }),
  QUERY_MAX_LIST_VALUES: define({
    parse: integer(1, 10_000_000),
    fallback: String(DEFAULT_LIMITS.listValues),
    meaning: 'Maximum values in all lists of its conditions together',
  }),
  QUERY_MAX_SORT_TERMS: define({
    parse: integer(1, 10_000),
    fallback: String(DEFAULT_LIMITS.sortTerms),
    meaning: 'Maximum sort terms in one query',
  }),
  QUERY_MAX_GROUPS: define({
    parse: integer(1, 10_000),
    fallback: String(DEFAULT_LIMITS.groups),
    meaning: 'Maximum fields in groupBy of one query',
  }),
  QUERY_MAX_NESTING: define({
    parse: integer(4, 200),
    fallback: String(DEFAULT_LIMITS.nesting),
    meaning: 'Maximum nesting of a filter',
  }),
  QUERY_MAX_BINDS: define({
    parse: integer(100, 65_535),
    fallback: String(DEFAULT_LIMITS.binds),
    meaning: 'Maximum values that one statement of a query may send to PostgreSQL, including rules',
  }),
  QUERY_MAX_COST: define({
    parse: integer(1_000, Number.MAX_SAFE_INTEGER),
    fallback: String(DEFAULT_LIMITS.cost),
    meaning: 'Maximum product of the limits of a query and of the lists in it, in items',
  }),
  QUERY_MAX_NESTED_ITEMS: define({
    parse: integer(100, Number.MAX_SAFE_INTEGER),
    fallback: String(DEFAULT_LIMITS.nestedItems),
    meaning: 'Maximum items in the lists inside one item of an answer',
  }),
  ANSWER_MAX_SIZE: define({
    parse: size,
    fallback: '64mb',
    meaning:
      'Maximum bytes of the values of one item of an answer, or of an answer that is not a list',
  }),
  GRAPHQL_INTROSPECTION: define({
    parse: flag,
    fallback: 'on',
    meaning: 'Clients may ask GraphQL for its schema',
  }),
  GRAPHQL_PAGE: define({
    parse: flag,
    fallback: 'on',
    meaning: 'Browsers that open /graphql get a page to try it in',
  }),
  ADMIN_APP: define({
    parse: flag,
    fallback: 'on',
    meaning: 'Serve the Admin App at /admin, once it is built',
  }),
  ADMIN_APP_DIR: define({
    parse: text,
    fallback: undefined,
    meaning: 'Folder of the built Admin App; unset: ops/app/dist of this installation',
  }),
  DOCS_PAGE: define({
    parse: flag,
    fallback: 'on',
    meaning: 'Serve the documentation at /docs',
  }),
  OPENAPI_ENABLED: define({
    parse: flag,
    fallback: 'on',
    meaning: 'Clients may ask for the description of the API, and browsers for its page',
  }),
  GRAPHQL_QUERY_TOKEN_LIMIT: define({
    parse: integer(10, 1_000_000),
    fallback: '5000',
    meaning: 'Maximum tokens of a document of GraphQL',
  }),
  GRAPHQL_MAX_ALIASES: define({
    parse: integer(0, 100_000),
    fallback: '100',
    meaning: 'Maximum aliases in a document of GraphQL',
  }),
  GRAPHQL_MAX_FIELDS: define({
    parse: integer(10, 1_000_000),
    fallback: '1000',
    meaning: 'Maximum fields that a document of GraphQL names, with those of its fragments',
  }),
  GRAPHQL_MAX_ROOT_FIELDS: define({
    parse: integer(1, 10_000),
    fallback: '30',
    meaning: 'Maximum fields at the root of an operation of GraphQL',
  }),
  WEBSOCKETS_ENABLED: define({
    parse: flag,
    fallback: 'false',
    meaning: 'Clients may open WebSockets and subscribe to changes; the same for all processes',
  }),
  WEBSOCKETS_HEARTBEAT_ENABLED: define({
    parse: flag,
    fallback: 'on',
    meaning: 'Ask clients of the REST WebSocket whether they are still there',
  }),
  WEBSOCKETS_HEARTBEAT_PERIOD: define({
    parse: duration,
    fallback: '30s',
    meaning: 'How often they are asked; who says nothing for as long again is disconnected',
  }),
  WEBSOCKETS_MAX_SUBSCRIPTIONS: define({
    parse: integer(1, 100_000),
    fallback: '100',
    meaning: 'Maximum subscriptions of one WebSocket',
  }),
  WEBSOCKETS_MAX_SUBSCRIPTIONS_PER_USER: define({
    parse: integer(1, 10_000_000),
    fallback: '2000',
    meaning: 'Subscriptions of one user, or of one anonymous address, at each edge',
  }),
  WEBSOCKETS_MAX_PER_USER: define({
    parse: integer(1, 1_000_000),
    fallback: '1000',
    meaning: 'Open WebSockets of one user, or of one anonymous address, at each edge',
  }),
  WEBSOCKETS_MESSAGE_MAX_SIZE: define({
    parse: size,
    fallback: '1mb',
    meaning: 'Maximum message of a client; a longer one ends the connection',
  }),
  WEBSOCKETS_BUFFER_MAX_SIZE: define({
    parse: size,
    fallback: '1mb',
    meaning: 'What may wait for a slow client before it is disconnected',
  }),
  WEBSOCKETS_REST_ENABLED: define({
    parse: flag,
    fallback: 'on',
    meaning: 'With WEBSOCKETS_ENABLED, the WebSocket of REST',
  }),
  WEBSOCKETS_REST_PATH: define({
    parse: path,
    fallback: '/websocket',
    meaning: 'Path of the WebSocket of REST',
  }),
  WEBSOCKETS_REST_AUTH: define({
    parse: choice(SOCKET_AUTH),
    fallback: 'handshake',
    meaning:
      'Who may use it: `handshake` whose first message is a login, `strict` whose request has a token, `public` everybody',
  }),
  WEBSOCKETS_REST_AUTH_TIMEOUT: define({
    parse: durationOrSeconds,
    fallback: '10s',
    meaning:
      'Time for that message, and for a new token after one has expired; seconds without a unit',
  }),
  WEBSOCKETS_REST_CONN_LIMIT: define({
    parse: integer(1, 1_000_000),
    fallback: '10000',
    meaning: 'Maximum WebSockets of REST of one edge',
  }),
  WEBSOCKETS_GRAPHQL_ENABLED: define({
    parse: flag,
    fallback: 'on',
    meaning: 'With WEBSOCKETS_ENABLED, the WebSocket of GraphQL',
  }),
  WEBSOCKETS_GRAPHQL_PATH: define({
    parse: path,
    fallback: '/graphql',
    meaning: 'Path of the WebSocket of GraphQL',
  }),
  WEBSOCKETS_GRAPHQL_AUTH: define({
    parse: choice(SOCKET_AUTH),
    fallback: 'handshake',
    meaning:
      'Who may use it: `handshake` who sends a token with connection_init, `strict` whose request has one, `public` everybody',
  }),
  WEBSOCKETS_GRAPHQL_AUTH_TIMEOUT: define({
    parse: durationOrSeconds,
    fallback: '10s',
    meaning: 'Time for connection_init; seconds without a unit',
  }),
  WEBSOCKETS_GRAPHQL_CONN_LIMIT: define({
    parse: integer(1, 1_000_000),
    fallback: '10000',
    meaning: 'Maximum WebSockets of GraphQL of one edge',
  }),
  MAX_RELATIONAL_DEPTH: define({
    parse: integer(2, 100),
    fallback: '10',
    meaning: 'Maximum relations in a path of a query',
  }),
  MAX_JSON_QUERY_DEPTH: define({
    parse: integer(1, 100),
    fallback: '10',
    meaning: 'Maximum steps of a path into a document, in _json and json()',
  }),
  QUERY_MAX_SEARCH: define({
    parse: integer(1, 100_000),
    fallback: String(DEFAULT_LIMITS.search),
    meaning: 'Maximum length of a search term, in characters',
  }),
  QUERY_MAX_JOINS: define({
    parse: integer(1, 1_000_000),
    fallback: String(DEFAULT_LIMITS.joins),
    meaning: 'Maximum relations in all conditions of one query together',
  }),
  QUERY_TIMEOUT: define({
    parse: duration,
    fallback: '30s',
    meaning:
      'Maximum time of one statement of a request; then the answer is 503, even when the database does not stop it',
  }),
  STREAM_MAX: define({
    parse: integer(1, 1_000),
    fallback: '4',
    meaning:
      'Streams that an edge reads at the same time, each on a connection besides DATABASE_POOL_MAX',
  }),
  STREAM_MAX_PER_USER: define({
    parse: integer(1, 1_000),
    fallback: '2',
    meaning: 'How many of them one user, or one anonymous address, may have',
  }),
  STREAM_IDLE: define({
    parse: duration,
    fallback: '60s',
    meaning: 'Time after which a client that reads nothing of its answer is disconnected',
  }),
  STREAM_MAX_TIME: define({
    parse: duration,
    fallback: '1h',
    meaning: 'Maximum time that a client may take to read its answer',
  }),
  CACHE_ENABLED: define({
    parse: flag,
    fallback: 'false',
    meaning:
      'Cache answers of reads until their tables are written; needs REDIS_URL with several edges',
  }),
  CACHE_TTL: define({
    parse: duration,
    fallback: '5m',
    meaning:
      'Maximum lifetime of a cached answer, for which writes by other programs may go unnoticed',
  }),
  CACHE_MAX_SIZE: define({
    parse: size,
    fallback: '64mb',
    meaning: 'Memory for cached answers in each edge',
  }),
  CACHE_VALUE_MAX_SIZE: define({
    parse: size,
    fallback: undefined,
    meaning: 'Largest answer that is cached; unset: CACHE_MAX_SIZE',
  }),
  CACHE_STATUS_HEADER: define({
    parse: headerName,
    fallback: undefined,
    meaning: 'Name of a response header with HIT or MISS; unset: none',
  }),
  CACHE_SKIP_ALLOWED: define({
    parse: flag,
    fallback: 'false',
    meaning: 'Let clients bypass the cache with Cache-Control: no-store',
  }),
  CACHE_CONTROL_S_MAXAGE: define({
    parse: duration,
    fallback: '0s',
    meaning: 'Time for which proxies may serve answers for anonymous callers without revalidation',
  }),
  BODY_MAX_SIZE: define({
    parse: size,
    fallback: '16mb',
    alias: 'MAX_PAYLOAD_SIZE',
    meaning: 'Maximum JSON body of a request',
  }),
  BODY_MAX_MEMBERS: define({
    parse: integer(100, 100_000_000),
    fallback: '10000',
    meaning: 'Maximum members in one object of a JSON body',
  }),
  BODY_MAX_VALUES: define({
    parse: integer(1_000, 1_000_000_000),
    fallback: '2500000',
    meaning: 'Maximum values in a JSON body: objects, lists, members and entries together',
  }),
  FORM_MAX_SIZE: define({
    parse: size,
    fallback: '64kb',
    meaning: 'Maximum body of a login and of other small bodies with fixed members',
  }),
  MAX_BATCH_MUTATION: define({
    parse: integer(1, 100_000_000),
    fallback: '100000',
    meaning: 'Maximum items in one write, including related ones and those removed from lists',
  }),
  FILES_MAX_UPLOAD_SIZE: define({
    parse: sizeOrOff,
    fallback: '50gb',
    meaning: 'Largest file that users may store; off: no limit',
  }),
  FILES_MAX_PER_USER: define({
    parse: sizeOrOff,
    fallback: '1024gb',
    meaning: 'Bytes of all files that one user has stored; off: no limit',
  }),
  FILES_MIME_TYPE_ALLOW_LIST: define({
    parse: list,
    fallback: '*/*',
    meaning: 'Types of files that users may store, such as image/*,application/pdf',
  }),
  TUS_ENABLED: define({
    parse: flag,
    fallback: 'true',
    meaning: 'Take uploads that can be resumed, at /files/tus',
  }),
  TUS_MAX_PER_USER: define({
    parse: integer(1, 1_000_000),
    fallback: '1000',
    meaning: 'Such uploads that one user may have begun and not completed',
  }),
  TUS_UPLOAD_EXPIRATION: define({
    parse: duration,
    fallback: '1d',
    meaning: 'Time after its last piece at which such an upload is given up',
  }),
  IMPORT_IP_DENY_LIST: define({
    parse: addressList,
    fallback: '0.0.0.0,169.254.169.254',
    meaning:
      'Addresses that files are not imported from by URL, besides all that are not public; 0.0.0.0 stands for those of this host',
  }),
  IMPORT_IP_ALLOW_LIST: define({
    parse: addressList,
    fallback: 'none',
    meaning:
      'Addresses that files may be imported from although they are not public, unless IMPORT_IP_DENY_LIST names them',
  }),
  IMPORT_URL_TIMEOUT: define({
    parse: duration,
    fallback: '5m',
    meaning: 'Maximum time to fetch a file by its URL',
  }),
  FILES_METADATA_PLACES: define({
    parse: flag,
    fallback: 'false',
    meaning: 'Whether the metadata of images says where they were taken',
  }),
  ASSETS_TRANSFORM_MAX_CONCURRENT: define({
    parse: integer(1, 1_000),
    fallback: '25',
    meaning: 'Jobs for images of one edge at the same time; further ones wait for their turn',
  }),
  ASSETS_TRANSFORM_IMAGE_MAX_DIMENSION: define({
    parse: integer(1, 16_384),
    fallback: '6000',
    meaning: 'Most pixels of a side of an image that is transformed, and of what becomes of it',
  }),
  ASSETS_TRANSFORM_MAX_PIXELS: define({
    parse: integer(10_000, 268_435_456),
    fallback: '36000000',
    meaning:
      'Most pixels of what an image becomes; WebP may have half as many, AVIF a ninth, and a quarter as a preset',
  }),
  ASSETS_TRANSFORM_MEMORY: define({
    parse: v.pipe(size, v.minValue(256 * 1024 ** 2, 'must be at least 256mb')),
    fallback: '512mb',
    meaning: 'Most memory of one process for images; an image that takes more is refused',
  }),
  ASSETS_TRANSFORM_MAX_OPERATIONS: define({
    parse: integer(0, 100),
    fallback: '5',
    meaning: 'Operations that a request may list in "transforms"',
  }),
  ASSETS_TRANSFORM_TIMEOUT: define({
    parse: duration,
    fallback: '7500ms',
    meaning: 'Longest time that one image may take',
  }),
  ASSETS_CACHE_TTL: define({
    parse: duration,
    fallback: '30d',
    meaning: 'Time for which clients may keep files that they have read',
  }),
  ASSETS_CACHE_REVALIDATE: define({
    parse: flag,
    fallback: 'false',
    meaning: 'Let clients ask each time whether a file that they keep is still the same',
  }),
  ASSETS_URL_TTL: define({
    parse: duration,
    fallback: '1h',
    meaning: 'Time after which a signed URL of a file ends',
  }),
  ASSETS_URL_MAX_TTL: define({
    parse: duration,
    fallback: '7d',
    meaning: 'Longest time that a client may ask for',
  }),
  IMPORT_MAX_SIZE: define({
    parse: size,
    fallback: undefined,
    alias: 'IMPORT_MAX_FILE_SIZE',
    meaning: 'Largest file that may be imported; unset: no limit',
  }),
  IMPORT_MAX_EXPANDED_SIZE: define({
    parse: size,
    fallback: '16gb',
    meaning: 'Largest content of a compressed file that may be imported',
  }),
  IMPORT_MAX_EXPANSION: define({
    parse: integer(1, 1_100),
    fallback: '200',
    meaning: 'Largest content of a compressed file, as a multiple of its size; from 16 MB on',
  }),
  IMPORT_TIMEOUT: define({
    parse: duration,
    fallback: '1h',
    meaning: 'Maximum time of one import',
  }),
  EXPORT_TIMEOUT: define({
    parse: duration,
    fallback: '1h',
    meaning: 'Maximum time of one export to a file',
  }),
  EXPORT_MAX_SIZE: define({
    parse: size,
    fallback: '64gb',
    meaning: 'Largest file that an export may write',
  }),
  MAX_IMPORT_ERRORS: define({
    parse: integer(1, 1_000_000),
    fallback: '1000',
    meaning: 'Maximum rejected rows in the report of an import',
  }),
  JOBS_MAX_PER_USER: define({
    parse: integer(1, 100_000_000),
    fallback: '10000',
    meaning: 'Open jobs of one user, or of one anonymous address',
  }),
  EVENTS_MAX_PER_USER: define({
    parse: integer(1, 1_000_000),
    fallback: '100',
    meaning: 'Open event streams of one user at each edge',
  }),
  UPLOADS_MAX_PER_USER: define({
    parse: integer(1, 1_000_000),
    fallback: '1000',
    meaning: 'Uploads of one user that arrive at the same time at each edge',
  }),
  SPOOL_MAX_PER_USER: define({
    parse: size,
    fallback: '256gb',
    meaning:
      'Bytes of uploads of one user, from their arrival to the end of their jobs; and of files that are kept then',
  }),
  JOB_WAIT_LIMIT: define({
    parse: duration,
    fallback: '50s',
    meaning: 'Maximum time that a request waits for its job before it answers 202',
  }),
  JOB_LOCK_DURATION: define({
    parse: duration,
    fallback: '15s',
    meaning: 'Time after which a job of a worker that does not respond is taken over by another',
  }),
  JOB_RETRY_DELAY: define({
    parse: duration,
    fallback: '1s',
    meaning: 'Pause before a failed job is tried again; doubled each time',
  }),
  JOBS_RETENTION: define({
    parse: duration,
    fallback: '30d',
    meaning: 'Age at which ended jobs and their reports are removed',
  }),
  JOBS_MAX_KEPT: define({
    parse: integer(0, 1_000_000_000),
    fallback: '1000000',
    meaning: 'Ended jobs that are kept; the oldest of more are removed once a day',
  }),
  JOB_FILES_RETENTION: define({
    parse: duration,
    fallback: '7d',
    meaning: 'Age at which uploads of failed jobs and files of exports are removed',
  }),
  JOB_FILES_MAX: define({
    parse: integer(0, 1_000_000),
    fallback: '20',
    meaning: 'Such files that are kept for one user; the oldest of more are removed',
  }),
  RETENTION_ENABLED: define({
    parse: flag,
    fallback: 'false',
    meaning: 'Remove old history once a day',
  }),
  HISTORY_WARN_ROWS: define({
    parse: integer(1, Number.MAX_SAFE_INTEGER),
    fallback: '10000000',
    meaning: 'Activities and revisions together above which the health report warns',
  }),
  HISTORY_WARN_SIZE: define({
    parse: size,
    fallback: '50gb',
    meaning: 'Size of activities and revisions together above which the health report warns',
  }),
  QUEUE_STUCK_AFTER: define({
    parse: duration,
    fallback: '10s',
    meaning: 'Time after which a job that could run and that no worker takes is an error in health',
  }),
  QUEUE_WAIT_WARN: define({
    parse: duration,
    fallback: '10m',
    meaning: 'Time that the oldest job of a queue may wait before the health report warns',
  }),
  WATCHDOG_TIMEOUT: define({
    parse: duration,
    fallback: '15s',
    meaning:
      'Time without a sign of life after which an edge or a worker is ended and started again',
  }),
  JOB_SILENT_AFTER: define({
    parse: duration,
    fallback: '5m',
    meaning: 'Time without progress after which the health report warns of a running job',
  }),
  REDIS_MEMORY_WARN: define({
    parse: integer(1, 100),
    fallback: '80',
    meaning: 'Percentage of the memory limit of Redis above which the health report warns',
  }),
  STORAGE_WARN_FREE: define({
    parse: size,
    fallback: '1gb',
    meaning: 'Free space for files below which the health report warns',
  }),
  ACTIVITY_RETENTION: define({
    parse: duration,
    fallback: '90d',
    meaning: 'Age at which activities without revisions are removed',
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
      'How mail is sent: smtp, or log to write it, including links, to the log of the worker; unset: log when NODE_ENV is development, else no mail and 503 where it is needed',
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
    meaning: 'User name at the mail server; unset: no login',
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
    meaning: 'Allowed pages for invite_url: URLs, a comma list; unset: none',
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
    meaning: 'Minimum time of a registration or a request for a password reset',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: define({
    parse: url('http', 'https'),
    fallback: undefined,
    meaning: 'Collector of traces (OTLP over HTTP), without /v1/traces; unset: nothing is traced',
  }),
  OTEL_TRACES_SAMPLER_ARG: define({
    parse: share,
    fallback: '1',
    meaning: 'Share of the traces that begin here which are sent, from 0 to 1',
  }),
  DATABASE_SHORTAGE: define({
    parse: text,
    fallback: undefined,
    meaning: 'Set by npm start: the warning of health when PostgreSQL allows too few connections',
  }),
  FAILPOINT: define({
    parse: text,
    fallback: undefined,
    meaning:
      'For tests: the failpoint at which a process stops; a job continues there after SIGCONT',
  }),
} satisfies Record<string, Variable<unknown, string | undefined>>;
