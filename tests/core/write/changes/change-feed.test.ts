// @newest
/**
 * Changes are sent to every process, in batches when there are many: all that are or may be
 * committed, and none that was rolled back.
 */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import t from 'tap';
import { type Client, createPool, withConnection } from '#core/database/pool.ts';
import type { MessageBus, Sender } from '#core/messaging/bus.ts';
import { openBus } from '#core/messaging/open-message-bus.ts';
import { WriteGuard } from '#core/write/cache/write-guard.ts';
import type { Change } from '#core/write/changes/change.ts';
import { ChangeFeed } from '#core/write/changes/change-feed.ts';
import { WriteTransactions } from '#core/write/changes/write-transactions.ts';
import { backends } from '#tests/harness/backend.ts';
import { createDatabase } from '#tests/harness/database.ts';
import { until } from '#tests/harness/until.ts';

const log = pino({ level: 'silent' });

for (const backend of backends) {
  t.test(`changes on ${backend.name}`, async (t) => {
    const url = await createDatabase(t);
    const config = { REDIS_URL: backend.env.REDIS_URL, DATABASE_DIRECT_URL: undefined };
    const cluster = randomUUID();
    const open = async () => {
      const bus = await openBus(config, url, cluster, log);
      t.teardown(() => bus.close());
      return bus;
    };
    const bus = await open();
    const feed = new ChangeFeed(bus, randomUUID(), log);
    const heard: Change[][] = [];
    (await open()).subscribe('items.changed', ({ changes }) => {
      // Without changes they only confirm how many messages there were.
      if (changes.length > 0) heard.push([...changes]);
    });
    const created = (collection: string, ...keys: string[]): Change => ({
      ...{ collection, action: 'create', keys, user: null },
    });

    await t.test('of a few milliseconds are sent together', async (t) => {
      for (const key of ['1', '2', '3']) feed.publish([created('a', key)]);
      feed.publish([created('b', '4')]);
      await until(() => heard.length > 0, 'the message');
      t.strictSame(heard.splice(0), [[created('a', '1', '2', '3'), created('b', '4')]]);
    });

    await t.test('of several collections are reported in order', async (t) => {
      const gone: Change = { ...created('a', '1'), action: 'delete' };
      for (const key of ['1', '2']) feed.publish([created('a', key), created('b', key)]);
      feed.publish([gone, created('a', '3'), created('b', '3')]);
      await until(() => heard.length > 0, 'the message');
      const told = [created('a', '1', '2'), created('b', '1', '2', '3'), gone, created('a', '3')];
      t.strictSame(heard.splice(0), [told]);
    });

    await t.test(
      'are published without keys when they are many, and split where they are long',
      async (t) => {
        const many = Array.from({ length: 1_000 }, (_, index) => String(index));
        feed.publish([created('many', ...many)]);
        const long = 'ä'.repeat(1_000);
        for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) feed.publish([created(name, long)]);
        feed.publish([created('last', 'x'.repeat(9_000))]);
        const all = await until(() => heard.flat().length === 8 && heard.splice(0), 'all of them');
        t.ok(all.length > 1);
        t.strictSame(all.flat()[0], { ...created('many'), keys: null });
        t.strictSame(all.flat().at(-1), { ...created('last'), keys: null });
      },
    );

    await t.test('are published once, and never after a rollback', async (t) => {
      const pool = createPool({ DATABASE_POOL_MAX: 2, DATABASE_POOL_WAIT: 60_000 }, url, log, {
        name: 'test',
        statementTimeout: 0,
      });
      t.teardown(() => pool.end());
      await pool.query(`CREATE TABLE c (id int PRIMARY KEY,
        other int REFERENCES c DEFERRABLE INITIALLY DEFERRED)`);
      const writes = new WriteGuard(null);
      const failpoint = () => Promise.resolve();
      const transactions = new WriteTransactions({ access: null, writes, feed, failpoint });
      const insert = (id: number, other: number | null, fail = false) =>
        transactions.transaction(pool, async (client, note) => {
          await client.query('INSERT INTO c VALUES ($1, $2)', [id, other]);
          note(created('c', String(id)));
          if (fail) throw new Error('on purpose');
        });
      await t.rejects(insert(1, null, true), /on purpose/);
      await t.rejects(insert(2, 99), { code: '23503' }, 'COMMIT itself fails');
      await insert(3, null);
      await until(() => heard.length > 0, 'the message');
      t.strictSame(heard.splice(0), [[created('c', '3')]]);

      await t.test('after the commit in any case', async (t) => {
        const late = () => Promise.reject(new Error('too late'));
        const deaf = new WriteTransactions({
          writes: { open: async () => ({ committed: late }) },
          ...{ access: null, feed, failpoint },
        });
        const work = async () => ({ result: null, changes: [created('c', '5')] });
        const once = { collections: new Set(['c']), rows: 1, run: work };
        await t.rejects(
          deaf.transaction(pool, async (_, note) => note(created('c', '4'))),
          /too late/,
        );
        await t.rejects(
          deaf.runInOneRoundTrip((run) => withConnection(pool, run), once),
          /too late/,
        );
        const keys = () => heard.flat().flatMap((change) => change.keys ?? []);
        await until(() => keys().length === 2, 'both');
        t.strictSame(keys(), ['4', '5']);
        heard.length = 0;
      });

      await t.test('with an unknown result are published as uncertain', async (t) => {
        await pool.query(`CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
          CREATE CONSTRAINT TRIGGER ends AFTER INSERT ON c DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW WHEN (new.id = 6) EXECUTE FUNCTION end_session()`);
        await t.rejects(insert(6, null), { code: '57P01' });
        await until(() => heard.length > 0, 'a change that may have happened');
        t.strictSame(heard.splice(0), [[created('c', '6')]]);
        const run = async (client: Client) => {
          await client.query('INSERT INTO c VALUES (6)');
          return { result: null, changes: [] };
        };
        const once = { collections: new Set(['c']), rows: 1, run };
        const failing = transactions.runInOneRoundTrip((work) => withConnection(pool, work), once);
        await t.rejects(failing, { code: '57P01' });
        await until(() => heard.length > 0, 'that anything may have changed');
        const some = { collection: 'c', keys: null, user: null };
        t.strictSame(heard, [
          [
            { ...some, action: 'import' },
            { ...some, action: 'delete' },
          ],
        ]);
      });
      await feed.close();
    });
  });
}

