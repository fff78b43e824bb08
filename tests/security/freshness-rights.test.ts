// @newest @slow
/**
 * Rights that hold on after they were taken, or are refused after they were given: what an answer
 * confirmed holds for every request that is sent after it, on every edge.
 */
import t, { type Test } from 'tap';
import { MailTokens } from '#core/accounts/identity/mail-token.ts';
import {
  createUser,
  outcome,
  PASSWORD,
  post,
  QUICK_LOGIN,
  signIn,
} from '#tests/edge/rest/fixture/sign-in.ts';
import { backends } from '#tests/harness/backend.ts';
import { bodyOf } from '#tests/harness/body.ts';
import { type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { createPerson, openEdges, type Person, type TwoEdges } from './fixture/two-edges.ts';

const SECRET = 'the secret of an installation of tests';
const TABLES = `
  CREATE TABLE tenants (id integer PRIMARY KEY);
  ALTER TABLE system_users ADD COLUMN tenant integer REFERENCES tenants ON DELETE CASCADE;
  CREATE TABLE notes (id integer PRIMARY KEY, title text, owner uuid REFERENCES system_users);
  INSERT INTO notes SELECT n, 'secret' FROM generate_series(1, 3) AS n;`;

/** What is changed, and how it is seen by whoever has the token. */
interface Door {
  /** What is asked; the notes when left out. */
  readonly path?: string;
  /** Makes what is to be changed; its result is handed to the change. */
  readonly before?: (world: World, person: Person) => Promise<unknown>;
  readonly change: (
    world: World,
    person: Person,
    made: ReturnType<typeof JSON.parse>,
  ) => Promise<unknown>;
  /** What is answered before and after. */
  readonly turns: readonly [string | number, string | number];
}

interface World {
  readonly cluster: Cluster;
  readonly edges: TwoEdges;
}

const permission = ({ policy }: Person) => ({
  ...{ policy, collection: 'notes', action: 'read', fields: ['*'], permissions: null },
});

const grant = async ({ edges }: World, person: Person) =>
  (await edges.admin('POST', '/permissions', permission(person))).id;

const TAKEN = [200, 'FORBIDDEN'] as const;
const GIVEN = ['FORBIDDEN', 200] as const;
const GONE = [200, 'INVALID_CREDENTIALS'] as const;

const DOORS: Readonly<Record<string, Door>> = {
  'a permission is deleted': {
    before: grant,
    change: ({ edges }, _, id) => edges.admin('DELETE', `/permissions/${id}`),
    turns: TAKEN,
  },
  'a permission is deleted by query': {
    before: grant,
    change: ({ edges }, { policy }) =>
      edges.admin('DELETE', '/permissions', { query: { filter: { policy: { _eq: policy } } } }),
    turns: TAKEN,
  },
  'a permission is made': { change: grant, turns: GIVEN },
  'permissions are made as a batch': {
    change: ({ edges }, person) => edges.admin('POST', '/permissions', [permission(person)]),
    turns: GIVEN,
  },
  'permissions are changed as a batch': {
    before: grant,
    change: ({ edges }, _, id) =>
      edges.admin('PATCH', '/permissions', { keys: [id], data: { action: 'delete' } }),
    turns: TAKEN,
  },
  'a permission comes with its policy': {
    change: ({ edges }, person) =>
      edges.admin('PATCH', `/policies/${person.policy}`, {
        permissions: { create: [permission(person)], update: [], delete: [] },
      }),
    turns: GIVEN,
  },
  'a permission is changed with its policy': {
    before: grant,
    change: ({ edges }, { policy }, id) =>
      edges.admin('PATCH', `/policies/${policy}`, {
        permissions: { create: [], update: [{ id, action: 'delete' }], delete: [] },
      }),
    turns: TAKEN,
  },
  'a change of a permission is reverted': {
    async before(world, person) {
      const id = await grant(world, person);
      await world.edges.admin('PATCH', `/permissions/${id}`, { action: 'delete' });
      const filter = { collection: { _eq: 'system_permissions' }, item: { _eq: String(id) } };
      const query = new URLSearchParams({ filter: JSON.stringify(filter), sort: 'id' });
      return (await world.edges.admin('GET', `/revisions?${query}`))[0].id;
    },
    change: ({ edges }, _, revision) => edges.admin('POST', `/utils/revert/${revision}`),
    turns: GIVEN,
  },
  'a policy is deleted': {
    before: grant,
    change: ({ edges }, { policy }) => edges.admin('DELETE', `/policies/${policy}`),
    turns: TAKEN,
  },
  'a policy makes administrators': {
    change: ({ edges }, { policy }) =>
      edges.admin('PATCH', `/policies/${policy}`, { admin_access: true }),
    turns: GIVEN,
  },
  'a policy is barred by address': {
    before: grant,
    change: ({ edges }, { policy }) =>
      edges.admin('PATCH', `/policies/${policy}`, { ip_access: ['192.0.2.1'] }),
    turns: [200, 'INVALID_IP'],
  },
  'a policy is taken from a role': {
    before: grant,
    change: ({ edges }, { access }) => edges.admin('DELETE', `/access/${access}`),
    turns: TAKEN,
  },
  'a policy is given to the user': {
    async before(world, person) {
      await grant(world, person);
      await world.edges.admin('DELETE', `/access/${person.access}`);
    },
    change: ({ edges }, { user, policy }) => edges.admin('POST', '/access', { user, policy }),
    turns: GIVEN,
  },
  'a role gets a parent': {
    async before(world, _person) {
      const other = await createPerson(world.edges);
      await grant(world, other);
      return other.role;
    },
    change: ({ edges }, { role }, parent) => edges.admin('PATCH', `/roles/${role}`, { parent }),
    turns: GIVEN,
  },
  'a role is deleted with its users': {
    before: grant,
    change: ({ edges }, { role }) => edges.admin('DELETE', `/roles/${role}`),
    turns: GONE,
  },
  'a user gets another role': {
    async before(world, person) {
      await grant(world, person);
      return (await world.edges.admin('POST', '/roles', { name: 'nobody' })).id;
    },
    change: ({ edges }, { user }, role) => edges.admin('PATCH', `/users/${user}`, { role }),
    turns: TAKEN,
  },
  'a user is suspended': {
    before: grant,
    change: ({ edges }, { user }) =>
      edges.admin('PATCH', `/users/${user}`, { status: 'suspended' }),
    turns: GONE,
  },
  'a user is suspended by a relation of an item': {
    async before(world, person) {
      await grant(world, person);
      await world.edges.admin('PATCH', '/items/notes/1', { owner: person.user });
    },
    change: ({ edges }, { user }) =>
      edges.admin('PATCH', '/items/notes/1', { owner: { id: user, status: 'suspended' } }),
    turns: GONE,
  },
  'a user goes with an item': {
    async before(world, person) {
      await grant(world, person);
      await world.edges.admin('POST', '/items/tenants', { id: 1 });
      const text = 'UPDATE system_users SET tenant = 1 WHERE id = $1';
      await world.cluster.db.query(text, [person.user]);
    },
    change: ({ edges }) => edges.admin('DELETE', '/items/tenants/1'),
    turns: GONE,
  },
  'a user is deleted': {
    before: grant,
    change: ({ edges }, { user }) => edges.admin('DELETE', '/users', [user]),
    turns: GONE,
  },
  'a static token is replaced': {
    before: grant,
    change: ({ edges }, { user }) => edges.admin('PATCH', `/users/${user}`, { token: 'another' }),
    turns: GONE,
  },
  'a user replaces the own token': {
    path: '/users/me',
    async before({ edges }, { policy }) {
      const own = { id: { _eq: '$CURRENT_USER' } };
      const rule = { policy, collection: 'system_users', fields: ['*'], permissions: own };
      await edges.admin('POST', '/permissions', [
        { ...rule, action: 'read' },
        { ...rule, action: 'update' },
      ]);
    },
    change: ({ edges }, { token }) =>
      outcome(
        fetch(`${edges.urls[0]}/users/me`, {
          method: 'PATCH',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ token: null }),
        }),
      ),
    turns: GONE,
  },
};

