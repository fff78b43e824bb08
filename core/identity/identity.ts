/**
 * Finds out who sends a request: a token becomes a caller. What was found is remembered until the
 * tables behind it change.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Caller, STRANGER } from '#core/access/grant.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, type Statement, sql } from '#core/database/sql.ts';
import { ServiceError } from '#core/errors/service-error.ts';
import { systemTable } from '#core/system/table.ts';

/** Callers remembered in one process. */
const MAX_CALLERS = 10_000;

/** The active user with this token, and whether any policy of the user or its roles makes an admin. */
function callerStatement(schema: string, tokenHash: string): Statement {
  const table = (name: string) => systemTable(schema, name);
  return render(sql`
    WITH RECURSIVE found AS (
      SELECT u.id, u.role FROM ${table('users')} AS u
      WHERE u.token = ${tokenHash} AND u.status = 'active'
    ), chain AS (
      SELECT r.id, r.parent FROM ${table('roles')} AS r JOIN found ON r.id = found.role
      UNION
      SELECT r.id, r.parent FROM ${table('roles')} AS r JOIN chain ON r.id = chain.parent
    )
    , effective AS (
      SELECT p.id, p.admin_access
      FROM ${table('access')} AS a JOIN ${table('policies')} AS p ON p.id = a.policy
      WHERE a."user" = (SELECT id FROM found) OR a.role IN (SELECT id FROM chain)
    )
    SELECT found.id AS "user", found.role,
      ARRAY(SELECT id::text FROM chain) AS roles,
      ARRAY(SELECT DISTINCT id::text FROM effective) AS policies,
      EXISTS (SELECT FROM effective WHERE admin_access) AS admin
    FROM found`);
}

export class Identity {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #callers = new LRUCache<string, Caller>({ max: MAX_CALLERS });

  constructor(pool: Pool, schema: string) {
    this.#pool = pool;
    this.#schema = schema;
  }

  /**
   * The caller behind a token; a stranger without one.
   * @throws ServiceError INVALID_CREDENTIALS for a token that nobody has
   */
  async authenticate(token: string | null): Promise<Caller> {
    if (token === null) return STRANGER;
    const known = this.#callers.get(token);
    if (known) return known;
    const hash = createHash('sha256').update(token).digest('hex');
    const { rows } = await this.#pool.query<Partial<Caller>>(callerStatement(this.#schema, hash));
    const [found] = rows;
    if (found === undefined) throw new ServiceError('INVALID_CREDENTIALS');
    const caller: Caller = { ...STRANGER, ...found };
    this.#callers.set(token, caller);
    return caller;
  }

  /** Forgets everybody; called when users, roles, policies or access changed. */
  forget(): void {
    this.#callers.clear();
  }
}
