/**
 * Passwords: hashing by argon2id, checking, and the policy that new ones must meet. Hashing is the
 * most expensive thing an anonymous caller can ask for, so few run at a time and few wait for their turn.
 */
import { randomBytes } from 'node:crypto';
import { createContext, runInContext } from 'node:vm';
import argon2 from 'argon2';
import type { Config } from '#core/config/config.ts';
import type { Client, Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { invalidPayload, ServiceError, unavailable } from '#core/errors/service-error.ts';
import { systemTable } from '#core/system/table.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';

export type PasswordConfig = Pick<Config, 'ARGON2_MEMORY' | 'ARGON2_TIME' | 'ARGON2_PARALLELISM'>;

/** Longest password in bytes of UTF-8; nobody types more, and it bounds the work of the policy. */
export const PASSWORD_MAX_BYTES = 1_024;

/** Half of the threads that Node has for such work, so that files and name look-ups go on. */
const HASHING_AT_ONCE = 2;
const HASHING_WAITING = 64;
/** Longest time that matching one password against the policy may take, in milliseconds. */
const POLICY_TIMEOUT_MS = 250;

const hashing = new ConcurrencyLimit(HASHING_AT_ONCE, HASHING_WAITING, () =>
  unavailable('passwords', 'Too many passwords are being checked right now.'),
);

/** How many passwords this process has hashed or compared with a hash: its costly work so far. */
export function passwordsWorked(): number {
  return hashing.started;
}

function isTooLong(password: string): boolean {
  return Buffer.byteLength(password) > PASSWORD_MAX_BYTES;
}

function parameters(config: PasswordConfig) {
  return {
    type: argon2.argon2id,
    memoryCost: Math.ceil(config.ARGON2_MEMORY / 1024),
    timeCost: config.ARGON2_TIME,
    parallelism: config.ARGON2_PARALLELISM,
  } as const;
}

/**
 * Hashes a password with argon2id and the parameters of the configuration, in PHC form.
 * @throws {ServiceError} INVALID_PAYLOAD for a password over {@link PASSWORD_MAX_BYTES};
 *   SERVICE_UNAVAILABLE with Retry-After when too many wait already
 */
export async function hashPassword(config: PasswordConfig, password: string): Promise<string> {
  if (isTooLong(password)) {
    throw invalidPayload(`A password may have up to ${PASSWORD_MAX_BYTES} bytes.`);
  }
  return await hashing.run(() => argon2.hash(password, parameters(config)));
}

/**
 * Whether a password belongs to a hash; false for what is no hash, and for a password that is
 * longer than any that was ever hashed. The comparison takes the same time wherever they differ.
 * @throws {ServiceError} SERVICE_UNAVAILABLE with Retry-After when too many wait already
 */
export async function verifyPassword(hash: string, password: string): Promise<boolean> {
  if (isTooLong(password)) return false;
  return await hashing.run(() => argon2.verify(hash, password).catch(() => false));
}

/** The hash was made with other parameters than those of the configuration. */
export function isOutdated(config: PasswordConfig, hash: string): boolean {
  return !hash.startsWith('$argon2id$') || argon2.needsRehash(hash, parameters(config));
}

/** A hash that no password has, and that takes as long to find out as any other. */
export function hashOfNobody(config: PasswordConfig): string {
  const { memoryCost, timeCost, parallelism } = parameters(config);
  const part = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memoryCost},p=${parallelism},t=${timeCost}$${part(16)}$${part(32)}`;
}

/** The policy of the settings, as {@link checkPasswordPolicy} takes it; null when there is none. */
export async function readPasswordPolicy(
  db: Pool | Client,
  schema: string,
): Promise<string | null> {
  const { rows } = await db.query<{ policy: string | null }>(
    render(sql`SELECT auth_password_policy AS policy FROM ${systemTable(schema, 'settings')}
      LIMIT 1`),
  );
  return rows[0]?.policy ?? null;
}

/** Matches in a context of its own, because only there a running match can be stopped. */
function matches(policy: string, password: string): boolean {
  const [, source = policy, flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(policy) ?? [];
  const context = createContext(Object.assign(Object.create(null), { source, flags, password }));
  const code = 'new RegExp(source, flags).test(password)';
  return runInContext(code, context, { timeout: POLICY_TIMEOUT_MS }) === true;
}

/**
 * Checks a new password against the policy of the settings: a regular expression, with or without
 * slashes and flags. A policy that cannot be read, or that takes more than 250 ms for a password,
 * lets nothing pass.
 * @throws {ServiceError} FAILED_VALIDATION of the field `password`, type `regex`; the password
 *   itself is not repeated. INVALID_PAYLOAD for a password over {@link PASSWORD_MAX_BYTES}.
 */
export function checkPasswordPolicy(policy: string | null, password: string): void {
  if (isTooLong(password)) {
    throw invalidPayload(`A password may have up to ${PASSWORD_MAX_BYTES} bytes.`);
  }
  if (policy === null || policy === '') return;
  let passed = false;
  let cause: unknown;
  try {
    passed = matches(policy, password);
  } catch (error) {
    cause = error;
  }
  if (passed) return;
  const details = { field: 'password', path: [], type: 'regex' };
  throw new ServiceError('FAILED_VALIDATION', details, { cause });
}
