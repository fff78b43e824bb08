// @newest @slow

import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import t from 'tap';
import { openBus } from '#core/messaging/open-message-bus.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import { openCatalog } from '#core/model/catalog/open-catalog.ts';
import { until } from '#tests/harness/until.ts';
import { collection, install, PAUSE_MS } from './installation.ts';

const log = pino({ level: 'silent' });
const TABLES = 'CREATE TABLE a (id integer PRIMARY KEY); CREATE TABLE b (id integer PRIMARY KEY);';

function has(source: CatalogSource, name: string, field?: string): boolean {
  const found = source.current().collections.get(name);
  return found !== undefined && (field === undefined || found.fields.has(field));
}

t.test('every process follows changes by SQL', async (t) => {
  const { sql, open } = await install(t, TABLES);
  const keeper = await open(true);
  const follower = await open(false);
  t.equal(follower.current().version, keeper.current().version);
  const versions: number[] = [];
  const stop = follower.onChange(({ version }) => versions.push(version));

  await sql('ALTER TABLE a ADD COLUMN title text; CREATE TABLE c (id integer PRIMARY KEY)');
  await until(() => has(keeper, 'a', 'title') && has(follower, 'a', 'title'));
  t.ok(has(follower, 'c'));
  t.equal(follower.current().version, keeper.current().version);

  await sql(`INSERT INTO system_collections (collection, singleton) VALUES ('a', true);
    INSERT INTO system_fields (collection, field, special) VALUES ('a', 'title', 'cast-csv')`);
  await until(() => collection(follower.current(), 'a').fields.get('title')?.type === 'csv');
  t.equal(collection(follower.current(), 'a').singleton, true);

  await sql('DROP TABLE c');
  await until(() => !has(follower, 'c') && !has(keeper, 'c'));
  t.strictSame(
    versions,
    [...versions].sort((x, y) => x - y),
  );
  t.ok(versions.length >= 3);

  stop();
  const heard = versions.length;
  await sql('DROP TABLE b');
  await until(() => !has(follower, 'b'));
  t.equal(versions.length, heard, 'an unsubscribed listener is not called any more');
});

t.test('unchanged collections stay the same objects', async (t) => {
  const { sql, pool, open } = await install(t, TABLES);
  const source = await open(false);
  const before = source.current();
  await sql('ALTER TABLE a ADD COLUMN title text');
  const after = await source.refresh();
  t.not(after, before);
  t.notOk(collection(before, 'a').fields.has('title'), 'the old catalog is unchanged');
  t.not(collection(after, 'a'), collection(before, 'a'));
  for (const [name, known] of before.collections) {
    if (name !== 'a') t.equal(after.collections.get(name), known, name);
  }
  const { rows } = await pool.query('SELECT collection FROM system_catalog WHERE version = $1', [
    after.version,
  ]);
  t.strictSame(rows, [{ collection: 'a' }], 'and only changes were published');
});

t.test('refresh finds a change at once, and creates no new version without one', async (t) => {
  const { sql, open } = await install(t, TABLES);
  const source = await open(false);
  const other = await open(false);
  const { version } = source.current();
  t.equal((await source.refresh()).version, version);
  await sql('CREATE TABLE c (id integer)');
  const all = await Promise.all([source.refresh(), other.refresh(), source.refresh()]);
  for (const catalog of all) t.ok(catalog.collections.has('c'));
  t.strictSame(
    all.map((catalog) => catalog.version),
    [version + 1, version + 1, version + 1],
    'processes that notice a change together publish it once',
  );
  await sql('INSERT INTO a VALUES (1); ANALYZE; TRUNCATE b');
  t.equal((await source.refresh()).version, version + 1);
});

t.test('a comparison of one process is not repeated by other processes', async (t) => {
  const { sql, pool, open } = await install(t, TABLES);
  const stamp = async () =>
    (await pool.query("SELECT stamp FROM system_catalog WHERE collection = 'a'")).rows[0].stamp;
  const first = await open(false);
  await first.refresh();
  await sql("UPDATE system_catalog SET stamp = 'other'");
  const second = await open(false);
  await second.refresh();
  t.equal(await stamp(), 'other');

  await sql('CREATE TABLE c (id integer)');
  await second.refresh();
  t.not(await stamp(), 'other', 'a gauge of another format leads to a comparison');
});

