/** Variables: Addresses and pages. */

import { origins } from '../origin.ts';
import { define, flag, httpTokens, integer, proxies, text, url } from '../variable.ts';

export const addressVariables = {
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
  IP_TRUST_PROXY: define({
    parse: proxies,
    fallback: 'off',
    meaning:
      'Proxies whose X-Forwarded-For is trusted: off, on (anybody), or a list of addresses and ranges',
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
    meaning: 'Folder of the built Admin App; unset: that of this installation',
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
};
