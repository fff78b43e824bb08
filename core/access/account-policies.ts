/** Reads the roles and policies of an account with one statement. */
import * as v from 'valibot';
import type { Pool } from '#core/database/pool.ts';
import { render, type Statement, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { AddressList } from './address-list.ts';

/** The identity of an account; null represents anonymous callers. */
export interface Account {
  readonly user: string;
  readonly role: string | null;
  /** The session of its token; null for a static token. */
  readonly session: string | null;
  /** The user has a second factor. */
  readonly secondFactor: boolean;
}

export interface Policy {
  readonly id: string;
  readonly admin: boolean;
  readonly app: boolean;
  readonly enforceTfa: boolean;
  /** Addresses from which it may be used; null: any. */
  readonly addresses: AddressList | null;
  /** It comes from the public policies, not from this account. */
  readonly shared: boolean;
}

/** Roles and policies of an account, before its address is considered. */
export interface AccountPolicies {
  /** The role, then its ancestors, the nearest first. */
  readonly roles: readonly string[];
  /**
   * Policies of the most distant ancestor first, those of the user last. Later ones take
   * precedence.
   */
  readonly policies: readonly Policy[];
}

/** Only null means every address. An empty list contains none. */
const addresses = v.pipe(
  v.nullable(v.string()),
  v.transform((text) => (text === null ? null : AddressList.of(text))),
);

const rowSchema = v.object({
  roles: v.array(v.string()),
  policies: v.array(
    v.pipe(
      v.object({
        id: v.string(),
        admin_access: v.boolean(),
        app_access: v.boolean(),
        enforce_tfa: v.boolean(),
        ip_access: addresses,
        shared: v.boolean(),
      }),
      v.transform(
        (row): Policy => ({
          id: row.id,
          admin: row.admin_access,
          app: row.app_access,
          enforceTfa: row.enforce_tfa,
          addresses: row.ip_access,
          shared: row.shared,
        }),
      ),
    ),
  ),
});

/**
 * A role that is its own ancestor ends the chain. The public policies come from access rows without
 * role and user. They apply to every caller without a role.
 */
function accountPoliciesStatement(schema: string, account: Account | null): Statement {
  const table = (name: string) => systemTable(schema, name);
  const { user = null, role = null } = account ?? {};
  return render(sql`
    WITH RECURSIVE chain AS (
      SELECT id, parent, ARRAY[id] AS path FROM ${table('roles')} WHERE id = ${role}::uuid
      UNION ALL
      SELECT r.id, r.parent, chain.path || r.id
      FROM ${table('roles')} AS r JOIN chain ON r.id = chain.parent
      WHERE r.id <> ALL(chain.path)
    ), granted AS (
      SELECT a.policy, a.sort, a.id, cardinality(chain.path) AS distance, false AS shared
      FROM ${table('access')} AS a JOIN chain ON chain.id = a.role
      UNION ALL
      SELECT policy, sort, id, 0, false FROM ${table('access')} WHERE "user" = ${user}::uuid
      UNION ALL
      SELECT policy, sort, id, 1, true FROM ${table('access')}
      WHERE role IS NULL AND "user" IS NULL AND ${role}::uuid IS NULL
    ), ranked AS (
      SELECT DISTINCT ON (policy) policy, distance, sort, id, shared FROM granted
      ORDER BY policy, distance, sort, id
    )
    SELECT
      ARRAY(SELECT id::text FROM chain ORDER BY cardinality(path)) AS roles,
      (SELECT coalesce(json_agg(json_build_object(
          'id', p.id, 'admin_access', p.admin_access, 'app_access', p.app_access,
          'enforce_tfa', p.enforce_tfa, 'ip_access', p.ip_access,
          'shared', ranked.shared
        ) ORDER BY ranked.distance DESC, ranked.sort, ranked.id), '[]')
        FROM ranked JOIN ${table('policies')} AS p ON p.id = ranked.policy) AS policies`);
}

/**
 * Reads the roles and policies of an account, or the public ones; {@link parseAccountPolicies}
 * parses the result.
 */
export async function readAccountPolicies(
  pool: Pool,
  schema: string,
  account: Account | null,
): Promise<unknown> {
  const { rows } = await pool.query(accountPoliciesStatement(schema, account));
  return rows[0];
}

export function parseAccountPolicies(row: unknown): AccountPolicies {
  return v.parse(rowSchema, row);
}
