import { pino } from 'pino';
import t, { type Test } from 'tap';
import { createPool, transaction } from '#core/database/pool.ts';
import { openBus } from '#core/messaging/open-message-bus.ts';
import type { AccessChanges } from '#core/model/catalog/access-changes.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import { type CatalogParts, openCatalog } from '#core/model/catalog/open-catalog.ts';
import { announce, publishWithin } from '#core/model/catalog/publish-in-transaction.ts';
import { resetCatalogEverywhere } from '#core/model/catalog/reset-catalog-everywhere.ts';
import { clusterId } from '#core/model/system/cluster-id.ts';
import { Members } from '#core/model/system/process-registry.ts';
import { until } from '#tests/harness/until.ts';
import { collection, HOUR_MS, install, PAUSE_MS } from './installation.ts';

const log = pino({ level: 'silent' });
const CATALOG_SCHEMAS = { schemas: ['public'], system: 'public' };
const TABLES = 'CREATE TABLE a (id integer PRIMARY KEY); CREATE TABLE b (id integer PRIMARY KEY);';

/**
 * An installation whose processes read the counters, and hold leases, for as long as the test runs.
 */
async function clusterOf(t: Test) {
  const installed = await install(t, TABLES);
  const { config, url, pool } = installed;
  const bus = await openBus(config, url, await clusterId(pool, 'public'), log);
  const closing: (() => Promise<unknown>)[] = [() => bus.close()];
  t.teardown(async () => {
    for (const close of closing.reverse()) await close();
  });
  const open = async (parts: Partial<CatalogParts>) => {
    const source = await openCatalog(config, {
      ...{ pool, kind: 'edge', bus, log, keep: false, pause: PAUSE_MS, lease: HOUR_MS },
      ...parts,
    });
    closing.push(() => source.close());
    return source;
  };
  const alter = (statement: string) =>
    transaction(pool, async (client) => {
      await client.query(statement);
      return await publishWithin(client, CATALOG_SCHEMAS);
    });
  return { ...installed, bus, open, alter, members: new Members(pool, 'public') };
}

// They wait more than they work, each with a database of its own.
t.jobs = 3;
t.test('a version is acknowledged when it is served', async (t) => {
  const { bus, open, alter, members } = await clusterOf(t);
  const sources = [await open({}), await open({ pause: HOUR_MS }), await open({ keep: true })];
  const { version } = await alter('ALTER TABLE a ADD COLUMN title text');
  await announce(bus, log, version);
  t.strictSame(await members.acknowledged({ catalog: version }), []);
  for (const source of sources) {
    t.equal(source.current().version, version);
    t.ok(collection(source.current(), 'a').fields.has('title'));
  }
  const [first] = sources;
  await first?.close();
  const next = await alter('ALTER TABLE a ADD COLUMN more text');
  await announce(bus, log, next.version);
  t.strictSame(
    await members.acknowledged({ catalog: next.version }),
    [],
    'a closed process is ignored',
  );
});

t.test('a version is acknowledged together with its changes of permissions', async (t) => {
  const { bus, open, alter, members, sql } = await clusterOf(t);
  const policy = '00000000-0000-4000-8000-000000000001';
  await sql(`ALTER TABLE a ADD COLUMN secret text;
    INSERT INTO system_policies (id, name) VALUES ('${policy}', 'p');
    INSERT INTO system_permissions (policy, collection, action, fields)
    VALUES ('${policy}', 'a', 'read', 'id,secret')`);
  const source = await open({ pause: HOUR_MS });
  const heard: number[] = [];
  source.onCounter('access', (version) => heard.push(version));
  const { version } = await alter('ALTER TABLE a DROP COLUMN secret');
  await announce(bus, log, version);
  t.strictSame(await members.acknowledged({ catalog: version }), []);
  t.equal(heard.length, 1, 'a later object of the same name is a different one');
});

