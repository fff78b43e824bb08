/** The recipe for data of several tenants works as written, and separates them. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { bodyOf } from '#tests/harness/body.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { processEnvironment } from '#tests/harness/process.ts';
import { outcome, post, QUICK_LOGIN, type Tokens } from '../edge/rest/fixture/sign-in.ts';

const RECIPE = join(import.meta.dirname, '../../ops/docs/multi-tenant.md');

const cluster = await startCluster(t, { workers: 1, env: QUICK_LOGIN });
const { url } = cluster;

/** The lines for the shell, in their order. */
function script(): string {
  const blocks = readFileSync(RECIPE, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms);
  return ['set -e', ...Array.from(blocks, ([, text = '']) => text)].join('\n');
}

async function member(email: string, password: string) {
  const login = await post(`${url}/auth/login`, { email, password });
  const { access_token } = (await bodyOf<{ data: Tokens }>(login)).data;
  return (method: string, path: string, body?: unknown) =>
    fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
}

t.test('each tenant sees and writes its own rows', async (t) => {
  const env = { ...processEnvironment(), URL: url, ADMIN_TOKEN };
  await promisify(execFile)('bash', ['-c', script()], { env });
  const ann = await member('ann@ash.example', 'a-password-of-ann');
  const bob = await member('bob@birch.example', 'a-password-of-bob');

  const made = await bodyOf<{ data: { id: number; tenant: number } }>(
    await ann('POST', '/items/projects', { name: 'Roof' }),
  );
  t.equal(made.data.tenant, 1, 'the preset fills it in');
  await bob('POST', '/items/projects', { name: 'Cellar' });
  const names = async (ask: typeof ann) =>
    (await bodyOf<{ data: { name: string }[] }>(await ask('GET', '/items/projects?fields=name')))
      .data;
  t.strictSame(await names(ann), [{ name: 'Roof' }]);
  t.strictSame(await names(bob), [{ name: 'Cellar' }]);

  for (const [method, path, body] of [
    ['GET', `/items/projects/${made.data.id}`],
    ['PATCH', `/items/projects/${made.data.id}`, { name: 'mine' }],
    ['DELETE', `/items/projects/${made.data.id}`],
    ['POST', '/items/projects', { name: 'Shed', tenant: 1 }],
    ['PATCH', '/users/me', { tenant: 1 }],
    ['GET', '/items/tenants/1'],
  ] as const) {
    t.equal(await outcome(bob(method, path, body)), 'FORBIDDEN', `${method} ${path}`);
  }
});

t.test('built-in fields of users are fixed, those of one’s own are not', async (t) => {
  const send = (method: string, path: string, body?: unknown) =>
    outcome(
      cluster.fetch(path, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  const { rows } = await cluster.db.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
      WHERE attrelid = 'system_users'::regclass AND attnum > 0 AND attname <> 'tenant'`,
  );
  for (const { name } of rows) {
    t.equal(await send('DELETE', `/fields/system_users/${name}`), 'FORBIDDEN', name);
  }
  const retyped = await send('PATCH', '/fields/system_users/email', { type: 'text' });
  t.equal(retyped, 'INVALID_PAYLOAD');
  t.equal(await send('POST', '/fields/system_roles', { field: 'x', type: 'string' }), 'FORBIDDEN');
  t.equal(await send('DELETE', '/relations/system_users/role'), 'FORBIDDEN');
  t.equal(await send('PATCH', '/fields/system_users/tenant', { meta: { note: 'whose' } }), 200);
  t.equal(await send('DELETE', '/relations/system_users/tenant'), 204);
  t.equal(await send('DELETE', '/fields/system_users/tenant'), 204);
});
