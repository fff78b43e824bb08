/**
 * The rate limits of an edge. Before authentication they apply per address and to all requests
 * together, afterwards per user. Logins and similar routes have strict limits. Keys consist only of
 * verified facts: the client's address and the user of a valid token. So a client cannot choose a
 * new key.
 */

import { clientIpResolver } from '#core/access/client-ip.ts';
import type { Caller } from '#core/access/grants.ts';
import { addressKey } from '#core/access/quota-key.ts';
import type { Config } from '#core/base/config/variables.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { type Count as Counted, metrics } from '#core/base/metrics/metrics.ts';
import type { HealthCheck, HealthChecks } from '#core/base/process/health-check.ts';
import { ClientGoneError, type Request } from '#edge/http/request.ts';
import type { CounterStore } from './memory-store.ts';
import type { Count, Counter, Quota } from './request-counter.ts';

/** The strictly limited routes; each is counted separately. */
export type StrictName = 'login' | 'reset' | 'hash' | 'registration';

/** One enabled limit. */
interface Limit {
  readonly name: string;
  readonly quota: Quota;
  readonly counter: Counter;
  /** Its `RateLimit-Policy` header. */
  readonly policy: string;
  /** Metrics: the numbers of allowed and refused requests. */
  readonly allowed: Counted;
  readonly refused: Counted;
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
    this.#address = clientIpResolver(config.IP_TRUST_PROXY);
    const limit = (name: string, enabled: boolean, points: number, duration: number) => {
      const quota = { points, duration };
      const policy = `"${name}";q=${points};w=${duration}`;
      if (!enabled) return null;
      const decisions = (decision: string) =>
        metrics.counter('sluice_rate_limit_decisions_total', { limit: name, decision });
      return {
        ...{ name, quota, policy, counter: store.counter(name, quota) },
        allowed: decisions('allowed'),
        refused: decisions('refused'),
      };
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
   * Counts a request on arrival. The limit per address comes first: requests that it refuses do not
   * count against the limit for all requests.
   * @returns undefined when no wait is necessary
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

  /**
   * Counts a request after authentication; anonymous callers by address. Otherwise like `enter`.
   */
  identify(request: Request, caller: Caller): void | Promise<void> {
    const limit = this.#perIdentity;
    if (limit === null) return undefined;
    const key = caller.user === null ? `ip:${this.#keyOf(request)}` : `user:${caller.user}`;
    return this.#count(limit, key, request);
  }

  /** Counts an attempt of a strictly limited route, by address. Otherwise like `enter`. */
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
    // The connection is closed, so there is no address to count and no client to answer.
    if (ip === null) throw new ClientGoneError();
    return addressKey(ip);
  }

  #count(limit: Limit, key: string, request: Request): void | Promise<void> {
    const count = limit.counter.count(key);
    if (count instanceof Promise) return count.then((found) => settle(limit, found, request));
    return settle(limit, count, request);
  }
}

/**
 * Sets the headers (draft-ietf-httpapi-ratelimit-headers-10), and refuses requests above the limit.
 */
function settle(limit: Limit, count: Count, request: Request): void {
  const { name, quota, policy } = limit;
  const seconds = Math.max(1, Math.ceil(count.reset / 1_000));
  request.addHeader('RateLimit-Policy', policy);
  request.addHeader('RateLimit', `"${name}";r=${count.remaining};t=${seconds}`);
  if (count.allowed) {
    limit.allowed.value += 1;
    return;
  }
  limit.refused.value += 1;
  throw new ServiceError(
    'REQUESTS_EXCEEDED',
    { limit: quota.points, reset: new Date(Date.now() + count.reset).toISOString() },
    { headers: { 'Retry-After': String(seconds) } },
  );
}
