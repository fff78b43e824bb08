/** The tables that a write affects, read from a real database. */

import pg from 'pg';
import t from 'tap';
import { readAffectedTables, tableName } from '#core/write/cache/affected-tables.ts';
import { createDatabase } from '#tests/harness/database.ts';

const url = await createDatabase(t);
const pool = new pg.Pool({ connectionString: url });
t.teardown(() => pool.end());
const inPublic = (...names: string[]) => names.map((name) => tableName({ schema: 'public', name }));
const one = (name: string) => tableName({ schema: 'public', name });

await pool.query(`
  CREATE SCHEMA hidden;
  CREATE TABLE author (id int PRIMARY KEY);
  CREATE TABLE book (id int PRIMARY KEY, author int REFERENCES author ON DELETE CASCADE);
  CREATE TABLE loan (id int PRIMARY KEY, book int REFERENCES book ON UPDATE SET NULL);
  CREATE TABLE review (id int PRIMARY KEY, book int REFERENCES book);
  CREATE TABLE country (id int PRIMARY KEY);
  CREATE TABLE hidden.city (id int PRIMARY KEY,
    country int REFERENCES country ON DELETE SET DEFAULT ON UPDATE CASCADE);
  CREATE TABLE street (id int PRIMARY KEY, city int REFERENCES hidden.city ON DELETE SET NULL);
  CREATE TABLE tree (id int PRIMARY KEY, parent int REFERENCES tree ON DELETE CASCADE);
  CREATE TABLE event (id int, day int, author int REFERENCES author ON DELETE CASCADE,
    PRIMARY KEY (id, day)) PARTITION BY LIST (day);
  CREATE TABLE event_1 PARTITION OF event FOR VALUES IN (1);
  CREATE TABLE place (id int PRIMARY KEY);
  CREATE TABLE shop () INHERITS (place);
  CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
  CREATE TABLE owner (id int PRIMARY KEY);
  CREATE TABLE audited (id int PRIMARY KEY, owner int REFERENCES owner ON DELETE CASCADE);
  CREATE TRIGGER t BEFORE UPDATE ON audited FOR EACH ROW EXECUTE FUNCTION touch();
  CREATE TABLE ruled (id int PRIMARY KEY);
  CREATE RULE r AS ON INSERT TO ruled DO ALSO DELETE FROM owner;
  CREATE TABLE guarded (id int PRIMARY KEY);
  ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
  CREATE VIEW seen AS SELECT * FROM author`);
const reach = await readAffectedTables(pool);
const reached = (name: string) => [...reach.of(one(name))].sort();

t.test('cascades of any kind, in sequence', async (t) => {
  t.strictSame(reached('book'), inPublic('book', 'loan'));
  t.strictSame(reached('loan'), inPublic('loan'));
  t.strictSame(reached('tree'), inPublic('tree'));
  const all = inPublic('author', 'book', 'event', 'event_1', 'loan');
  t.strictSame(reached('author'), all);
});

t.test('cascades through tables that are not served', async (t) => {
  const city = tableName({ schema: 'hidden', name: 'city' });
  t.strictSame(reached('country'), [city, ...inPublic('country', 'street')]);
});

t.test('a table and its partitions, or its inheriting tables, count as one', async (t) => {
  t.strictSame(reached('event_1'), inPublic('event', 'event_1'));
  t.strictSame(reached('shop'), inPublic('place', 'shop'));
  t.strictSame(reached('place'), inPublic('place', 'shop'));
});

t.test('triggers and rules may write any table, at any point of a cascade', async (t) => {
  for (const name of ['audited', 'owner', 'ruled', 'unknown']) {
    t.strictSame(reached(name), ['*'], name);
  }
});

t.test('only answers from plain tables are cached', async (t) => {
  for (const name of ['author', 'book', 'event', 'place', 'owner']) {
    t.ok(reach.isPlain(one(name)), name);
  }
  for (const name of ['audited', 'ruled', 'guarded', 'seen', 'unknown']) {
    t.notOk(reach.isPlain(one(name)), name);
  }
});