async function doors(t: Test, world: World): Promise<void> {
  for (const [name, { path = '/items/notes', before, change, turns }] of Object.entries(DOORS)) {
    const person = await createPerson(world.edges);
    const made = await before?.(world, person);
    const { everywhere } = world.edges;
    t.strictSame(await everywhere(path, person.token), [turns[0]], `before ${name}`);
    await change(world, person, made);
    t.strictSame(await everywhere(path, person.token), [turns[1]], name);
  }
}

/** Sessions of a user on both edges, and what ends them. */
async function sessions(t: Test, { cluster, edges }: World): Promise<void> {
  const tokens = new MailTokens([SECRET]);
  const ends: Readonly<
    Record<string, (user: { id: string; email: string }, refresh: string) => Promise<unknown>>
  > = {
    logout: (_, refresh) => post(`${edges.urls[1]}/auth/logout`, { refresh_token: refresh }),
    'a change of the password': ({ id }) =>
      edges.admin('PATCH', `/users/${id}`, { password: 'another one' }),
    'a reset of the password': async ({ id, email }) => {
      const { rows } = await cluster.db.query('SELECT password FROM system_users WHERE id = $1', [
        id,
      ]);
      const token = await tokens.issue('password-reset', { id, email, password: rows[0].password });
      const body = { token, password: 'another one' };
      return outcome(await post(`${edges.urls[0]}/auth/password/reset`, body));
    },
    archiving: ({ id }) => edges.admin('PATCH', `/users/${id}`, { status: 'archived' }),
    deletion: ({ id }) => edges.admin('DELETE', `/users/${id}`),
  };
  for (const [name, end] of Object.entries(ends)) {
    const user = await createUser(cluster);
    const { access_token: token, refresh_token: refresh } = await signIn(edges.urls[0], user);
    t.strictSame(await edges.everywhere('/auth', token), [200]);
    await end(user, refresh);
    t.strictSame(await edges.everywhere('/auth', token), ['INVALID_CREDENTIALS'], name);
  }
}

