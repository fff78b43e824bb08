/**
 * Passwords: hashing with argon2id, comparing, and the policy for new ones. Hashing is the most
 * expensive operation that an anonymous caller can cause. So few hashes run at a time, fairly among
 * holders, and few may wait.
 */
import { randomBytes } from 'node:crypto';
import { createContext } from 'node:vm';
import argon2 from 'argon2';
import type { Config } from '#core/base/config/variables.ts';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError, unavailable } from '#core/base/errors/service-error.ts';
import { FairSemaphore } from '#core/base/holders/fair-semaphore.ts';
import type { Client, Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { runBounded } from '#core/read/evaluate/bounded-run.ts';

export type PasswordConfig = Pick<Config, 'ARGON2_MEMORY' | 'ARGON2_TIME' | 'ARGON2_PARALLELISM'>;

/** Maximum bytes of a password in UTF-8; it bounds the work of the policy. */
export const PASSWORD_MAX_BYTES = 1_024;

/** Half of Node's thread pool, so that files and name lookups continue. */
const HASHING_AT_ONCE = 2;
/** Maximum waiting passwords of one holder, and of all holders. */
const HASHING_WAITING = 64;
const HASHING_WAITING_IN_ALL = 1_024;
/** Processor time for matching one password with the policy, in milliseconds. */
const POLICY_TIMEOUT_MS = 250;

const hashing = new FairSemaphore({
  permits: HASHING_AT_ONCE,
  waiting: {
    max: HASHING_WAITING_IN_ALL,
    maxPerHolder: HASHING_WAITING,
    refusal: () => unavailable('passwords', reason('too_many_passwords_checked')),
  },
});
/** The holder of work that no client requested. */
const OWN = '';

let worked = 0;

/** How many passwords this process has hashed or compared so far. */
export function passwordsWorked(): number {
  return worked;
}

function work<T>(holder: string, compute: () => Promise<T>): Promise<T> {
  return hashing.run(holder, () => {
    worked += 1;
    return compute();
  });
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
 * Hashes a password with argon2id and the configured parameters, in PHC format.
 * @param holder of the work; by default the process itself
 * @throws {ServiceError} INVALID_PAYLOAD for a password over {@link PASSWORD_MAX_BYTES};
 *   SERVICE_UNAVAILABLE with Retry-After when too many of the holder are waiting
 */
export async function hashPassword(
  config: PasswordConfig,
  password: string,
  holder = OWN,
): Promise<string> {
  if (isTooLong(password)) {
    throw invalidPayload(reason('password_too_long', { limit: PASSWORD_MAX_BYTES }));
  }
  return await work(holder, () => argon2.hash(password, parameters(config)));
}

/**
 * Whether a password matches a hash; false for an invalid hash, and for a password that is too
 * long. The time does not depend on the position of the difference.
 * @param holder of the work; by default the process itself
 * @throws {ServiceError} SERVICE_UNAVAILABLE with Retry-After when too many of the holder are
 *   waiting
 */
export async function verifyPassword(
  hash: string,
  password: string,
  holder = OWN,
): Promise<boolean> {
  if (isTooLong(password)) return false;
  return await work(holder, () => argon2.verify(hash, password).catch(() => false));
}

/** Whether the hash was made with other parameters than the configured ones. */
export function isOutdated(config: PasswordConfig, hash: string): boolean {
  return !hash.startsWith('$argon2id$') || argon2.needsRehash(hash, parameters(config));
}

/** A hash that no password matches, so that unknown users cost the same work. */
export function hashOfNobody(config: PasswordConfig): string {
  const { memoryCost, timeCost, parallelism } = parameters(config);
  const part = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memoryCost},p=${parallelism},t=${timeCost}$${part(16)}$${part(32)}`;
}

/** The policy of the settings, for {@link checkPasswordPolicy}; null without one. */
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

/** Runs the match in a separate context, because only there it can be interrupted. */
function matches(policy: string, password: string): boolean {
  const [, source = policy, flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(policy) ?? [];
  const context = createContext(Object.assign(Object.create(null), { source, flags, password }));
  const code = 'new RegExp(source, flags).test(password)';
  return runBounded(code, context, POLICY_TIMEOUT_MS) === true;
}

/**
 * Checks a new password with the policy of the settings: a regular expression, with or without
 * slashes and flags. An invalid policy, or one that takes more than 250 ms, accepts no password.
 * @throws {ServiceError} FAILED_VALIDATION of the field `password`, type `regex`, without the
 *   password; INVALID_PAYLOAD for a password over {@link PASSWORD_MAX_BYTES}
 */
export function checkPasswordPolicy(policy: string | null, password: string): void {
  if (isTooLong(password)) {
    throw invalidPayload(reason('password_too_long', { limit: PASSWORD_MAX_BYTES }));
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
