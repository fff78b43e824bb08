import t from 'tap';
import { transaction } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { survey } from '#core/model/catalog/collection-stamps.ts';
import { databaseStamp } from '#core/model/catalog/database-stamp.ts';
import { install } from './installation.ts';

const SETUP = `
  CREATE TYPE mood AS ENUM ('sad');
  CREATE DOMAIN percent AS integer;
  CREATE TABLE parent (id integer PRIMARY KEY);
  CREATE TABLE child (id integer PRIMARY KEY, parent integer, mood mood);
  CREATE TABLE part (at date) PARTITION BY RANGE (at);
  CREATE TABLE part_2020 PARTITION OF part FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
  CREATE VIEW children AS SELECT id FROM child;
  CREATE TABLE shares (share percent);
  CREATE TABLE lists (id integer, list percent[]);
  CREATE FUNCTION one() RETURNS integer LANGUAGE sql AS 'SELECT 1';
  CREATE TABLE counted (id serial, one integer DEFAULT one());
  CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';`;

/** With the tables that each concerns. In order: later ones build on earlier ones. */
const CHANGES: readonly (readonly [string, ...string[]])[] = [
  ['CREATE TABLE fresh (id integer)', 'fresh'],
  ['DROP TABLE fresh', 'fresh'],
  ['ALTER TABLE child RENAME TO kid', 'child', 'kid'],
  ['ALTER TABLE kid ADD COLUMN extra text', 'kid'],
  ['ALTER TABLE kid RENAME COLUMN extra TO other', 'kid'],
  ["ALTER TABLE kid ALTER COLUMN other SET DEFAULT 'x'", 'kid'],
  ["ALTER TABLE kid ALTER COLUMN other SET DEFAULT 'y'", 'kid'],
  ['ALTER TABLE kid ALTER COLUMN other SET NOT NULL', 'kid'],
  ['ALTER TABLE kid ALTER COLUMN other TYPE varchar(10)', 'kid'],
  ['ALTER TABLE kid DROP COLUMN other', 'kid'],
  ['ALTER TABLE kid ADD CONSTRAINT positive CHECK (id > 0)', 'kid'],
  ['ALTER TABLE kid ADD CONSTRAINT lone UNIQUE (parent)', 'kid'],
  ['ALTER TABLE kid ADD CONSTRAINT up FOREIGN KEY (parent) REFERENCES parent', 'kid'],
  ['ALTER TABLE parent RENAME id TO key', 'kid', 'parent'],
  ['ALTER TABLE parent RENAME key TO id', 'kid', 'parent'],
  ['ALTER TABLE parent ADD COLUMN more text', 'parent'],
  ['ALTER TABLE kid DROP CONSTRAINT up', 'kid'],
  ['CREATE INDEX kid_mood ON kid (mood)', 'kid'],
  ['ALTER INDEX kid_mood RENAME TO kid_feeling', 'kid'],
  ['DROP INDEX kid_feeling', 'kid'],
  ["COMMENT ON TABLE kid IS 'a'", 'kid'],
  ["COMMENT ON COLUMN kid.id IS 'b'", 'kid'],
  ['COMMENT ON TABLE kid IS NULL', 'kid'],
  ["ALTER TYPE mood ADD VALUE 'glad'", 'kid'],
  ["ALTER TYPE mood RENAME VALUE 'glad' TO 'happy'", 'kid'],
  ['ALTER TYPE mood RENAME TO feeling', 'kid'],
  ['ALTER DOMAIN percent SET DEFAULT 5', 'lists', 'shares'],
  ['ALTER TABLE shares ALTER COLUMN share TYPE integer', 'shares'],
  ['ALTER TABLE lists DROP COLUMN list', 'lists'],
  ['ALTER SEQUENCE counted_id_seq RENAME TO counter', 'counted'],
  ['ALTER FUNCTION one() RENAME TO single', 'counted'],
  ['CREATE OR REPLACE VIEW children AS SELECT id, parent FROM kid', 'children'],
  ['ALTER TABLE part DETACH PARTITION part_2020', 'part_2020'],
  ['CREATE TRIGGER t BEFORE INSERT ON kid FOR EACH ROW EXECUTE FUNCTION nothing()', 'kid'],
];

const INDIFFERENT = [
  'INSERT INTO parent SELECT generate_series(101, 110)',
  'ANALYZE',
  'GRANT SELECT ON child TO PUBLIC',
  'VACUUM FULL parent',
  'REINDEX TABLE parent',
  'CLUSTER parent USING parent_pkey',
  'TRUNCATE child',
  'CREATE TEMP TABLE passing (id integer PRIMARY KEY, note text DEFAULT 1)',
  'CREATE SCHEMA elsewhere',
  'CREATE TABLE elsewhere.other (id integer PRIMARY KEY)',
  "UPDATE system_users SET first_name = 'x'",
];

t.test('stamps distinguish changes of the description from other changes', async (t) => {
  const { pool, sql: run } = await install(t, SETUP);
  const stamps = async () => {
    const seen = await transaction(pool, (client) =>
      survey(client, { schemas: ['public'], system: 'public' }, null),
    );
    return new Map(seen.tables.map(({ name, stamp }) => [name, stamp]));
  };
  const measure = async () =>
    (
      await pool.query(
        render(sql`SELECT ${databaseStamp({ schemas: ['public'], system: 'public' })} AS text`),
      )
    ).rows[0].text;
  // A first CLUSTER marks the index; the second changes nothing more.
  await run('CLUSTER parent USING parent_pkey');
  await run('INSERT INTO parent SELECT generate_series(1, 100); ANALYZE');
  for (const statement of INDIFFERENT) {
    const before = await stamps();
    await run(statement);
    t.strictSame(await stamps(), before, `indifferent: ${statement}`);
  }
  for (const [statement, ...names] of CHANGES) {
    const [before, measured] = [await stamps(), await measure()];
    await run(statement);
    const after = await stamps();
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      (name) => before.get(name) !== after.get(name),
    );
    t.strictSame(changed.sort(), names, `${statement} concerns ${names}`);
    t.not(await measure(), measured, `${statement} is noticed`);
  }
});
