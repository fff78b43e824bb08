/** A member who writes with a row rule and a preset. */
import { createHash } from 'node:crypto';
import type { Environment } from '../environment.ts';

export const MEMBER_TOKEN = 'the-static-token-of-a-writing-member';

const OWN = { owner: { _eq: '$CURRENT_USER' } };
const PERMISSIONS = [
  ...['read', 'update', 'delete'].map((action) => ({ collection: 'posts', action, rule: OWN })),
  { collection: 'posts', action: 'create', rule: null },
  ...['writers', 'notes'].flatMap((collection) =>
    ['read', 'create'].map((action) => ({ collection, action, rule: null })),
  ),
];

/** Makes the member; returns its id. */
export async function makeMember({ pool }: Environment): Promise<string> {
  const one = async (text: string, values: unknown[]) =>
    String((await pool.query({ text, values, rowMode: 'array' })).rows[0]?.[0]);
  const policy = await one(
    `INSERT INTO system_policies (name) VALUES ('writing') RETURNING id`,
    [],
  );
  for (const { collection, action, rule } of PERMISSIONS) {
    const isOwned = collection === 'posts' && action !== 'read' && action !== 'delete';
    const presets = isOwned ? JSON.stringify({ owner: '$CURRENT_USER' }) : null;
    await pool.query(
      `INSERT INTO system_permissions (policy, collection, action, fields, permissions, presets)
       VALUES ($1, $2, $3, '*', $4, $5)`,
      [policy, collection, action, rule === null ? null : JSON.stringify(rule), presets],
    );
  }
  const user = await one('INSERT INTO system_users (token) VALUES ($1) RETURNING id', [
    createHash('sha256').update(MEMBER_TOKEN).digest('hex'),
  ]);
  await pool.query('INSERT INTO system_access ("user", policy) VALUES ($1, $2)', [user, policy]);
  return user;
}
