// @quick

import t from 'tap';
import { importing } from '../importing.ts';

const ROWS = 20_000;

/** Rows in no order: half of their keys exist. */
function file(keyOf: (row: number) => string): string {
  const lines = Array.from({ length: ROWS }, (_, index) => {
    const row = 1 + ((index * 7_919) % ROWS);
    return `${keyOf(row)},new ${row} ${'x'.repeat(40)}`;
  });
  return `id,name\n${lines.join('\n')}\n`;
}

t.test('large files are merged in key order', async (t) => {
  const db = await importing('CREATE TABLE item (id int PRIMARY KEY, name text)');
  await db.rows(`INSERT INTO item SELECT i, 'old' FROM generate_series(1, ${ROWS / 2}) i`);
  const counts = await db.import('item', file(String));
  t.match(counts, { inserted: ROWS / 2, updated: ROWS / 2, unchanged: 0 });
  const [found] = await db.rows(
    `SELECT bool_and(name LIKE 'new ' || id || ' x%') AS right, count(*)::int,
       (SELECT bool_and(id > before) FROM (SELECT id, lag(id, 1, 0) OVER (ORDER BY ctid) AS before
          FROM item WHERE id > ${ROWS / 2}) i) AS ordered FROM item`,
  );
  t.strictSame(found, { right: true, count: ROWS, ordered: true });
});

t.test(
  'PostgreSQL plans small files, keys that sort slowly, and tables with triggers',
  async (t) => {
    const db = await importing(
      `CREATE TABLE item (id int PRIMARY KEY, name text);
     INSERT INTO item SELECT i * 2, repeat('y', 400) FROM generate_series(1, ${ROWS}) i;
     CREATE TABLE word (id text PRIMARY KEY, name text);
     INSERT INTO word SELECT 'key ' || i, 'old' FROM generate_series(1, ${ROWS / 2}) i;
     CREATE TABLE fired (id int PRIMARY KEY, name text);
     INSERT INTO fired SELECT i, 'old' FROM generate_series(1, ${ROWS / 2}) i;
     CREATE FUNCTION fire() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
     CREATE TRIGGER fire BEFORE INSERT ON fired FOR EACH ROW EXECUTE FUNCTION fire();
     ANALYZE`,
    );
    const isOrdered = async (table: string) => {
      const [found] = await db.rows(
        `SELECT bool_and(id > before) AS ordered FROM (SELECT id, lag(id) OVER (ORDER BY ctid) AS before
         FROM ${table} WHERE name LIKE 'new%') i WHERE before IS NOT NULL`,
      );
      return found?.ordered;
    };
    t.match(await db.import('item', file(String)), { inserted: ROWS / 2, updated: ROWS / 2 });
    t.equal(await isOrdered('item'), false);
    t.match(
      await db.import(
        'word',
        file((row) => `key ${row}`),
      ),
      { inserted: ROWS / 2 },
    );
    t.equal(await isOrdered('word'), false);
    t.match(await db.import('fired', file(String)), { inserted: ROWS / 2 });
    t.equal(await isOrdered('fired'), false);
  },
);
