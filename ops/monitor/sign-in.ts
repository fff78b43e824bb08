/**
 * Who may see the monitor: one operator with a password (HTTP Basic). Wrong passwords are counted by
 * address and together, so that nobody tries many.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { verifyPassword } from '#core/identity/password.ts';
import type { MonitorCredentials } from './credentials.ts';
import { type MonitorRequest, type MonitorResponse, text } from './http.ts';

const MINUTE_S = 60;
const TRIES_PER_ADDRESS = 10;
const TRIES_OF_ALL = 60;
const ALL = 'all';

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
  readonly #ofAll = new RateLimiterMemory({ points: TRIES_OF_ALL, duration: MINUTE_S });
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
    const wait = await this.#wait(request.ip);
    if (wait > 0) {
      return refusal(429, 'Too many wrong passwords.', { 'Retry-After': String(wait) });
    }
    const isRight = await this.#verify(password);
    if (isRight && isSame(name, this.#credentials.user)) return { name };
    await Promise.allSettled([this.#byAddress.consume(request.ip), this.#ofAll.consume(ALL)]);
    return refusal(401, 'User or password is wrong.');
  }

  /** Seconds until the address may try again; 0 when it may now. */
  async #wait(ip: string): Promise<number> {
    const counts = await Promise.all([this.#byAddress.get(ip), this.#ofAll.get(ALL)]);
    const waits = counts.map((count) =>
      count !== null && count.remainingPoints <= 0 ? Math.ceil(count.msBeforeNext / 1_000) : 0,
    );
    return Math.max(...waits);
  }

  async #verify(password: string): Promise<boolean> {
    if (this.#right !== null && timingSafeEqual(digest(password), this.#right)) return true;
    if (!(await verifyPassword(this.#credentials.hash, password))) return false;
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
