/** The public URL of this installation. Never taken from a request. */
import type { Config } from './variables.ts';

/** `PUBLIC_URL`, or the address on which the API listens, without a trailing slash. */
export function publicUrl(config: Pick<Config, 'PUBLIC_URL' | 'HOST' | 'PORT'>): string {
  if (config.PUBLIC_URL !== undefined) return config.PUBLIC_URL.replace(/\/+$/, '');
  const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  return `http://${host}:${config.PORT}`;
}
