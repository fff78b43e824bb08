// @newest
/** Changes reach every process, together where they are many, and none that was rolled back. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import t from 'tap';
import { WriteGuard } from '#core/cache/write-guard.ts';
import type { Change } from '#core/changes/change.ts';
import { ChangeFeed } from '#core/changes/change-feed.ts';
import { ChangeJournal } from '#core/changes/write-transaction.ts';
import { createPool } from '#core/database/pool.ts';
import { openBus } from '#core/messages/open-message-bus.ts';
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

    await t.test('of a few milliseconds travel together', async (t) => {
      for (const key of ['1', '2', '3']) feed.publish([created('a', key)]);
      feed.publish([created('b', '4')]);
      await until(() => heard.length > 0, 'the message');
      t.strictSame(heard.splice(0), [[created('a', '1', '2', '3'), created('b', '4')]]);
    });

    await t.test('of several collections are told of one after the other', async (t) => {
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
      const journal = new ChangeJournal({ access: null, writes, feed, failpoint });
      const insert = (id: number, other: number | null, fail = false) =>
        journal.transaction(pool, async (client, note) => {
          await client.query('INSERT INTO c VALUES ($1, $2)', [id, other]);
          note(created('c', String(id)));
          if (fail) throw new Error('on purpose');
        });
      await t.rejects(insert(1, null, true), /on purpose/);
      await t.rejects(insert(2, 99), { code: '23503' }, 'COMMIT itself fails');
      await insert(3, null);
      await until(() => heard.length > 0, 'the message');
      await feed.close();
      t.strictSame(heard, [[created('c', '3')]]);
    });
  });
}
