// @newest
/** Answers that are still being sent when their readers lose the right to them. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { createUser, QUICK_LOGIN, signIn } from '#tests/edge/rest/fixture/sign-in.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { createPerson, openEdges } from './fixture/two-edges.ts';

const cluster = await startCluster(t, { env: QUICK_LOGIN });
const { db } = cluster;
// More than all buffers on the way take.
await db.query(`CREATE TABLE notes (id integer PRIMARY KEY, text text);
  INSERT INTO notes SELECT n, repeat(md5(n::text), 300) FROM generate_series(1, 6000) AS n;
  CREATE TABLE others (id integer PRIMARY KEY)`);
const edges = await openEdges(cluster);
await until(async () => (await cluster.fetch('/items/others')).status === 200, 'the tables');

/** An answer that is read piece by piece. */
async function begin(url: string, path: string, token: string) {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}${path}`, { headers });
  if (answer.status !== 200 || answer.body === null) throw new Error(await answer.text());
  const reader = answer.body.getReader();
  await reader.read();
  return {
    reader,
    /** Reads on until nothing comes any more; whether that is the end of the answer. */
    async isWhole(): Promise<boolean> {
      try {
        while (!(await reader.read()).done);
        return true;
      } catch {
        return false;
      }
    },
  };
}

const grantTo = (policy: string, collection: string, action = 'read') =>
  edges.admin('POST', '/permissions', { policy, collection, action, fields: ['*'] });

t.test('lists and downloads end with the right to read', async (t) => {
  for (const [index, path] of [
    '/items/notes?limit=-1',
    '/items/notes?export=csv&limit=-1',
  ].entries()) {
    const person = await createPerson(edges);
    const { id } = await grantTo(person.policy, 'notes');
    const other = await grantTo(person.policy, 'others', 'create');
    const url = edges.urls[index] ?? '';
    const stays = await begin(url, path, person.token);
    await grantTo(person.policy, 'others');
    await edges.admin('DELETE', `/permissions/${other.id}`);
    await edges.admin('PATCH', `/users/${person.user}`, { title: 'x' });
    t.ok(await stays.isWhole(), 'other changes leave it alone');

    const ends = await begin(url, path, person.token);
    await edges.admin('DELETE', `/permissions/${id}`);
    t.notOk(await ends.isWhole(), path);
  }
});

t.test('and with the user', async (t) => {
  const person = await createPerson(edges);
  await grantTo(person.policy, 'notes');
  const ends = await begin(edges.urls[1], '/items/notes?limit=-1', person.token);
  await db.query("UPDATE system_users SET status = 'suspended' WHERE id = $1", [person.user]);
  // What is in the buffers of the sockets arrives all the same, so it is read on only now.
  const headers = { authorization: `Bearer ${person.token}` };
  const isHeard = async () =>
    (await fetch(`${edges.urls[1]}/users/me`, { headers })).status === 401;
  await until(isHeard, 'the edge has heard of it');
  t.notOk(await ends.isWhole(), 'also when that was done with SQL');
});

t.test('events end with the session', async (t) => {
  const user = await createUser(cluster);
  const { access_token: token } = await signIn(edges.urls[0], user);
  const job = randomUUID();
  await db.query(
    `INSERT INTO system_jobs (id, kind, queue, message, message_version, "user")
     VALUES ($1, 'none', 'maintenance', '{}', 1, $2)`,
    [job, user.id],
  );
  // The user was made with SQL. An edge that hears of it only now cuts what has just begun.
  const open = (url: string) => begin(url, `/jobs/${job}/events`, token).catch(() => null);
  const events = await Promise.all(
    edges.urls.map((url) => until(() => open(url), 'the events begin')),
  );
  await edges.admin('PATCH', `/users/${user.id}`, { password: 'another one' });
  for (const one of events) t.notOk(await one.isWhole());
});
