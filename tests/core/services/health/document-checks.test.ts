/** The search for documents that cannot be read: in portions, of locked tables and of partitions. */
import t from 'tap';
import { UnreadableDocumentSearch } from '#core/services/health/document-checks.ts';
import { until } from '#tests/harness/until.ts';
import { install } from '../../model/catalog/installation.ts';

/** One page each, because of the filler, and slow to search, because of the nesting. */
const SLOW = `CREATE TABLE slow (id int PRIMARY KEY, filler text, doc json);
  ALTER TABLE slow ALTER filler SET STORAGE PLAIN;
  INSERT INTO slow SELECT n, repeat('x', 7000),
    (CASE n WHEN 8 THEN '"\\u0000"' ELSE repeat('[', 20000) || repeat(']', 20000) END)::json
    FROM generate_series(1, 8) AS n`;

const PARTITIONED = `CREATE TABLE parted (id int PRIMARY KEY, doc json, more json) PARTITION BY RANGE (id);
  CREATE TABLE "Low" PARTITION OF parted FOR VALUES FROM (1) TO (100);
  CREATE TABLE high PARTITION OF parted FOR VALUES FROM (100) TO (200);
  INSERT INTO parted VALUES (1, '"\\u0000"', '1'), (150, '1', '"\\ud800"')`;
const world = await install(
  t,
  `${SLOW}; ${PARTITIONED};
  CREATE TABLE held (id int PRIMARY KEY, doc json); INSERT INTO held VALUES (1, '"\\u0000"')`,
);
const search = new UnreadableDocumentSearch(world.pool, await world.open(false));

/** The fields that are reported after one more run. */
async function named(): Promise<readonly unknown[]> {
  const { 'pg:unreadableDocuments': found = [] } = await search.look();
  return found.map(({ observedValue }) => observedValue);
}

t.test('pages that take too long are read in portions', async () => {
  await until(async () => (await named()).includes('slow.doc'), 'the last of the pages is read');
});

t.test('partitions are searched, and corrected documents are no longer reported', async (t) => {
  await until(async () => {
    const fields = await named();
    return fields.includes('parted.doc') && fields.includes('parted.more');
  }, 'both partitions are read');
  await world.sql(`UPDATE parted SET doc = '1' WHERE id = 1; DELETE FROM slow`);
  await until(
    async () => !(await named()).includes('parted.doc'),
    'a later pass forgets the field',
  );
  t.ok((await named()).includes('parted.more'));
});

t.test('a locked table delays the search of the other tables only briefly', async (t) => {
  await world.sql(`UPDATE held SET doc = '1'`);
  const client = await world.pool.connect();
  try {
    await client.query('BEGIN; LOCK TABLE held');
    await world.sql(`UPDATE parted SET more = '1'`);
    await until(async () => !(await named()).includes('parted.more'), 'other tables are looked at');
    t.ok((await named()).includes('held.doc'), 'earlier findings of the locked table stay');
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  await until(async () => (await named()).length === 0, 'all are looked at again');
});
