/** Puts a society into the tables of a world's schema, and opens the source of rights over them. */
import type { Pool } from 'pg';
import { pino } from 'pino';
import { AccessSource } from '#core/access/access-source.ts';
import type { Caller } from '#core/access/grants.ts';
import type { Rights } from '#core/access/rights.ts';
import type { Person, Society } from './society.ts';

const TABLES = ['policies', 'roles', 'access', 'permissions'] as const;

/** The rows of each table, as JSON. */
function rowsOf(society: Society): Readonly<Record<(typeof TABLES)[number], readonly unknown[]>> {
  return {
    policies: society.policies.map((id) => ({ id, name: id })),
    roles: society.roles.map((role) => ({ ...role, name: role.id })),
    access: society.access,
    permissions: society.permissions,
  };
}

/** The columns that are given; all others have their defaults. */
const COLUMNS: Readonly<Record<(typeof TABLES)[number], string>> = {
  policies: 'id, name',
  roles: 'id, name, parent',
  access: 'policy, role, "user", sort',
  permissions: 'policy, collection, action, permissions, validation, presets, fields',
};

export async function settle(pool: Pool, schema: string, society: Society): Promise<AccessSource> {
  const rows = rowsOf(society);
  for (const name of TABLES) {
    const table = `${schema}.system_${name}`;
    await pool.query(`CREATE TABLE ${table} (LIKE public.system_${name} INCLUDING ALL)`);
    await pool.query(
      `INSERT INTO ${table} (${COLUMNS[name]}) SELECT ${COLUMNS[name]}
       FROM json_populate_recordset(NULL::${table}, $1::json)`,
      [JSON.stringify(rows[name])],
    );
  }
  return new AccessSource({
    pool,
    schema,
    catalog: { onAccess: () => () => {}, inContact: () => true, trust: async () => {} },
    log: pino({ level: 'silent' }),
  });
}

/** What the service makes of a person. */
export async function callerRightsOf(
  source: AccessSource,
  { user, role }: Person,
): Promise<{ caller: Caller; rights: Rights }> {
  const account = user === null ? null : { user, role, session: null, secondFactor: false };
  const caller = await source.callerOf(account, null);
  return { caller, rights: await source.rightsOf(caller) };
}
