/** Large schemas, and how snapshots of them delay other requests. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import t from 'tap';
import { snapshotHash, takeSnapshot } from '#core/schema/snapshot.ts';
import { diffSnapshot } from '#core/schema/snapshot-diff.ts';
import { parseSnapshot } from '#core/schema/snapshot-input.ts';
import { openWorkshop } from './operation/workshop.ts';

const TABLES = 300;

t.test('three hundred tables', async (t) => {
  const { catalog: read, sql } = await openWorkshop(
    t,
    `DO $$ BEGIN FOR n IN 1..${TABLES} LOOP
      EXECUTE format('CREATE TABLE t%s (id int PRIMARY KEY, a text, b int, c timestamptz, t int REFERENCES %I)',
        n, CASE n WHEN 1 THEN 't1' ELSE 't' || n - 1 END);
    END LOOP; END $$`,
  );
  const catalog = await read();
  const snapshot = await takeSnapshot(catalog);
  t.equal(snapshot.fields.length, TABLES * 5);
  const given = parseSnapshot(JSON.parse(JSON.stringify(snapshot)), false);
  const options = { mode: 'mirror', force: false } as const;
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  t.equal(await diffSnapshot(await takeSnapshot(catalog), given, options), null);
  const hash = await snapshotHash(snapshot);
  delay.disable();
  t.comment(`longest hold-up ${Math.round(delay.max / 1e6)} ms`);
  t.equal(
    await snapshotHash(await takeSnapshot(await read())),
    hash,
    'the hash depends on the schema alone',
  );
  await sql('ALTER TABLE t7 ADD COLUMN d int');
  t.not(await snapshotHash(await takeSnapshot(await read())), hash);
  await sql('ALTER TABLE t7 DROP COLUMN d; ANALYZE; INSERT INTO t1 VALUES (1)');
  t.equal(await snapshotHash(await takeSnapshot(await read())), hash);
});