t.test('a process without messages follows by the counters', async (t) => {
  const { config, url, pool, sql, open } = await install(t, TABLES);
  const bus = await openBus(config, url, randomUUID(), log);
  const deaf = await openCatalog(config, {
    ...{ pool, kind: 'test', bus, log, keep: false },
    pause: PAUSE_MS,
  });
  t.teardown(async () => {
    await deaf.close();
    await bus.close();
  });
  const access: number[] = [];
  deaf.onCounter('access', (version) => access.push(version));
  const writer = await open(false);
  await sql('CREATE TABLE c (id integer)');
  const { version } = await writer.refresh();
  await until(() => deaf.current().version === version);
  t.ok(has(deaf, 'c'));
  t.match(deaf.status(), { version, error: null, leftOut: [] });

  await sql('UPDATE system_users SET last_access = now()');
  await sql("INSERT INTO system_roles (name) VALUES ('reader')");
  await until(() => access.length > 0);
  t.equal(access.length, 1, 'a visit does not change permissions');
});

t.test('one of several candidates watches, and another takes over from it', async (t) => {
  const { sql, pool, open } = await install(t, TABLES);
  const first = await open(true);
  const holder = async () => (await pool.query('SELECT holder FROM system_leases')).rows[0]?.holder;
  while ((await holder()) === undefined) await new Promise(setImmediate);
  const elected = await holder();
  const second = await open(true);
  await sql('CREATE TABLE c (id integer)');
  await until(() => has(first, 'c') && has(second, 'c'));
  t.equal(await holder(), elected);

  await first.close();
  await sql('CREATE TABLE d (id integer)');
  await until(() => has(second, 'd'));
  t.not(await holder(), elected);
});

t.test('a catalog that cannot be built leaves the last good one in use', async (t) => {
  const { sql, open } = await install(t, TABLES);
  const keeper = await open(true);
  const follower = await open(false);
  const { version } = follower.current();
  await sql('ALTER TABLE system_relations RENAME TO misplaced; CREATE TABLE c (id integer)');
  await until(() => follower.status().error !== null);
  t.match(follower.status().error, /system_relations/);
  t.equal(follower.current().version, version);
  t.equal((await follower.refresh()).version, version, 'a refresh does not change that');
  t.ok(has(keeper, 'b'));

  await sql('ALTER TABLE misplaced RENAME TO system_relations');
  await until(() => has(keeper, 'c') && has(follower, 'c') && follower.status().error === null);
});

t.test('a database that was restored to an earlier state is loaded again', async (t) => {
  const { sql, open } = await install(t, TABLES);
  const source = await open(false);
  await sql('CREATE TABLE c (id integer)');
  const { version } = await source.refresh();
  await sql(`DROP TABLE c; DELETE FROM system_catalog WHERE collection = 'c';
    UPDATE system_state SET version = ${version - 1} WHERE name = 'catalog'`);
  await until(() => source.current().version === version - 1);
  t.notOk(has(source, 'c'));
  t.ok(has(source, 'a'));
});

t.test('an invalid published catalog leaves the last good one in use', async (t) => {
  const { sql, open } = await install(t, TABLES);
  const source = await open(false);
  const { version } = source.current();
  const publish = (descriptor: string) =>
    sql(`UPDATE system_catalog SET version = version + 1, descriptor = ${descriptor}
        WHERE collection = 'a';
      UPDATE system_state SET version = version + 1 WHERE name = 'catalog'`);
  await publish(`'{"name": "a", "table": {}}'`);
  await until(() => source.status().error !== null);
  t.equal(source.current().version, version);
  t.ok(has(source, 'a', 'id'));

  await publish("(SELECT descriptor FROM system_catalog WHERE collection = 'b')");
  await until(() => source.current().version > version);
  t.equal(source.status().error, null);
});

t.test('a process that cannot read the counters reports that it may be outdated', async (t) => {
  const { sql, open } = await install(t, TABLES);
  const source = await open(false, 4_000);
  await sql('ALTER TABLE system_state RENAME TO misplaced');
  await until(() => source.status().stale);
  t.ok(source.silence() > 0);
  t.ok(has(source, 'a'), 'and serves its last catalog');
  await sql('ALTER TABLE misplaced RENAME TO system_state');
  await until(() => !source.status().stale);
});

t.test('the system tables may be in a schema of any name', async (t) => {
  const { sql, open } = await install(t, TABLES, 'My "App",public');
  const keeper = await open(true);
  t.ok(has(keeper, 'a'));
  t.equal(collection(keeper.current(), 'system_fields').table?.schema, 'My "App"');
  await sql(`INSERT INTO "My ""App"""."system_collections" (collection, singleton)
    VALUES ('a', true)`);
  await until(() => collection(keeper.current(), 'a').singleton);
  t.strictSame(keeper.status().leftOut, []);
});
