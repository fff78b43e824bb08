/**
 * Finds callers and permissions and caches them. An entry remains until its rows change. No result
 * is cached while this process cannot detect such changes.
 */

import { LRUCache } from 'lru-cache';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { Log } from '#core/base/log/log.ts';
import { oncePer } from '#core/base/once-per.ts';
import { translateFailure } from '#core/database/failure.ts';
import type { Pool } from '#core/database/pool.ts';
import type { AccessChanges } from '#core/model/catalog/access-changes.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import {
  type Account,
  type AccountPolicies,
  type Policy,
  parseAccountPolicies,
  readAccountPolicies,
} from './account-policies.ts';
import { APP_RIGHTS } from './app-permission.ts';
import type { Caller } from './grants.ts';
import {
  parseRow,
  readPermissions,
  type StoredPermissions,
  type StoredRow,
} from './permission-row.ts';
import { FULL_RIGHTS, type PermissionRow, type Rights, rightsFrom } from './rights.ts';

/** Accounts cached per process. */
const MAX_ACCOUNTS = 10_000;
/** Policies whose permissions are cached. */
const MAX_POLICIES = 2_000;
/** The cache key of anonymous callers. */
const ANONYMOUS_KEY = '';
/** Sets of policies whose rights are cached. */
const MAX_SETS = 1_000;
/** Rows that were already logged as invalid. */
const MAX_COMPLAINTS = 1_000;

export interface AccessSourceParts {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly catalog: Pick<CatalogSource, 'onAccess' | 'inContact' | 'trust'>;
  readonly log: Log;
}

/** The cached permissions of a policy, and a digest that detects changes. */
interface PolicyPermissions {
  readonly digest: string;
  readonly rows: readonly PermissionRow[];
}

/** Roles and policies by user. */
interface CachedPolicies {
  readonly role: string | null;
  readonly reading: Promise<AccountPolicies>;
  /** Null during the read. */
  found: AccountPolicies | null;
}

const NO_PERMISSIONS: PolicyPermissions = { digest: '', rows: [] };

export class AccessSource {
  readonly #parts: AccessSourceParts;
  readonly #standings = new LRUCache<string, CachedPolicies>({ max: MAX_ACCOUNTS });
  readonly #policies = new LRUCache<string, Promise<PolicyPermissions>>({ max: MAX_POLICIES });
  readonly #sets = new LRUCache<string, Promise<Rights>>({ max: MAX_SETS });
  // Keyed by the digests of their permissions. Rights survive unrelated changes, and so do the
  // statements compiled for them.
  readonly #parsed = new LRUCache<string, PolicyPermissions>({ max: MAX_POLICIES });
  readonly #rights = new LRUCache<string, Rights>({ max: MAX_SETS });
  readonly #complaints = new LRUCache<string, true>({ max: MAX_COMPLAINTS });
  // Equal roles and policies are one object for all accounts that have them.
  readonly #equal = new LRUCache<string, AccountPolicies>({ max: MAX_SETS });

  constructor(parts: AccessSourceParts) {
    this.#parts = parts;
    parts.catalog.onAccess((changes) => this.forget(changes));
  }

  /**
   * The caller for an account at an address, with the roles and policies that apply there.
   * Anonymous callers, and users without a role, have the public policies.
   * @param account null when anonymous
   * @param ip null when unknown: only policies without an address list apply
   * @throws ServiceError INVALID_IP when the address excludes each of the user's own policies;
   *   SERVICE_UNAVAILABLE when the database is unavailable
   */
  async callerOf(account: Account | null, ip: string | null): Promise<Caller> {
    const accountPolicies = await this.#policiesOf(account);
    const { user = null, role = null, session = null, secondFactor = false } = account ?? {};
    const { roles } = accountPolicies;
    // Static tokens are exempt, because a program cannot enter a code.
    const isExempt = session === null || secondFactor;
    const everywhere = factsAnywhere(accountPolicies);
    if (everywhere !== null) {
      const lacksSecondFactor = everywhere.enforceTfa && !isExempt;
      return { user, role, roles, ...everywhere, lacksSecondFactor, byAddress: false, ip, session };
    }
    const effective = accountPolicies.policies.filter(
      ({ addresses }) => addresses === null || addresses.has(ip),
    );
    const own = accountPolicies.policies.filter(({ shared }) => !shared);
    const decisive = own.length > 0 ? own : accountPolicies.policies;
    const barred = decisive.length > 0 && !decisive.some((policy) => effective.includes(policy));
    if (account !== null && barred) {
      throw new ServiceError('INVALID_IP');
    }
    const facts = factsOf(effective);
    const lacksSecondFactor = facts.enforceTfa && !isExempt;
    return { user, role, roles, ...facts, lacksSecondFactor, byAddress: true, ip, session };
  }

