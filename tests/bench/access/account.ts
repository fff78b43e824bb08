/** Accounts that the bench reads with: members with row rules and field lists, and anonymous. */
import { createHash } from 'node:crypto';
import { hashPassword } from '#core/accounts/identity/password.ts';
import type { Environment } from '../environment.ts';

const PASSWORD = 'a password of the bench';
const EMAIL = 'member@bench.example';
/** Distinct users that send requests one after another, at scale 1. */
const CROWD = 10_000;

/** Their number at the scale of the data. */
export function crowdOf({ options }: Environment): number {
  return Math.max(50, Math.round(CROWD * Math.min(options.scale, 1)));
}

/** Fields of the nested read, and of the read of one item. */
const PERMISSIONS = [
  {
    collection: 'articles',
    fields: 'id,title,status,views,body,author,published_on,comments,article_tags',
    permissions: { status: { _neq: 'nobody' }, author: { name: { _nnull: true } } },
  },
  { collection: 'authors', fields: 'id,name', permissions: { id: { _gt: 0 } } },
  { collection: 'comments', fields: 'id,name,body,article', permissions: { id: { _gt: 0 } } },
  { collection: 'article_tags', fields: 'article,tag', permissions: null },
  { collection: 'tags', fields: 'id,name', permissions: null },
] as const;

export function crowdToken(index: number): string {
  return `the-static-token-of-bench-user-${index}`;
}

/**
 * Creates a role whose members have a rule and a list of fields, a member of it, the same rights
 * for anonymous callers, and many members with static tokens.
 */
export async function makeAccounts(environment: Environment): Promise<void> {
  const { pool, config } = environment;
  const one = async (text: string, values: unknown[] = []) =>
    String((await pool.query({ text, values, rowMode: 'array' })).rows[0]?.[0]);
  const role = await one(`INSERT INTO system_roles (name) VALUES ('bench') RETURNING id`);
  const policy = await one(`INSERT INTO system_policies (name) VALUES ('bench') RETURNING id`);
  await pool.query('INSERT INTO system_access (role, policy) VALUES ($1, $2), (NULL, $2)', [
    role,
    policy,
  ]);
  for (const { collection, fields, permissions } of PERMISSIONS) {
    await pool.query(
      `INSERT INTO system_permissions (policy, collection, action, fields, permissions)
       VALUES ($1, $2, 'read', $3, $4)`,
      [policy, collection, fields, JSON.stringify(permissions)],
    );
  }
  await pool.query('INSERT INTO system_users (email, password, role) VALUES ($1, $2, $3)', [
    EMAIL,
    await hashPassword(config, PASSWORD),
    role,
  ]);
  const hashes = Array.from({ length: crowdOf(environment) }, (_, index) =>
    createHash('sha256').update(crowdToken(index)).digest('hex'),
  );
  await pool.query(
    'INSERT INTO system_users (role, token) SELECT $1, t FROM unnest($2::text[]) AS t',
    [role, hashes],
  );
}

/** The member's access token. */
export async function logIn(url: string): Promise<string> {
  const response = await fetch(`${url}/auth/login`, {
    method: 'POST',
    body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
    headers: { 'Content-Type': 'application/json' },
  });
  const { data }: { data: { access_token: string } } = JSON.parse(await response.text());
  return data.access_token;
}
