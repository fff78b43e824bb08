/** The options for all responses from the configuration: compression, headers, CORS. */

import { clientIpResolver } from '#core/access/client-ip.ts';
import { secretsOf } from '#core/base/config/redact-secrets.ts';
import type { Config } from '#core/base/config/variables.ts';
import { Cors } from './cors.ts';
import type { ServerOptions } from './server.ts';

type ConfiguredOptions = Pick<
  ServerOptions,
  | 'accessLog'
  | 'bodyLimit'
  | 'jsonBounds'
  | 'compresses'
  | 'sendTimeouts'
  | 'headers'
  | 'cors'
  | 'secrets'
  | 'ipOf'
>;

/** Seconds for which browsers use only HTTPS (HSTS): a year. */
const HTTPS_ONLY = 31_536_000;

/** The options of a server that follow from the configuration alone. */
export function serverOptionsOf(config: Config): ConfiguredOptions {
  const cors = new Cors({
    origins: config.CORS_ORIGIN,
    methods: config.CORS_METHODS,
    allowedHeaders: config.CORS_ALLOWED_HEADERS,
    exposedHeaders: config.CORS_EXPOSED_HEADERS,
    credentials: config.CORS_CREDENTIALS,
    maxAge: config.CORS_MAX_AGE,
  });
  const https = { 'Strict-Transport-Security': `max-age=${HTTPS_ONLY}` };
  return {
    bodyLimit: config.BODY_MAX_SIZE,
    jsonBounds: { members: config.BODY_MAX_MEMBERS, values: config.BODY_MAX_VALUES },
    compresses: config.COMPRESSION,
    accessLog: config.ACCESS_LOG,
    sendTimeouts: { idle: config.STREAM_IDLE, total: config.STREAM_MAX_TIME },
    secrets: secretsOf(config),
    ipOf: clientIpResolver(config.IP_TRUST_PROXY),
    ...(config.HSTS_ENABLED ? { headers: https } : {}),
    ...(config.CORS_ENABLED ? { cors } : {}),
  };
}
