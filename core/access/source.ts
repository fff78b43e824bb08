/**
 * Who may do what, as this process knows it: accounts become callers, callers have rights. What
 * was read is remembered until the tables behind it change, and not at all while the process cannot
 * tell whether they have.
 */
import { LRUCache } from 'lru-cache';
import type { CatalogSource } from '#core/catalog/source.ts';
import { translateFailure } from '#core/database/failure.ts';
import type { Pool } from '#core/database/pool.ts';
import { ServiceError } from '#core/errors/service-error.ts';
import type { Log } from '#core/log/log.ts';
import {
  type Account,
  type Policy,
  parseStanding,
  readStanding,
  type Standing,
} from './account.ts';
import { APP_RIGHTS } from './app-permission.ts';
import type { Caller } from './grant.ts';
import {
  parseRow,
  readPermissions,
  type StoredPermissions,
  type StoredRow,
} from './permission-row.ts';
import { FULL_RIGHTS, type PermissionRow, type Rights, rightsFrom } from './right.ts';

/** Accounts remembered in one process. */
const MAX_ACCOUNTS = 10_000;
/** Policies whose permissions are remembered. */
const MAX_POLICIES = 2_000;
/** Sets of policies whose rights are remembered. */
const MAX_SETS = 1_000;
/** Rows remembered as complained about. */
const MAX_COMPLAINTS = 1_000;
/** How long what was read counts without contact, in milliseconds: as long as a change may take. */
const TRUSTED_MS = 1_000;

export interface AccessParts {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly catalog: Pick<CatalogSource, 'onCounter' | 'inContact' | 'look'>;
  readonly log: Log;
}

/** What is kept of a policy: its permissions, and what tells whether they are the same as before. */
interface PolicyPermissions {
  readonly digest: string;
  readonly rows: readonly PermissionRow[];
}

const NO_PERMISSIONS: PolicyPermissions = { digest: '', rows: [] };

export class AccessSource {
  readonly #parts: AccessParts;
  readonly #standings = new LRUCache<string, Promise<Standing>>({ max: MAX_ACCOUNTS });
  readonly #policies = new LRUCache<string, Promise<PolicyPermissions>>({ max: MAX_POLICIES });
  readonly #sets = new LRUCache<string, Promise<Rights>>({ max: MAX_SETS });
  // By what they are made of. They outlive a change elsewhere, and with them what was compiled.
  readonly #parsed = new LRUCache<string, PolicyPermissions>({ max: MAX_POLICIES });
  readonly #rights = new LRUCache<string, Rights>({ max: MAX_SETS });
  readonly #complaints = new LRUCache<string, true>({ max: MAX_COMPLAINTS });
  // Equal standings are one object, however many accounts have them.
  readonly #equal = new LRUCache<string, Standing>({ max: MAX_SETS });

  #forgotAt = 0;

  constructor(parts: AccessParts) {
    this.#parts = parts;
    parts.catalog.onCounter('access', () => this.forget());
    parts.catalog.onCounter('reset', () => this.forget());
  }

  /**
   * The caller that an account is at an address: with the roles and policies that hold there.
   * Strangers, and users without a role, have the public policies.
   * @param account null for strangers
   * @param ip null when unknown: only policies without a list of addresses hold then
   * @throws ServiceError INVALID_IP when each policy of a user, the public's left aside, is barred by
   *   address; SERVICE_UNAVAILABLE when the database cannot be asked
   */
  async callerOf(account: Account | null, ip: string | null): Promise<Caller> {
    const standing = await this.#standingOf(account);
    const effective = standing.policies.filter(
      ({ addresses }) => addresses === null || addresses.has(ip),
    );
    const own = standing.policies.filter(({ shared }) => !shared);
    const decisive = own.length > 0 ? own : standing.policies;
    const barred = decisive.length > 0 && !decisive.some((policy) => effective.includes(policy));
    if (account !== null && barred) {
      throw new ServiceError('INVALID_IP');
    }
    const facts = factsOf(effective);
    const { user = null, role = null, session = null, secondFactor = false } = account ?? {};
    // Static tokens are exempt: nobody types a code for a program.
    const lacksSecondFactor = facts.enforceTfa && session !== null && !secondFactor;
    return { user, role, roles: standing.roles, ...facts, lacksSecondFactor, ip, session };
  }

  /**
   * What a caller may do: one object for all callers with the same policies, and the same one as
   * before for as long as nothing about them changes.
   * @throws ServiceError SERVICE_UNAVAILABLE when the database cannot be asked
   */
  async rightsOf(caller: Caller): Promise<Rights> {
    if (caller.admin) return FULL_RIGHTS;
    if (!this.#parts.catalog.inContact()) await this.#regain();
    const { policies, app } = caller;
    const key = `${app} ${policies.join(' ')}`;
    return remembered(this.#sets, key, () => this.#combine(policies, app));
  }

  /** Forgets what was read; called by itself when one of the tables was written to. */
  forget(): void {
    this.#forgotAt = performance.now();
    this.#standings.clear();
    this.#policies.clear();
    this.#sets.clear();
  }

  /**
   * Without contact a change may have gone unnoticed. One look, shared by all who ask meanwhile,
   * tells; where even that fails, nothing is used that is older than a look.
   */
  async #regain(): Promise<void> {
    try {
      await this.#parts.catalog.look();
    } catch {
      if (performance.now() - this.#forgotAt > TRUSTED_MS) this.forget();
    }
  }

  async #standingOf(account: Account | null): Promise<Standing> {
    if (!this.#parts.catalog.inContact()) await this.#regain();
    const key = account === null ? '' : `${account.user} ${account.role}`;
    return remembered(this.#standings, key, async () => {
      const { pool, schema } = this.#parts;
      const row = await readStanding(pool, schema, account);
      const facts = JSON.stringify(row);
      const standing = this.#equal.get(facts) ?? parseStanding(row);
      this.#equal.set(facts, standing);
      return standing;
    });
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

  /** The permissions of each policy; those that are not known are read together. */
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

  /** What cannot be understood grants nothing. */
  #parse(stored: StoredPermissions | undefined): PolicyPermissions {
    if (stored === undefined) return NO_PERMISSIONS;
    const { digest } = stored;
    const known = this.#parsed.get(digest);
    if (known !== undefined) return known;
    const rows = stored.rows.flatMap((row) => {
      const parsed = parseRow(row);
      if (parsed === null) this.#complain(row, `there is no action ${row.action}.`);
      for (const { place, reason } of parsed?.faults ?? []) {
        this.#complain(row, `its ${place} cannot be read. ${reason}`);
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

/** What the policies of a caller say of the caller as a whole. */
function factsOf(policies: readonly Policy[]) {
  return {
    policies: policies.map((policy) => policy.id),
    admin: policies.some((policy) => policy.admin),
    app: policies.some((policy) => policy.app),
    enforceTfa: policies.some((policy) => policy.enforceTfa),
  };
}

/**
 * The entry of a cache, or what `read` yields. The promise is kept before reading begins, so that
 * many who ask at once read once, and a cache that is cleared meanwhile does not keep what was read
 * before that.
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