async function settings(t: Test, { cluster, edges }: World): Promise<void> {
  const { id } = await createUser(cluster);
  await edges.admin('PATCH', '/settings', { auth_password_policy: '/^.{20,}$/' });
  for (const _ of edges.urls) {
    const short = edges.admin('PATCH', `/users/${id}`, { password: PASSWORD });
    await t.rejects(short, /FAILED_VALIDATION/);
  }
  await edges.admin('PATCH', '/settings', { auth_password_policy: null });
  for (const _ of edges.urls) await edges.admin('PATCH', `/users/${id}`, { password: PASSWORD });
}

async function metadata(t: Test, world: World): Promise<void> {
  const { edges } = world;
  const person = await createPerson(edges);
  await grant(world, person);
  const titles = async () => {
    const found = await Promise.all(
      edges.urls.map(async (url) => {
        const headers = { authorization: `Bearer ${person.token}` };
        const response = await fetch(`${url}/items/notes?fields=title&limit=1`, { headers });
        const body = await bodyOf<{ data: { title: string }[] }>(response);
        return body.data[0]?.title;
      }),
    );
    return [...new Set(found)];
  };
  t.strictSame(await titles(), ['secret']);
  await edges.admin('PATCH', '/fields/notes/title', { meta: { special: ['conceal'] } });
  t.strictSame(await titles(), ['**********'], 'a concealed field is concealed everywhere');
}

for (const { name, env } of backends) {
  t.test(`on ${name}`, async (t) => {
    const cluster = await startCluster(t, { workers: 1, env: { ...QUICK_LOGIN, SECRET, ...env } });
    await cluster.db.query(TABLES);
    const edges = await openEdges(cluster);
    const world = { cluster, edges };
    await until(async () => (await cluster.fetch('/items/notes')).status === 200, 'the tables');
    await t.test('rights', (t) => doors(t, world));
    await t.test('sessions', (t) => sessions(t, world));
    await t.test('settings', (t) => settings(t, world));
    await t.test('metadata of fields', (t) => metadata(t, world));
  });
}
