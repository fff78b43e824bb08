/** The secrets of a configuration, for whoever must not tell them. */
import type { Config } from './config.ts';
import { variables } from './variables.ts';

/** What an address holds before its host: a user, and maybe a password. */
const CREDENTIALS = /([a-z][a-z\d+.-]*:\/\/)[^\s/@]*@/gi;
/** `password=…` and the like, as connection strings have it. */
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

/** The values of all variables that are secret, and the passwords within them. */
export function secretsOf(config: Config): readonly string[] {
  const values = Object.entries(variables).flatMap(([name, variable]) => {
    if (!('secret' in variable)) return [];
    const value = Object.entries(config).find(([key]) => key === name)?.[1];
    return typeof value === 'string' ? [value, passwordIn(value)] : [];
  });
  return values.filter((value) => value.length >= SHORTEST);
}

/** A message without secrets, and without the credentials of whatever address stands in it. */
export function withoutSecrets(message: string, secrets: readonly string[]): string {
  const bare = secrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), message);
  return bare.replace(CREDENTIALS, '$1[redacted]@').replace(ASSIGNED, '$1[redacted]');
}
