/**
 * Authenticates the only user of the monitor: an operator with a password (HTTP Basic). Attempts
 * are counted by the address of their client alone, so that other clients cannot lock out the
 * operator. Few passwords are verified at a time, fairly among addresses, regardless of the number
 * of clients.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { addressKey } from '#core/access/quota-key.ts';
import { verifyPassword } from '#core/accounts/identity/password.ts';
import { FairSemaphore } from '#core/base/holders/fair-semaphore.ts';
import type { MonitorCredentials } from './credentials.ts';
import { type MonitorRequest, type MonitorResponse, text } from './http.ts';

const MINUTE_S = 60;
const TRIES_PER_ADDRESS = 10;
/** Passwords that are verified concurrently: each occupies a processor for a while. */
const JUDGED_AT_ONCE = 2;
const MAX_WAITING = 100;

/** The signed-in operator. */
export interface Operator {
  readonly name: string;
}

function digest(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

/** Name and password of a request; null when they are missing or malformed. */
function sent({ headers }: Pick<MonitorRequest, 'headers'>): readonly [string, string] | null {
  const { authorization } = headers;
  const match =
    typeof authorization === 'string' ? /^basic ([\w+/=]+)$/i.exec(authorization) : null;
  const pair = Buffer.from(match?.[1] ?? '', 'base64').toString();
  const colon = pair.indexOf(':');
  return colon === -1 ? null : [pair.slice(0, colon), pair.slice(colon + 1)];
}

export class SignIn {
  readonly #credentials: MonitorCredentials;
  readonly #byAddress = new RateLimiterMemory({ points: TRIES_PER_ADDRESS, duration: MINUTE_S });
  readonly #permits = new FairSemaphore({
    ...{ permits: JUDGED_AT_ONCE, permitsPerHolder: 1 },
    waiting: {
      ...{ max: MAX_WAITING, maxPerHolder: TRIES_PER_ADDRESS },
      refusal: () => new Error('Too many passwords are being checked.'),
    },
  });
  /** The digest of the correct password, so that its hash is not computed for each request. */
  #right: Buffer | null = null;

  constructor(credentials: MonitorCredentials) {
    this.#credentials = credentials;
  }

  /** The operator, or the response that refuses the request. */
  async of(request: Pick<MonitorRequest, 'headers' | 'ip'>): Promise<Operator | MonitorResponse> {
    const pair = sent(request);
    if (pair === null) return refusal(401, 'The monitor needs its user and password.');
    const [name, password] = pair;
    const address = addressKey(request.ip);
    // An attempt counts before it is verified, so that concurrent attempts cannot exceed the limit.
    const { consumedPoints, msBeforeNext } = await this.#byAddress.penalty(address);
    if (consumedPoints > TRIES_PER_ADDRESS) {
      const wait = Math.ceil(msBeforeNext / 1_000);
      return refusal(429, 'Too many wrong passwords.', { 'Retry-After': String(wait) });
    }
    const isRight = await this.#verify(address, password);
    if (isRight && isSame(name, this.#credentials.user)) {
      await this.#byAddress.reward(address);
      return { name };
    }
    return refusal(401, 'User or password is wrong.');
  }

  /** Passwords beyond the capacity for verification count as wrong. */
  async #verify(address: string, password: string): Promise<boolean> {
    if (this.#right !== null && timingSafeEqual(digest(password), this.#right)) return true;
    const judge = () => verifyPassword(this.#credentials.hash, password);
    if (!(await this.#permits.run(address, judge).catch(() => false))) return false;
    this.#right = digest(password);
    return true;
  }
}

function refusal(
  status: number,
  reason: string,
  headers: Readonly<Record<string, string>> = {},
): MonitorResponse {
  const challenge = { 'WWW-Authenticate': 'Basic realm="Sluice monitor", charset="UTF-8"' };
  return { ...text(status, reason), headers: status === 401 ? challenge : headers };
}