t.test(
  'a change of permissions lists the changes, or reports any change after a missed one',
  async (t) => {
    const { open, sql } = await clusterOf(t);
    const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
    await sql(`INSERT INTO system_users (id, email) VALUES ('${id(1)}', 'a'), ('${id(2)}', 'b');
    INSERT INTO system_roles (id, name) VALUES ('${id(3)}', 'r');
    INSERT INTO system_policies (id, name) VALUES ('${id(4)}', 'p');
    INSERT INTO system_sessions (id, token, "user", expires)
    VALUES ('${id(5)}', 't', '${id(1)}', now() + interval '1 day')`);
    const source = await open({ pause: HOUR_MS });
    const notified: (AccessChanges | null)[] = [];
    source.onAccess((changes) => notified.push(changes));
    const after = async (statement: string) => {
      await sql(statement);
      notified.length = 0;
      await source.hear();
      return notified.map((changes) => {
        if (changes === null) return 'anything';
        const { public: everybody, ...sets } = changes;
        const named = Object.entries(sets).flatMap(([name, keys]) =>
          keys.size === 0 ? [] : [`${name} ${[...keys].join()}`],
        );
        return [...named, ...(everybody ? ['public'] : [])].join(' ');
      });
    };
    const grant = (role: string, user: string) =>
      `INSERT INTO system_access (role, "user", policy) VALUES (${role}, ${user}, '${id(4)}')`;
    const [one, two, role, policy] = [1, 2, 3, 4].map(id);
    const cases: readonly (readonly [string, ...string[]])[] = [
      [`UPDATE system_users SET status = 'draft' WHERE id = '${two}'`, `users ${two}`],
      [
        `UPDATE system_users SET theme_light_overrides = '{"a":"\\u0000"}' WHERE id = '${two}'`,
        `users ${two}`,
      ],
      [
        `UPDATE system_users SET title = 'x'; ALTER TABLE system_users ADD COLUMN tenant integer;
      UPDATE system_users SET title = NULL; UPDATE system_users SET tenant = 1 WHERE id = '${one}'`,
        `users ${one},${two}`,
      ],
      [`UPDATE system_users SET last_access = now(), last_page = '/'`],
      ['UPDATE system_users SET status = status'],
      ["UPDATE system_users SET status = 'draft' WHERE false"],
      [`UPDATE system_roles SET name = 'q'`, `roles ${role}`],
      [`UPDATE system_policies SET app_access = true WHERE id = '${policy}'`, `policies ${policy}`],
      [grant('NULL', 'NULL'), 'public'],
      [grant(`'${role}'`, 'NULL'), `roles ${role}`],
      [grant('NULL', `'${two}'`), `users ${two}`],
      [
        `INSERT INTO system_permissions (policy, collection, action) VALUES ('${policy}', 'a', 'read')`,
        `permissions ${policy}`,
      ],
      [
        `DELETE FROM system_policies WHERE id = '${policy}'`,
        `users ${two} roles ${role} policies ${policy} permissions ${policy} public`,
      ],
      ["INSERT INTO system_settings (project_name) VALUES ('x')", ''],
      ['DELETE FROM system_sessions', `sessions ${id(5)}`],
      ['TRUNCATE system_permissions', 'anything'],
      [
        "INSERT INTO system_users (email) SELECT 'u' || n FROM generate_series(1, 1200) AS n",
        'anything',
      ],
      [
        `UPDATE system_users SET status = 'draft' WHERE id = '${one}';
      DELETE FROM system_access_changes`,
        'anything',
      ],
      [`UPDATE system_users SET status = 'active' WHERE id = '${one}'`, `users ${one}`],
    ];
    for (const [statement, ...names] of cases)
      t.strictSame(await after(statement), names, statement);
  },
);

t.test('a message suspends trust until the counters were read', async (t) => {
  const { bus, open, pool } = await clusterOf(t);
  const source = await open({ pause: HOUR_MS });
  const notified: (AccessChanges | null)[] = [];
  source.onAccess((changes) => notified.push(changes));
  t.ok(source.inContact());
  // One connection begins and ends the transaction.
  const holder = await pool.connect();
  await holder.query('BEGIN; LOCK TABLE system_state');
  await bus.publish('access.changed', { version: 1_000, sessions: 0 });
  await until(() => !source.inContact());
  const trusted = source.trust();
  await holder.query('COMMIT');
  holder.release();
  await trusted;
  t.ok(source.inContact());
  t.strictSame(notified, [], 'nothing had changed');

  await pool.query('ALTER TABLE system_state RENAME TO misplaced');
  source.distrust();
  await source.trust();
  t.strictSame(notified, [null], 'without the counters nothing is trusted');
  t.notOk(source.inContact());
  await pool.query('ALTER TABLE misplaced RENAME TO system_state');
  await source.trust();
  t.ok(source.inContact());
});