t.test('the number of messages', async (t) => {
  const said: Sender[] = [];
  let isAway = false;
  let tries = 0;
  const bus: Pick<MessageBus, 'publish'> = {
    async publish(_, message) {
      tries += 1;
      if (isAway) throw new Error('away');
      if ('sender' in message && message.sender !== undefined) said.push(message.sender);
    },
  };
  const open = () => new ChangeFeed(bus, randomUUID(), log);
  const change: Change = { collection: 'a', action: 'create', keys: ['1'], user: null };

  await t.test('is repeated until it is sent', async (t) => {
    const feed = open();
    isAway = true;
    feed.publish([change]);
    await until(() => tries > 2, 'it is tried again');
    isAway = false;
    await until(() => said.length > 0, 'it is said');
    t.match(said.splice(0), [{ sent: 1 }]);
    await feed.close();
    said.length = 0;
  });

  await t.test('is not final while a write may still be committed', async (t) => {
    const [ending, cut] = [open(), open()];
    ending.begin().publish([change]);
    await ending.close();
    t.match(said.splice(0), [{ sent: 1 }, { sent: 1, ended: true }]);
    cut.begin();
    await cut.close();
    t.strictSame(
      said.splice(0).map(({ ended }) => ended),
      [undefined],
      'it ends without an announcement',
    );
  });
});
