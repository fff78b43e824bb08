/** Creates users with policies by SQL, and sends requests as these users. */
import { createHash, randomUUID } from 'node:crypto';
import type { Cluster } from './cluster.ts';
import { sendAgain } from './send-again.ts';
import { until } from './until.ts';

/** A permission as the table stores it, with its JSON as values. */
export interface GivenPermission {
  readonly collection: string;
  readonly action: 'create' | 'read' | 'update' | 'delete';
  readonly permissions?: object;
  readonly validation?: object;
  readonly presets?: object;
  readonly fields?: readonly string[];
}

export interface Answer {
  readonly status: number;
  /** The parsed body, null without one; untyped for tests. */
  readonly body: ReturnType<typeof JSON.parse>;
  /** The code of the first error. */
  readonly code: string | undefined;
}

/** A user of a cluster. */
export interface MemberUser {
  readonly id: string;
  readonly policy: string;
  readonly role: string;
  readonly token: string;
  send(method: string, path: string, body?: unknown): Promise<Answer>;
  upload(path: string, form: FormData): Promise<Answer>;
}

async function ask(cluster: Cluster, token: string, path: string, init: RequestInit) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await cluster.fetch(path, { ...init, headers });
  const text = await response.text();
  const body = text === '' ? null : JSON.parse(text);
  return { status: response.status, body, code: body?.errors?.[0]?.extensions?.code };
}

/**
 * Sends a request with a token and returns the response; reads that a change of permissions
 * interrupts are repeated.
 */
export function sendAs(
  cluster: Cluster,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const send = () => ask(cluster, token, path, { method, ...sent });
  return method === 'GET' || method === 'SEARCH' ? sendAgain(send, ({ body }) => body) : send();
}

/**
 * Creates a user with a role whose policy has these permissions, and waits until the edge applies
 * them.
 * @param admin whether the policy has admin access
 */
export async function createMember(
  cluster: Cluster,
  permissions: readonly GivenPermission[],
  { admin = false, app = false } = {},
): Promise<MemberUser> {
  const { db } = cluster;
  const [id, policy, role, token] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  await db.query(
    'INSERT INTO system_policies (id, name, admin_access, app_access) VALUES ($1, $2, $3, $4)',
    [policy, `policy ${policy}`, admin, app],
  );
  await db.query('INSERT INTO system_roles (id, name) VALUES ($1, $2)', [role, `role ${role}`]);
  await db.query('INSERT INTO system_access (role, policy) VALUES ($1, $2)', [role, policy]);
  for (const given of permissions) {
    await db.query(
      `INSERT INTO system_permissions (policy, collection, action, permissions, validation, presets, fields)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [
        policy,
        given.collection,
        given.action,
        given.permissions ?? null,
        given.validation ?? null,
        given.presets ?? null,
        (given.fields ?? ['*']).join(','),
      ],
    );
  }
  await db.query('INSERT INTO system_users (id, email, role, token) VALUES ($1, $2, $3, $4)', [
    id,
    `${id}@example.com`,
    role,
    createHash('sha256').update(token).digest('hex'),
  ]);
  const send = (method: string, path: string, body?: unknown) =>
    sendAs(cluster, token, method, path, body);
  await until(async () => (await send('GET', '/users/me')).status === 200, 'the user is known');
  const upload = (path: string, body: FormData) =>
    ask(cluster, token, path, { method: 'POST', body });
  return { id, policy, role, token, send, upload };
}
