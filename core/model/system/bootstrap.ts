/**
 * The first start on a database: creates the first admin and the row of settings. Later starts
 * change nothing.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Config } from '#core/base/config/variables.ts';
import { type Client, type Pool, transaction } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemSchema, systemTable } from './system-table.ts';

/** The credentials of the first admin; the database stores only hashes. */
export interface AdminCredentials {
  readonly email: string;
  readonly password: string;
  readonly token: string;
}

type BootstrapConfig = Pick<
  Config,
  | 'DATABASE_SCHEMA'
  | 'ADMIN_EMAIL'
  | 'ADMIN_PASSWORD'
  | 'ADMIN_TOKEN'
  | 'ARGON2_MEMORY'
  | 'ARGON2_TIME'
  | 'ARGON2_PARALLELISM'
>;

const DEFAULT_EMAIL = 'admin@example.com';

async function hashPassword(config: BootstrapConfig, password: string): Promise<string> {
  // Not loaded by later starts.
  const { default: argon2 } = await import('argon2');
  return await argon2.hash(password, {
    memoryCost: Math.ceil(config.ARGON2_MEMORY / 1024),
    timeCost: config.ARGON2_TIME,
    parallelism: config.ARGON2_PARALLELISM,
  });
}

async function insertAdmin(
  config: BootstrapConfig,
  client: Client,
  admin: AdminCredentials,
): Promise<void> {
  const schema = systemSchema(config);
  const password = await hashPassword(config, admin.password);
  const token = createHash('sha256').update(admin.token).digest('hex');
  await client.query(
    render(sql`
      WITH role AS (
        INSERT INTO ${systemTable(schema, 'roles')} (name, icon, description)
        VALUES ('Administrator', 'verified', 'May do everything') RETURNING id
      ), policy AS (
        INSERT INTO ${systemTable(schema, 'policies')}
          (name, icon, description, admin_access, app_access)
        VALUES ('Administrator', 'verified', 'May do everything', true, true) RETURNING id
      ), access AS (
        INSERT INTO ${systemTable(schema, 'access')} (role, policy)
        SELECT role.id, policy.id FROM role, policy
      )
      INSERT INTO ${systemTable(schema, 'users')}
        (first_name, last_name, email, password, token, role)
      SELECT 'Admin', 'User', ${admin.email}, ${password}, ${token}, role.id FROM role`),
  );
}

/**
 * Creates the first admin (role, policy, access and user) when there is no user, and the row of
 * settings when it is missing. When several processes start at once, one of them does it.
 */
export async function bootstrapAdmin(
  config: BootstrapConfig,
  pool: Pool,
  keep: (admin: AdminCredentials) => void = () => undefined,
): Promise<AdminCredentials | null> {
  const schema = systemSchema(config);
  return transaction(pool, async (client) => {
    await client.query(
      render(
        sql`SELECT pg_advisory_xact_lock(hashtextextended(${`sluice bootstrap ${schema}`}, 0))`,
      ),
    );
    await client.query(
      render(
        sql`INSERT INTO ${systemTable(schema, 'settings')} (project_id)
          VALUES (gen_random_uuid()) ON CONFLICT DO NOTHING`,
      ),
    );
    const { rows } = await client.query(
      render(sql`SELECT FROM ${systemTable(schema, 'users')} LIMIT 1`),
    );
    if (rows.length > 0) return null;
    const admin = {
      email: config.ADMIN_EMAIL ?? DEFAULT_EMAIL,
      password: config.ADMIN_PASSWORD ?? randomBytes(12).toString('base64url'),
      token: config.ADMIN_TOKEN ?? randomBytes(24).toString('base64url'),
    };
    await insertAdmin(config, client, admin);
    keep(admin);
    return admin;
  });
}
