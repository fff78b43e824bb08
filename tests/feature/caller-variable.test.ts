/** Variables in presets and validations: what is known of the caller, and paths from there. */
import t from 'tap';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { createMember, sendAs } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

const cluster = await startCluster(t);
const { db } = cluster;
await db.query(`
  CREATE TABLE notes (id serial PRIMARY KEY, place text, role text, tags json, owner uuid,
    at timestamptz, policies json, child int);
  CREATE TABLE lines (id serial PRIMARY KEY, note int REFERENCES notes (id), place text)`);
const send = (method: string, path: string, body?: unknown) =>
  sendAs(cluster, ADMIN_TOKEN, method, path, body);
await until(async () => (await send('GET', '/items/lines')).status === 200, 'tables are known');

const presets = {
  ...{ place: '$CURRENT_USER.location', role: '$CURRENT_USER.role.name' },
  ...{ tags: '$CURRENT_USER.tags', owner: '$CURRENT_USER', at: '$NOW(-1 day)' },
  policies: '$CURRENT_POLICIES',
};
const user = await createMember(cluster, [
  { collection: 'notes', action: 'create', presets },
  { collection: 'notes', action: 'read' },
  {
    ...{ collection: 'notes', action: 'update' },
    validation: { place: { _in: ['$CURRENT_USER.location', '$CURRENT_ROLE.name'] } },
  },
  { collection: 'lines', action: 'create', presets: { place: '$CURRENT_USER.location' } },
  { collection: 'lines', action: 'read' },
]);
await db.query(`UPDATE system_users SET location = 'Oslo', tags = '["a","b"]' WHERE id = $1`, [
  user.id,
]);

t.test('presets take what paths lead to', async (t) => {
  const made = await user.send('POST', '/items/notes', {});
  t.match(made.body.data, {
    ...{ place: 'Oslo', role: /^role /, tags: ['a', 'b'], owner: user.id },
    policies: [user.policy],
  });
  const age = Date.now() - Date.parse(made.body.data.at);
  t.ok(age > 80_000_000 && age < 90_000_000, 'a day ago');
  const nested = await user.send('POST', '/items/lines?fields=place', {});
  t.equal(nested.body.data.place, 'Oslo');
  const given = await user.send('POST', '/items/notes', { place: 'Bergen' });
  t.equal(given.body.data.place, 'Bergen', 'what is sent wins');
});

t.test('validations compare with them', async (t) => {
  t.equal((await user.send('PATCH', '/items/notes/1', { place: 'Oslo' })).status, 200);
  const refused = await user.send('PATCH', '/items/notes/1', { place: 'Rome' });
  t.equal(refused.code, 'FAILED_VALIDATION');
});

t.test('without a value a preset is null, and no comparison holds', async (t) => {
  await db.query('UPDATE system_users SET location = NULL, tags = NULL WHERE id = $1', [user.id]);
  const made = await user.send('POST', '/items/notes', {});
  t.match(made.body.data, { place: null, tags: null });
  const refused = await user.send('PATCH', '/items/notes/1', { place: 'Oslo' });
  t.equal(refused.code, 'FAILED_VALIDATION');
});

t.test('what can never be resolved is refused when it is stored', async (t) => {
  const base = { policy: user.policy, collection: 'notes', action: 'delete' };
  for (const rights of [
    { presets: { place: '$CURRENT_USER.nowhere' } },
    { presets: { place: '$CURRENT_USER.password' } },
    { presets: { place: '$CURRENT_NOBODY' } },
    { validation: { place: { _eq: '$CURRENT_ROLE.no.where' } } },
    { permissions: { place: { _eq: '$CURRENT_USER.role.nothing' } } },
  ]) {
    const { code } = await send('POST', '/permissions', { ...base, ...rights });
    t.equal(code, 'INVALID_PAYLOAD', JSON.stringify(rights));
  }
  const fine = { presets: { place: '$CURRENT_USER.role.name', at: '$NOW(+1 day)' } };
  t.equal((await send('POST', '/permissions', { ...base, ...fine })).status, 200);
});

t.test('what was stored and leads nowhere writes nothing', async () => {
  await db.query(
    `UPDATE system_permissions SET presets = '{"place": "$CURRENT_USER.gone"}'
     WHERE policy = $1 AND collection = 'lines' AND action = 'create'`,
    [user.policy],
  );
  await until(
    async () => (await user.send('POST', '/items/lines', {})).code === 'UNPROCESSABLE_ENTITY',
    'the preset is refused',
  );
});
