/** Old history is deleted in batches, beside writers, and nothing that refers to it breaks. */
import { pino } from 'pino';
import t from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import { createPool } from '#core/database/pool.ts';
import {
  countOldHistory,
  type OldHistory,
  removeActivities,
  removeRevisions,
} from '#core/write/history/retention.ts';
import { createSystemDatabase } from '#tests/harness/database.ts';

const pool = createPool(loadConfig(), await createSystemDatabase(t), pino({ level: 'silent' }), {
  name: 'test',
  statementTimeout: 0,
});
t.teardown(() => pool.end());

/** Items 1 to 300 of `a` and `b`, written six times each: the first four times are old. */
const ITEMS = 300;
async function fill() {
  await pool.query(`TRUNCATE system_activity, system_revisions RESTART IDENTITY`);
  await pool.query(`
    INSERT INTO system_activity (action, timestamp, collection, item)
      SELECT 'update', now() - CASE WHEN n < 5 THEN interval '100 days' ELSE interval '1 day' END,
        c, i::text
      FROM generate_series(1, 6) n, unnest(ARRAY['a', 'b']) c, generate_series(1, ${ITEMS}) i
      ORDER BY n, c, i;
    INSERT INTO system_activity (action, timestamp, collection, item)
      VALUES ('delete', now() - interval '100 days', 'a', 'gone'),
        ('delete', now(), 'a', 'gone now'), ('import', now() - interval '100 days', 'b', 'job');
    INSERT INTO system_revisions (activity, collection, item)
      SELECT id, collection, item FROM system_activity WHERE action = 'update' ORDER BY id;
    -- An item that was only written long ago, with children in the same request, and a young child.
    INSERT INTO system_activity (id, action, timestamp, collection, item)
      VALUES (90001, 'create', now() - interval '100 days', 'a', 'still');
    INSERT INTO system_revisions (id, activity, collection, item)
      VALUES (90001, 90001, 'a', 'still'), (90002, 90001, 'a', 'still');
    UPDATE system_revisions SET parent = id - 1 WHERE id BETWEEN 2 AND 3600 OR id = 90002;
    ANALYZE system_activity, system_revisions`);
}

async function left() {
  const { rows } = await pool.query<{ name: string; count: number }>(`
    SELECT 'a' || collection AS name, count(*)::int FROM system_activity GROUP BY collection
    UNION ALL
    SELECT 'r' || collection, count(*)::int FROM system_revisions GROUP BY collection`);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

const before = new Date(Date.now() - 90 * 86_400_000);
const old = { connections: pool, schema: 'public', before };

async function prune(options: OldHistory) {
  const steps: number[] = [];
  const goesOn = (removed: number) => steps.push(removed) > 0;
  const revisions = await removeRevisions({ ...options, goesOn });
  const activities = await removeActivities({ ...options, goesOn });
  return { revisions, activities, batches: steps.length };
}

const cases: readonly { what: string; options: Partial<OldHistory>; stays: object }[] = [
  { what: 'by age', options: {}, stays: { aa: 601, ra: 600, ab: 600, rb: 600 } },
  {
    what: 'of a collection',
    options: { collection: 'a' },
    stays: { aa: 601, ra: 600, ab: 1801, rb: 1800 },
  },
  {
    what: 'but the latest of each item',
    options: { keepLatest: true },
    stays: { aa: 602, ra: 601, ab: 600, rb: 600 },
  },
  {
    what: 'where everything is old, but the latest of each item',
    options: { keepLatest: true, collection: 'b', before: new Date(Date.now() + 60_000) },
    stays: { aa: 1803, ra: 1802, ab: 300, rb: 300 },
  },
];
for (const { what, options, stays } of cases) {
  t.test(`old history is deleted: ${what}`, async (t) => {
    await fill();
    const selected = { ...old, ...options };
    const counted = await countOldHistory(selected);
    const { batches, ...removed } = await prune(selected);
    t.strictSame(removed, counted, 'a previous count is the same');
    t.ok(batches > 2, 'in batches');
    t.strictSame(await left(), stays);
    t.strictSame(await countOldHistory(selected), { revisions: 0, activities: 0 });
    const again = await prune(selected);
    t.match(again, { revisions: 0, activities: 0 });
  });
}

t.test('concurrent writers do not wait, and lose no data', async (t) => {
  await fill();
  const writer = await pool.connect();
  try {
    await writer.query('BEGIN');
    await writer.query(`INSERT INTO system_activity (id, action, collection, item)
      VALUES (100000, 'update', 'a', '1')`);
    await writer.query(`INSERT INTO system_revisions (id, activity, collection, item)
      VALUES (100000, 100000, 'a', '1')`);
    // The writer stays open: if the deletion waited for it, this would never end.
    const removed = await prune(old);
    t.match(removed, { revisions: 2402, activities: 2403 });
    await writer.query(`INSERT INTO system_revisions (activity, collection, item, parent)
      VALUES (100000, 'a', 'child', 100000)`);
    await writer.query('COMMIT');
  } finally {
    writer.release();
  }
  t.match(await left(), { ra: 602, aa: 602 });
  const { rows } = await pool.query(`SELECT count(*)::int AS lost FROM system_revisions r
    WHERE parent IS NOT NULL AND NOT EXISTS (SELECT FROM system_revisions p WHERE p.id = r.parent)`);
  t.strictSame(rows, [{ lost: 0 }]);
});

t.test('it stops after a batch on request', async (t) => {
  await fill();
  const removed = await removeRevisions({ ...old, goesOn: (count) => count < 1_500 });
  t.equal(removed, 2_000);
});