  /**
   * The rights of a caller: one object for all callers with the same policies. It remains the same
   * object while its permissions are unchanged.
   * @throws ServiceError SERVICE_UNAVAILABLE when the database is unavailable
   */
  async rightsOf(caller: Caller): Promise<Rights> {
    if (caller.admin) return FULL_RIGHTS;
    if (!this.#parts.catalog.inContact()) await this.#parts.catalog.trust();
    const { policies, app } = caller;
    const key = `${app} ${policies.join(' ')}`;
    return remembered(this.#sets, key, () => this.#combine(policies, app));
  }

  /** Removes the cache entries that these changes affect. Called after a write to the tables. */
  forget(changes: AccessChanges | null = null): void {
    if (changes === null) {
      this.#standings.clear();
      this.#policies.clear();
      this.#sets.clear();
      return;
    }
    for (const user of changes.users) this.#standings.delete(user);
    const { roles, policies } = changes;
    if (roles.size > 0 || policies.size > 0 || changes.public) {
      for (const [user, known] of this.#standings.entries()) {
        if (concerns(changes, known)) this.#standings.delete(user);
      }
    }
    const written = new Set([...changes.permissions, ...policies]);
    if (written.size === 0) return;
    for (const policy of written) this.#policies.delete(policy);
    for (const key of this.#sets.keys()) {
      if (key.split(' ').some((part) => written.has(part))) this.#sets.delete(key);
    }
  }

  async #policiesOf(account: Account | null): Promise<AccountPolicies> {
    if (!this.#parts.catalog.inContact()) await this.#parts.catalog.trust();
    const { user = ANONYMOUS_KEY, role = null } = account ?? {};
    const known = this.#standings.get(user);
    if (known !== undefined && known.role === role) return known.reading;
    const reading = this.#readStanding(account);
    // Stored before the read begins, so that an entry removed in the meantime does not reappear.
    const entry: CachedPolicies = { role, reading, found: null };
    this.#standings.set(user, entry);
    try {
      entry.found = await reading;
      return entry.found;
    } catch (error) {
      if (this.#standings.peek(user) === entry) this.#standings.delete(user);
      throw error;
    }
  }

  async #readStanding(account: Account | null): Promise<AccountPolicies> {
    const { pool, schema } = this.#parts;
    try {
      const row = await readAccountPolicies(pool, schema, account);
      const facts = JSON.stringify(row);
      const accountPolicies = this.#equal.get(facts) ?? parseAccountPolicies(row);
      this.#equal.set(facts, accountPolicies);
      return accountPolicies;
    } catch (error) {
      throw translateFailure(error);
    }
  }

  async #combine(policies: readonly string[], app: boolean): Promise<Rights> {
    const found = await Promise.all(this.#permissionsOf(policies));
    const digest = `${app} ${found.map((entry) => entry.digest).join(' ')}`;
    const known = this.#rights.get(digest);
    if (known !== undefined) return known;
    const rows = found.flatMap((entry) => entry.rows);
    const rights = rightsFrom(app ? [...APP_RIGHTS, ...rows] : rows);
    this.#rights.set(digest, rights);
    return rights;
  }

  /** The permissions of each policy. Unknown ones are read together. */
  #permissionsOf(policies: readonly string[]): Promise<PolicyPermissions>[] {
    const { pool, schema } = this.#parts;
    const known = policies.map((policy) => ({ policy, found: this.#policies.get(policy) }));
    const missing = known.filter(({ found }) => found === undefined).map(({ policy }) => policy);
    const batch = missing.length === 0 ? null : readPermissions(pool, schema, missing);
    return known.map(
      ({ policy, found }) =>
        found ??
        remembered(this.#policies, policy, async () => this.#parse((await batch)?.get(policy))),
    );
  }

  /** Invalid permissions grant nothing. */
  #parse(stored: StoredPermissions | undefined): PolicyPermissions {
    if (stored === undefined) return NO_PERMISSIONS;
    const { digest } = stored;
    const known = this.#parsed.get(digest);
    if (known !== undefined) return known;
    const rows = stored.rows.flatMap((row) => {
      const parsed = parseRow(row);
      if (parsed === null) this.#complain(row, `there is no action ${row.action}.`);
      for (const { place, reason } of parsed?.faults ?? []) {
        this.#complain(row, `its ${place} cannot be read. ${reason.sentence}`);
      }
      return parsed === null ? [] : [parsed.row];
    });
    const parsed = { digest, rows };
    this.#parsed.set(digest, parsed);
    return parsed;
  }

  #complain({ id, policy, collection, action }: StoredRow, detail: string): void {
    const complaint = `permission ${id} (${action} ${collection}) grants nothing: ${detail}`;
    if (this.#complaints.has(complaint)) return;
    this.#complaints.set(complaint, true);
    this.#parts.log.warn({ permission: id, policy }, complaint);
  }
}

/** Whether changes of roles and policies affect these. */
function concerns(changes: AccessChanges, { role, found }: CachedPolicies): boolean {
  if (found === null || (changes.public && role === null)) return true;
  if (found.roles.some((one) => changes.roles.has(one))) return true;
  return found.policies.some(({ id }) => changes.policies.has(id));
}

type PolicyFacts = Pick<Caller, 'policies' | 'admin' | 'app' | 'enforceTfa'>;

/** The flags of the policies that apply to the whole caller. */
function factsOf(policies: readonly Policy[]): PolicyFacts {
  return {
    policies: policies.map((policy) => policy.id),
    admin: policies.some((policy) => policy.admin),
    app: policies.some((policy) => policy.app),
    enforceTfa: policies.some((policy) => policy.enforceTfa),
  };
}

/** The flags of policies that apply at every address; null when some policies do not. */
const factsAnywhere = oncePer(({ policies }: AccountPolicies): PolicyFacts | null =>
  policies.some(({ addresses }) => addresses !== null) ? null : factsOf(policies),
);

/**
 * Returns the cache entry, or reads it. The promise is stored before the read begins. So concurrent
 * callers share one read, and clearing the cache also discards a pending result.
 */
function remembered<T>(
  cache: LRUCache<string, Promise<T>>,
  key: string,
  read: () => Promise<T>,
): Promise<T> {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const reading = read().catch((error: unknown) => {
    if (cache.peek(key) === reading) cache.delete(key);
    throw translateFailure(error);
  });
  cache.set(key, reading);
  return reading;
}
