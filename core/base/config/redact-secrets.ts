/** Finds the secrets of a configuration and removes them from texts. */
import type { Config } from './variables.ts';
import { variables } from './variables.ts';

/** The user, and maybe the password, before the host of a URL. */
const CREDENTIALS = /([a-z][a-z\d+.-]*:\/\/)[^\s/@]*@/gi;
/** `password=…` and similar assignments in connection strings. */
const ASSIGNED = /\b((?:password|passwd|pwd|secret|token)\s*[=:]\s*)(?:'[^']*'|"[^"]*"|\S+)/gi;
/** Shorter texts are common words. */
const SHORTEST = 6;

function passwordIn(value: string): string {
  const password = URL.parse(value)?.password ?? '';
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}

/** The values of all secret variables, and the passwords inside them. */
export function secretsOf(config: Config): readonly string[] {
  const values = Object.entries(variables).flatMap(([name, variable]) => {
    if (!('secret' in variable)) return [];
    const value = Object.entries(config).find(([key]) => key === name)?.[1];
    return typeof value === 'string' ? [value, passwordIn(value)] : [];
  });
  const ofLocations = [...config.locations, ...config.importLocations].flatMap((location) =>
    location.driver === 's3' ? [location.credentials?.secret ?? ''] : [],
  );
  return [...values, ...ofLocations].filter((value) => value.length >= SHORTEST);
}

/** A message without secrets and without the credentials of URLs. */
export function withoutSecrets(message: string, secrets: readonly string[]): string {
  const bare = secrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), message);
  return bare.replace(CREDENTIALS, '$1[redacted]@').replace(ASSIGNED, '$1[redacted]');
}
