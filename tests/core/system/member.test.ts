import t from 'tap';
import { transaction } from '#core/database/pool.ts';
import { Member, Members } from '#core/system/member.ts';
import { install } from '#tests/core/catalog/installation.ts';

const HOUR_MS = 3_600_000;
const KNOWS = { catalog: 1, reset: 0, trouble: null };

type Installed = Awaited<ReturnType<typeof install>>;

function memberOf({ pool }: Installed, kind: string, lease = HOUR_MS): Member {
  return new Member({ pool, schema: 'public', kind, lease, form: 1 });
}

/** What a promise is at after everything that can happen without it has happened. */
async function isPending(promise: Promise<unknown>, pool: Installed['pool']): Promise<boolean> {
  const pending = Symbol('pending');
  for (let look = 0; look < 3; look += 1) await pool.query('SELECT pg_sleep(0.05)');
  return (await Promise.race([promise, Promise.resolve(pending)])) === pending;
}

t.test('a version counts when every live process has it', async (t) => {
  const installed = await install(t);
  const { pool } = installed;
  const members = new Members(pool, 'public');
  t.strictSame(await members.acknowledged(5), [], 'nobody is nobody to wait for');
  const [edge, worker] = [memberOf(installed, 'edge'), memberOf(installed, 'worker')];
  await edge.join(KNOWS);
  await worker.join({ ...KNOWS, catalog: 2 });
  t.strictSame(await members.acknowledged(1), []);

  const all = members.acknowledged(2);
  t.ok(await isPending(all, pool));
  await edge.acknowledge({ ...KNOWS, catalog: 3 });
  t.strictSame(await all, []);

  const others = members.acknowledged(3);
  await worker.leave();
  t.strictSame(await others, [], 'who leaves is not waited for');
  const reset = members.confirmed(1);
  t.ok(await isPending(reset, pool));
  await edge.acknowledge({ ...KNOWS, reset: 1 });
  t.strictSame(await reset, []);
  t.match(edge.name, new RegExp(`^edge .+:${process.pid}$`));
});

t.test('who is not heard of is waited for no longer', async (t) => {
  const installed = await install(t);
  const { pool } = installed;
  const members = new Members(pool, 'public');
  const [dead, live] = [memberOf(installed, 'dead', 1), memberOf(installed, 'live')];
  await live.join({ ...KNOWS, catalog: 2 });
  await dead.join(KNOWS);
  t.strictSame(await members.acknowledged(2), [dead.name]);
  const { rows } = await pool.query('SELECT name FROM system_members');
  t.strictSame(rows, [{ name: live.name }], 'whoever notices removes it');
  t.strictSame(await members.acknowledged(2), [], 'and it is told once');

  const ill = memberOf(installed, 'ill');
  await ill.join({ ...KNOWS, trouble: 'It does not understand.' });
  t.strictSame(await members.acknowledged(2), [ill.name], 'nor who cannot follow');

  await ill.acknowledge(KNOWS);
  t.strictSame(await members.acknowledged(2, { within: 1 }), [ill.name]);
  const given = new AbortController();
  const waiting = members.acknowledged(2, { signal: given.signal });
  given.abort(new Error('no more time'));
  await t.rejects(waiting, { message: 'no more time' });
});

t.test('who renews the lease while it is about to be removed stays', async (t) => {
  const installed = await install(t);
  const { pool } = installed;
  const members = new Members(pool, 'public');
  const slow = memberOf(installed, 'slow', 1);
  await slow.join(KNOWS);
  const renewing = Promise.withResolvers<void>();
  let waiting: Promise<string[]> = Promise.resolve([]);
  await transaction(pool, async (client) => {
    // As the renewal does, and it is not yet committed.
    await client.query("UPDATE system_members SET expires = now() + interval '1 hour'");
    waiting = members.acknowledged(2);
    t.ok(await isPending(waiting, pool));
    renewing.resolve();
  });
  await renewing.promise;
  t.ok(await isPending(waiting, pool), 'it is waited for');
  await slow.acknowledge({ ...KNOWS, catalog: 2 });
  t.strictSame(await waiting, []);
});
