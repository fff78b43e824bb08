import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { channelOf, openBus } from '#core/messaging/open-message-bus.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import { openCatalog } from '#core/model/catalog/open-catalog.ts';
import { settleSchemaTrigger } from '#core/model/system/schema-trigger.ts';
import { install } from '#tests/core/model/catalog/installation.ts';
import { until } from '#tests/harness/until.ts';

const log = pino({ level: 'silent' });

/** Nothing is noticed by looking while a test lasts. */
const NEVER_MS = 3_600_000;

async function reportedAtOnce(t: Test): Promise<void> {
  const { config, url, pool, sql } = await install(t, 'CREATE TABLE a (id integer PRIMARY KEY)');
  const cluster = randomUUID();
  const trigger = { schema: 'public', channel: channelOf(cluster) };
  const bus = await openBus(config, url, cluster, log);
  const parts = { pool, kind: 'test', bus, log, pause: NEVER_MS, lease: NEVER_MS };
  const keeper = await openCatalog(config, { ...parts, keep: true });
  const other = await openCatalog(config, { ...parts, keep: false });
  t.teardown(async () => {
    await other.close();
    await keeper.close();
    await bus.close();
  });
  const elected = async () => (await pool.query('SELECT FROM system_leases')).rowCount === 1;
  await until(elected, 'the election of the watch');
  t.equal(await settleSchemaTrigger(pool, trigger, true), true);
  t.equal(await settleSchemaTrigger(pool, trigger, true), true, 'twice is once');
  let notices = 0;
  bus.subscribe('schema.altered', () => {
    notices += 1;
  });
  const heard = async (statement: string, known: (fields: readonly string[]) => boolean) => {
    await sql(statement);
    const fieldsOf = (source: CatalogSource) => [
      ...(source.current().collections.get('a')?.fields.keys() ?? []),
    ];
    await until(() => known(fieldsOf(keeper)) && known(fieldsOf(other)), statement);
  };
  await heard('ALTER TABLE a ADD COLUMN title text', (fields) => fields.includes('title'));
  await heard('ALTER TABLE a DROP COLUMN title', (fields) => !fields.includes('title'));
  await heard('DROP TABLE a', (fields) => fields.length === 0);
  await heard('CREATE TABLE a (id integer)', (fields) => fields.includes('id'));
  await sql('CREATE INDEX CONCURRENTLY a_id ON a (id)');
  await heard('ALTER TABLE a ADD COLUMN next text', (fields) => fields.includes('next'));
  await until(() => notices === 6, 'each is reported');
  await sql('CREATE TEMP TABLE passing (id integer); DROP TABLE passing');
  await heard('ALTER TABLE a ADD COLUMN last text', (fields) => fields.includes('last'));
  await until(() => notices > 6, 'it is reported, too');
  t.equal(notices, 7, 'temporary tables are ignored');

  t.equal(await settleSchemaTrigger(pool, trigger, false), false);
  t.equal(await settleSchemaTrigger(pool, trigger, false), false);
  const { rows } = await pool.query(`SELECT evtname FROM pg_event_trigger UNION ALL
    SELECT proname FROM pg_proc WHERE proname = 'system_tell_schema_altered'`);
  t.strictSame(rows, [], 'it can be removed completely');
}

async function faultless(t: Test): Promise<void> {
  const { pool, sql } = await install(t);
  // PostgreSQL rejects a channel name of this length.
  const trigger = { schema: 'public', channel: 'x'.repeat(70) };
  t.equal(await settleSchemaTrigger(pool, trigger, true), true);
  await sql('CREATE TABLE a (id integer); DROP TABLE a');
  t.pass('a failing notification does not stop the DDL');
}

async function without(t: Test): Promise<void> {
  const { pool, sql } = await install(t);
  const trigger = { schema: 'public', channel: channelOf(randomUUID()) };
  t.equal(await settleSchemaTrigger(pool, trigger, true), false);
  t.equal(await settleSchemaTrigger(pool, trigger, false), false);
  await sql('CREATE TABLE a (id integer)');
}

if (process.env.TEST_ROLE === 'ordinary') t.test('an ordinary role works without it', without);
else {
  t.test('DDL of other roles is reported at once', reportedAtOnce);
  t.test('its faults do not stop the DDL', faultless);
}
