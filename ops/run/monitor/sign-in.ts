/**
 * Who may see the monitor: one operator with a password (HTTP Basic). Attempts are counted by the address of
 * their client alone, so that those of others do not lock the operator out. Few passwords are judged at a
 * time, fairly to addresses, however many clients try.
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
/** Passwords that are judged at a time: each takes a processor for a while. */
const JUDGED_AT_ONCE = 2;
const MAX_WAITING = 100;

/** Who signed in. */
export interface Operator {
  readonly name: string;
}

function digest(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

/** Name and password of a request; null when it has none that can be read. */
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
      refusal: () => new Error('Too many passwords are judged now.'),
    },
  });
  /** The digest of the password that was right, so that its hash is not computed for each request. */
  #right: Buffer | null = null;

  constructor(credentials: MonitorCredentials) {
    this.#credentials = credentials;
  }

  /** The operator, or the answer that refuses the request. */
  async of(request: Pick<MonitorRequest, 'headers' | 'ip'>): Promise<Operator | MonitorResponse> {
    const pair = sent(request);
    if (pair === null) return refusal(401, 'The monitor needs its user and password.');
    const [name, password] = pair;
    const address = addressKey(request.ip);
    // An attempt counts before it is judged, so that attempts at the same time cannot exceed the limit.
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

  /** Passwords that are more than can be judged count as wrong. */
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
