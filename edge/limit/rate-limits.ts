/**
 * The limits of an edge: per address and for all together before anybody is authenticated, per
 * user after it, and strict ones for what attackers try often. Keys are made only of what the
 * server itself knows, the client's address and the user behind a valid token; nothing that a
 * client may choose freely can make it a new one.
 */
import type { Caller } from '#core/access/grants.ts';
import { addressKey } from '#core/access/quota-key.ts';
import type { Config } from '#core/config/config.ts';
import { ServiceError } from '#core/errors/service-error.ts';
import type { HealthCheck, HealthChecks } from '#core/process/health-check.ts';
import { clientIpBy } from '#edge/http/client-ip.ts';
import { ClientGoneError, type Request } from '#edge/http/request.ts';
import type { CounterStore } from './memory-store.ts';
import type { Count, Counter, Quota } from './request-counter.ts';

/** What is limited strictly; each is counted separately. */
export type StrictName = 'login' | 'reset' | 'hash' | 'registration';

/** One limit that is switched on. */
interface Limit {
  readonly name: string;
  readonly quota: Quota;
  readonly counter: Counter;
  /** Its `RateLimit-Policy`. */
  readonly policy: string;
}

export class Limits {
  readonly #store: CounterStore;
  readonly #address: (request: Request) => string | null;
  readonly #perAddress: Limit | null;
  readonly #global: Limit | null;
  readonly #perIdentity: Limit | null;
  readonly #strict: Readonly<Record<StrictName, Limit | null>>;

  constructor(config: Config, store: CounterStore) {
    this.#store = store;
    this.#address = clientIpBy(config.IP_TRUST_PROXY);
    const limit = (name: string, enabled: boolean, points: number, duration: number) => {
      const quota = { points, duration };
      const policy = `"${name}";q=${points};w=${duration}`;
      return enabled ? { name, quota, policy, counter: store.counter(name, quota) } : null;
    };
    const { RATE_LIMIT_ENABLED, RATE_LIMIT_POINTS, RATE_LIMIT_DURATION } = config;
    this.#perAddress = limit('ip', RATE_LIMIT_ENABLED, RATE_LIMIT_POINTS, RATE_LIMIT_DURATION);
    this.#global = limit(
      'global',
      config.RATE_LIMIT_GLOBAL_ENABLED,
      config.RATE_LIMIT_GLOBAL_POINTS,
      config.RATE_LIMIT_GLOBAL_DURATION,
    );
    this.#perIdentity = limit(
      'identity',
      config.RATE_LIMIT_IDENTITY_ENABLED,
      config.RATE_LIMIT_IDENTITY_POINTS,
      config.RATE_LIMIT_IDENTITY_DURATION,
    );
    const login = (name: StrictName) =>
      limit(
        name,
        config.RATE_LIMIT_LOGIN_ENABLED,
        config.RATE_LIMIT_LOGIN_POINTS,
        config.RATE_LIMIT_LOGIN_DURATION,
      );
    this.#strict = {
      login: login('login'),
      reset: login('reset'),
      hash: login('hash'),
      registration: limit(
        'registration',
        config.RATE_LIMIT_REGISTRATION_ENABLED,
        config.RATE_LIMIT_REGISTRATION_POINTS,
        config.RATE_LIMIT_REGISTRATION_DURATION,
      ),
    };
  }

  /**
   * Counts a request before anything else is done for it. The address comes first: what one client
   * is refused does not count against all others.
   * @returns nothing when that needed no waiting
   * @throws {ServiceError} REQUESTS_EXCEEDED, also through the promise
   */
  enter(request: Request): void | Promise<void> {
    const ip = this.#perAddress;
    if (ip === null) return undefined;
    const waiting = this.#count(ip, this.#keyOf(request), request);
    const global = this.#global;
    if (global === null) return waiting;
    if (waiting === undefined) return this.#count(global, 'all', request);
    return waiting.then(() => this.#count(global, 'all', request));
  }

  /** Counts a request of a known caller; an anonymous one is known by address. Otherwise as `enter`. */
  identify(request: Request, caller: Caller): void | Promise<void> {
    const limit = this.#perIdentity;
    if (limit === null) return undefined;
    const key = caller.user === null ? `ip:${this.#keyOf(request)}` : `user:${caller.user}`;
    return this.#count(limit, key, request);
  }

  /** Counts an attempt at something that is limited strictly, by address. Otherwise as `enter`. */
  attempt(request: Request, name: StrictName): void | Promise<void> {
    const limit = this.#strict[name];
    return limit === null ? undefined : this.#count(limit, this.#keyOf(request), request);
  }

  /** The state of the limits, for the health of the edge. */
  checks(): HealthChecks {
    const check: HealthCheck = this.#store.shared
      ? { status: 'ok', componentType: 'datastore' }
      : {
          status: 'warn',
          componentType: 'datastore',
          output: 'Redis does not answer: each process counts by itself.',
        };
    return { rateLimit: [check] };
  }

  close(): void {
    this.#store.close();
  }

  #keyOf(request: Request): string {
    const ip = this.#address(request);
    // Nobody is left to be answered, and whoever it was shall not go uncounted.
    if (ip === null) throw new ClientGoneError();
    return addressKey(ip);
  }

  #count(limit: Limit, key: string, request: Request): void | Promise<void> {
    const count = limit.counter.count(key);
    if (count instanceof Promise) return count.then((found) => settle(limit, found, request));
    return settle(limit, count, request);
  }
}

/** Tells the client (draft-ietf-httpapi-ratelimit-headers-10), and refuses what is too much. */
function settle({ name, quota, policy }: Limit, count: Count, request: Request): void {
  const seconds = Math.max(1, Math.ceil(count.reset / 1_000));
  request.addHeader('RateLimit-Policy', policy);
  request.addHeader('RateLimit', `"${name}";r=${count.remaining};t=${seconds}`);
  if (count.allowed) return;
  throw new ServiceError(
    'REQUESTS_EXCEEDED',
    { limit: quota.points, reset: new Date(Date.now() + count.reset).toISOString() },
    { headers: { 'Retry-After': String(seconds) } },
  );
}
