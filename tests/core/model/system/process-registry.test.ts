import { randomUUID } from 'node:crypto';
import t from 'tap';
import { transaction } from '#core/database/pool.ts';
import { Members, RegisteredProcess } from '#core/model/system/process-registry.ts';
import { install } from '#tests/core/model/catalog/installation.ts';

const HOUR_MS = 3_600_000;
const KNOWS = { catalog: 1, access: 1, sessions: 1, reset: 0, trouble: null };

type Installed = Awaited<ReturnType<typeof install>>;

function memberOf({ pool }: Installed, lease = HOUR_MS, kind = 'edge'): RegisteredProcess {
  return new RegisteredProcess({ id: randomUUID(), pool, schema: 'public', kind, lease, form: 1 });
}

/** The state of a promise after all other pending work has run. */
async function isPending(promise: Promise<unknown>, pool: Installed['pool']): Promise<boolean> {
  const pending = Symbol('pending');
  for (let look = 0; look < 3; look += 1) await pool.query('SELECT pg_sleep(0.05)');
  return (await Promise.race([promise, Promise.resolve(pending)])) === pending;
}

t.test('a version counts when every live edge has applied it', async (t) => {
  const installed = await install(t);
  const { pool } = installed;
  const members = new Members(pool, 'public');
  t.strictSame(await members.acknowledged({ catalog: 5 }), [], 'without edges there is no wait');
  const [edge, other] = [memberOf(installed), memberOf(installed)];
  await edge.join(KNOWS);
  await other.join({ ...KNOWS, catalog: 2 });
  t.strictSame(await members.acknowledged({ catalog: 1 }), []);

  const all = members.acknowledged({ catalog: 2 });
  t.ok(await isPending(all, pool));
  await edge.acknowledge({ ...KNOWS, catalog: 3 });
  t.strictSame(await all, []);

  const others = members.acknowledged({ catalog: 3 });
  await other.leave();
  t.strictSame(await others, [], 'a removed process is ignored');
  const reset = members.confirmed(1);
  t.ok(await isPending(reset, pool));
  await edge.acknowledge({ ...KNOWS, reset: 1 });
  t.strictSame(await reset, []);
  t.match(edge.name, new RegExp(`^edge .+:${process.pid}$`));
});

t.test('permissions and ended sessions have separate versions', async (t) => {
  const installed = await install(t);
  const { pool } = installed;
  const members = new Members(pool, 'public');
  const edge = memberOf(installed);
  await edge.join({ ...KNOWS, trouble: 'It cannot load the catalog.' });
  t.strictSame(await members.acknowledged({ access: 1, sessions: 1 }), []);
  t.strictSame(await members.acknowledged({ catalog: 2 }), [edge.name]);
  for (const known of [{ access: 2 }, { sessions: 2 }, { catalog: 2, access: 2 }]) {
    await edge.acknowledge({ ...KNOWS, trouble: 'It cannot load the catalog.' });
    const all = members.acknowledged(known);
    t.ok(await isPending(all, pool), 'a process that cannot load the catalog can apply these');
    await edge.acknowledge({ ...KNOWS, catalog: 2, access: 2, sessions: 2 });
    t.strictSame(await all, []);
  }
  await memberOf(installed, HOUR_MS, 'worker').join({ ...KNOWS, catalog: 0 });
  const later = { catalog: 2, access: 2, sessions: 2 };
  t.strictSame(await members.acknowledged(later), [], 'workers check before they begin');
  await pool.query('UPDATE system_members SET access = NULL, sessions = NULL');
  t.strictSame(await members.acknowledged(later), [], 'an earlier release reports neither');
});

t.test('a silent process is ignored', async (t) => {
  const installed = await install(t);
  const { pool } = installed;
  const members = new Members(pool, 'public');
  const [dead, live] = [memberOf(installed, 1), memberOf(installed)];
  await live.join({ ...KNOWS, catalog: 2 });
  await dead.join(KNOWS);
  t.strictSame(await members.acknowledged({ catalog: 2 }), [dead.name]);
  const { rows } = await pool.query('SELECT id FROM system_members');
  t.strictSame(rows, [{ id: live.id }], 'the first process to notice removes it');
  t.strictSame(await members.acknowledged({ catalog: 2 }), [], 'and it is reported once');

  const ill = memberOf(installed);
  await ill.join({ ...KNOWS, trouble: 'It does not understand.' });
  t.strictSame(await members.acknowledged({ catalog: 2 }), [ill.name], 'nor one with trouble');

  await ill.acknowledge(KNOWS);
  t.strictSame(await members.acknowledged({ catalog: 2 }, { within: 1 }), [ill.name]);
  const given = new AbortController();
  const waiting = members.acknowledged({ catalog: 2 }, { signal: given.signal });
  given.abort(new Error('no more time'));
  await t.rejects(waiting, { message: 'no more time' });
});

t.test('a process that renews its lease during its removal stays', async (t) => {
  const installed = await install(t);
  const { pool } = installed;
  const members = new Members(pool, 'public');
  const slow = memberOf(installed, 1);
  await slow.join(KNOWS);
  const renewing = Promise.withResolvers<void>();
  let waiting: Promise<string[]> = Promise.resolve([]);
  await transaction(pool, async (client) => {
    // As the renewal does, and it is not yet committed.
    await client.query("UPDATE system_members SET expires = now() + interval '1 hour'");
    waiting = members.acknowledged({ catalog: 2 });
    t.ok(await isPending(waiting, pool));
    renewing.resolve();
  });
  await renewing.promise;
  t.ok(await isPending(waiting, pool), 'it is waited for');
  await slow.acknowledge({ ...KNOWS, catalog: 2 });
  t.strictSame(await waiting, []);
});
