import t from 'tap';
import { transaction } from '#core/database/pool.ts';
import { publishWithin } from '#core/model/catalog/publish-in-transaction.ts';
import { install } from './installation.ts';

const TABLES = 'CREATE TABLE a (id integer PRIMARY KEY); CREATE TABLE b (id integer PRIMARY KEY);';
const PLACE = { schemas: ['public'], system: 'public' };

t.test('a change and its publication commit together', async (t) => {
  const { pool, open } = await install(t, TABLES);
  const source = await open(false);
  const { version } = source.current();
  const published = await transaction(pool, async (client) => {
    await client.query("SET LOCAL search_path = public, pg_temp; SET LOCAL lock_timeout = '7s'");
    await client.query('ALTER TABLE a ADD COLUMN title text');
    await client.query(
      "INSERT INTO system_fields (collection, field, special) VALUES ('a', 'title', 'cast-csv')",
    );
    const result = await publishWithin(client, PLACE);
    const { rows } = await client.query(
      "SELECT current_setting('search_path') AS path, current_setting('lock_timeout') AS wait",
    );
    t.strictSame(rows, [{ path: 'public, pg_temp', wait: '7s' }], 'settings are restored');
    return result;
  });
  t.equal(published.version, version + 1);
  const catalog = await source.refresh();
  t.equal(catalog.version, published.version, 'there is nothing left to publish');
  t.equal(catalog.collections.get('a')?.fields.get('title')?.type, 'csv');
});

t.test('a rolled-back change was never published', async (t) => {
  const { pool, open } = await install(t, TABLES);
  const source = await open(false);
  const before = source.current();
  const undone = transaction(pool, async (client) => {
    await client.query('DROP TABLE b');
    await publishWithin(client, PLACE);
    throw new Error('no');
  });
  await t.rejects(undone, { message: 'no' });
  t.equal(await source.refresh(), before);
});