t.test('an ignored process does not answer before it is current', async (t) => {
  const { open, alter, pool, members } = await clusterOf(t);
  const frozen = await open({ pause: HOUR_MS, lease: 4_000, bus: await deafBus(t) });
  t.ok(frozen.ready());
  await until(() => !frozen.ready());
  t.equal(frozen.status().stale, true);
  const { version } = await alter('ALTER TABLE a ADD COLUMN title text');
  t.equal(
    (await members.acknowledged({ catalog: version })).length,
    1,
    'the result names the ignored process',
  );
  t.notOk(collection(frozen.current(), 'a').fields.has('title'));
  await regained(frozen);
  t.ok(frozen.ready());
  t.equal(frozen.current().version, version, 'ready means current');
  t.strictSame(await members.acknowledged({ catalog: version }), []);

  await until(() => !frozen.ready());
  await pool.query('ALTER TABLE system_state RENAME TO misplaced');
  await t.rejects(frozen.regain(), { code: 'SERVICE_UNAVAILABLE' });
  await pool.query('ALTER TABLE misplaced RENAME TO system_state');
  await regained(frozen);
  t.ok(frozen.ready());
});

/** On a busy machine it can take longer than a request waits for it. */
async function regained(source: CatalogSource): Promise<void> {
  let isReady = false;
  while (!isReady) {
    isReady = await source.regain().then(
      () => true,
      (error: unknown) => {
        t.match(error, { code: 'SERVICE_UNAVAILABLE' });
        return false;
      },
    );
  }
}

/** A message bus that only this process uses. */
async function deafBus(t: Test) {
  const { config, url } = await install(t);
  const bus = await openBus(config, url, '00000000-0000-4000-8000-000000000000', log);
  t.teardown(() => bus.close());
  return bus;
}

t.test('a reset is confirmed when everything was loaded again', async (t) => {
  const { bus, open, pool, members } = await clusterOf(t);
  const source = await open({});
  const before = source.current();
  const heard: number[] = [];
  source.onCounter('reset', (reset) => heard.push(reset));
  // The published state differs from the actual state, and no message reports it.
  await pool.query(`UPDATE system_catalog SET digest = 'x',
    descriptor = replace(descriptor::text, '"id"', '"di"')::json WHERE collection = 'a'`);
  const reset = await resetCatalogEverywhere({ pool, bus, log, catalogSchemas: CATALOG_SCHEMAS });
  t.strictSame(await members.confirmed(reset), []);
  t.strictSame(heard, [reset], 'and all caches were cleared');
  t.not(collection(source.current(), 'b'), collection(before, 'b'), 'even unchanged entries');
  t.ok(collection(source.current(), 'a').fields.has('id'));
  t.strictSame(
    [...source.current().collections.values()].map(({ descriptor }) => descriptor),
    [...before.collections.values()].map(({ descriptor }) => descriptor),
  );
});

t.test('publishing and watching do not block each other', async (t) => {
  const { config, url, pool, open, bus, sql } = await clusterOf(t);
  const keeper = await open({ keep: true });
  const others = createPool(config, url, log, { name: 'others', statementTimeout: 0 });
  t.teardown(() => others.end());
  const failures: unknown[] = [];
  const { version } = await transaction(others, async (client) => {
    await client.query('ALTER TABLE a ADD COLUMN title text DEFAULT lower(version())');
    // Another session changes a table which the watch then describes.
    await sql('ALTER TABLE b ADD COLUMN title text');
    await until(() => collection(keeper.current(), 'b').fields.has('title'));
    const published = await publishWithin(client, CATALOG_SCHEMAS);
    // The watch tries to publish now, and waits for this transaction.
    await sql('ALTER TABLE b ADD COLUMN more text');
    const { rows } = await pool.query('SELECT count(*)::int AS n FROM pg_stat_activity');
    t.ok(rows[0].n > 0);
    for (let look = 0; look < 20; look += 1) {
      await pool.query('SELECT pg_sleep(0.02)');
      if (keeper.status().error !== null) failures.push(keeper.status().error);
    }
    return published;
  });
  await announce(bus, log, version);
  await until(() => collection(keeper.current(), 'b').fields.has('more'));
  t.ok(collection(keeper.current(), 'a').fields.has('title'));
  t.strictSame(failures, []);
  const { rows } = await pool.query("SELECT value FROM system_state WHERE name = 'catalog'");
  t.notOk('error' in rows[0].value, 'no failure was recorded');
});

t.test('a table locked by another transaction is not a failure', async (t) => {
  const { pool, open, sql } = await clusterOf(t);
  const source = await open({});
  const { version } = source.current();
  const client = await pool.connect();
  await sql('ALTER TABLE a ADD COLUMN title text DEFAULT lower(version())');
  await client.query('BEGIN; LOCK TABLE a');
  t.equal((await source.refresh()).version, version, 'a locked table is not described yet');
  t.equal(source.status().error, null);
  await client.query('COMMIT');
  client.release();
  t.ok(collection(await source.refresh(), 'a').fields.has('title'));
});
