// @newest
/** Subscriptions of the client: they come back, and tell what may have been missed. */
import t from 'tap';
import { type Change, createClient, ForbiddenError } from '#ops/client/source/index.ts';
import { createUser, PASSWORD, QUICK_LOGIN } from '#tests/edge/rest/fixture/sign-in.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { startProxy } from '#tests/harness/proxy.ts';
import { until } from '#tests/harness/until.ts';

const cluster = await startCluster(t, {
  env: { ...QUICK_LOGIN, WEBSOCKETS_ENABLED: 'true', ACCESS_TOKEN_TTL: '15m' },
});
await cluster.db.query(`
  CREATE TABLE note (id serial PRIMARY KEY, title text);
  CREATE TABLE pair (a int, b text, PRIMARY KEY (a, b));
`);
await until(async () => (await cluster.fetch('/items/pair')).ok, 'the tables are served');
const proxy = await startProxy(t, cluster.url);
const client = createClient(proxy.url, { token: ADMIN_TOKEN });
const writer = createClient(cluster.url, { token: ADMIN_TOKEN });
t.teardown(() => client.close());
const notes = writer.items('note');

async function next<Item>(changes: AsyncGenerator<Change<Item>, void>): Promise<Change<Item>> {
  const { value } = await changes.next();
  if (!value) throw new Error('the subscription has ended');
  return value;
}

t.test('a subscription tells the items, and each change', async (t) => {
  const query = { fields: ['id', 'title'], sort: 'id' };
  const changes = client.items('note').subscribe({ query });
  t.strictSame(await next(changes), { event: 'init', data: [], gap: false });
  await notes.create({ title: 'one' });
  t.match(await next(changes), { event: 'create', data: [{ id: 1, title: 'one' }] });
  await notes.update(1, { title: 'uno' });
  t.match(await next(changes), { event: 'update', data: [{ id: 1, title: 'uno' }] });
  await notes.delete(1);
  t.match(await next(changes), { event: 'delete', data: [1] });
  await changes.return();
  const pairs = client.items('pair').subscribe({ event: 'delete' });
  t.strictSame(await next(pairs), { event: 'init', data: [], gap: false });
  await writer.items('pair').create({ a: 1, b: 'x' });
  await writer.items('pair').delete([1, 'x']);
  t.match(await next(pairs), { event: 'delete', data: [['1', 'x']] });
  await pairs.return();
});

t.test('several share a connection, one item is told as a list of one', async (t) => {
  const { id } = (await notes.create({ title: 'mine' })) ?? {};
  const one = client.items('note').subscribe({ item: Number(id) });
  const all = client.items('note').subscribe({ event: 'update' });
  t.match(await next(one), { event: 'init', data: [{ title: 'mine' }] });
  await next(all);
  await until(() => proxy.alive === 1, 'that of the subscription before has ended');
  await notes.update(Number(id), { title: 'changed' });
  t.match(await next(one), { event: 'update', data: [{ title: 'changed' }] });
  t.match(await next(all), { event: 'update', data: [{ title: 'changed' }] });
  await Promise.all([one.return(), all.return()]);
  await until(() => proxy.alive === 0, 'the connection ends with the last of them');
});

t.test('it comes back after a cut, and tells the gap', async (t) => {
  const changes = client.items('note').subscribe({ query: { fields: ['title'] } });
  const created = client.items('note').subscribe({ event: 'create' });
  await next(changes);
  await next(created);
  await proxy.down();
  await notes.create({ title: 'missed' });
  await proxy.up();
  const init = await next(changes);
  t.match(init, { event: 'init', gap: true });
  t.ok(init.event === 'init' && init.data.some(({ title }) => title === 'missed'));
  t.strictSame(await next(created), { event: 'init', data: [], gap: true });
  await notes.create({ title: 'heard' });
  t.match(await next(created), { data: [{ title: 'heard' }] });
  await Promise.all([changes.return(), created.return()]);
});

t.test('it leaves a connection that is half open', async (t) => {
  const impatient = createClient(proxy.url, { token: ADMIN_TOKEN, silence: 500 });
  t.teardown(() => impatient.close());
  const changes = impatient.items('note').subscribe();
  await next(changes);
  proxy.freeze();
  t.match(await next(changes), { event: 'init', gap: true });
  await changes.return();
});

t.test('what may not be subscribed to is an error, and a signal ends it', async (t) => {
  const changes = client.items('nothing').subscribe();
  await t.rejects(changes.next(), ForbiddenError);
  const controller = new AbortController();
  const { signal } = controller;
  const others = client.items('note').subscribe({ signal });
  await next(others);
  const waiting = others.next();
  controller.abort(new Error('enough'));
  await t.rejects(waiting, { message: 'enough' });
  const closed = client.items('note').subscribe();
  await next(closed);
  const last = closed.next();
  client.close();
  await t.rejects(last, TypeError);
});

t.test('a session is renewed on its connection', async (t) => {
  const { rows } = await cluster.db.query<{ id: string }>('SELECT id FROM system_roles');
  const { email } = await createUser(cluster, { role: rows[0]?.id });
  const user = createClient(proxy.url, { mode: 'json' });
  t.teardown(() => user.close());
  await user.auth.login({ email, password: PASSWORD });
  const changes = user.items('note').subscribe({ event: 'create' });
  await next(changes);
  await user.auth.refresh();
  await proxy.down();
  await proxy.up();
  t.match(await next(changes), { event: 'init', gap: true });
  await changes.return();
});

t.test('a reader that is too slow begins anew', async (t) => {
  const slow = createClient(cluster.url, { token: ADMIN_TOKEN });
  t.teardown(() => slow.close());
  const changes = slow.items('pair').subscribe();
  await next(changes);
  // On the same connection, behind it: what this one hears of has arrived for both.
  const beside = slow.items('pair').subscribe();
  await next(beside);
  const arrived = (async () => {
    for (let count = 0; count < 1_100; ) {
      const change = await next(beside);
      if (change.event === 'init') return;
      count += change.data.length;
    }
  })();
  const pairs = writer.items('pair');
  for (let round = 0; round < 11; round += 1) {
    const keys = Array.from({ length: 100 }, (_, index) => round * 100 + index);
    await Promise.all(keys.map((a) => pairs.create({ a, b: 'x' })));
  }
  await arrived;
  let told = await next(changes);
  while (told.event !== 'init') told = await next(changes);
  t.equal(told.gap, true);
  await Promise.all([changes.return(), beside.return()]);
});
