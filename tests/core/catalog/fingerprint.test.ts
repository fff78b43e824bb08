import t from 'tap';
import { fingerprint } from '#core/catalog/fingerprint.ts';
import { render, sql } from '#core/database/sql.ts';
import { install } from './installation.ts';

const SETUP = `
  CREATE TYPE mood AS ENUM ('sad');
  CREATE DOMAIN percent AS integer;
  CREATE TABLE parent (id integer PRIMARY KEY);
  CREATE TABLE child (id integer PRIMARY KEY, parent integer, mood mood);
  CREATE TABLE part (at date) PARTITION BY RANGE (at);
  CREATE TABLE part_2020 PARTITION OF part FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
  CREATE VIEW children AS SELECT id FROM child;
  CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';`;

/** In order: later ones build on earlier ones. */
const CHANGES = [
  'CREATE TABLE fresh (id integer)',
  'DROP TABLE fresh',
  'ALTER TABLE child RENAME TO kid',
  'ALTER TABLE kid ADD COLUMN extra text',
  'ALTER TABLE kid RENAME COLUMN extra TO other',
  "ALTER TABLE kid ALTER COLUMN other SET DEFAULT 'x'",
  "ALTER TABLE kid ALTER COLUMN other SET DEFAULT 'y'",
  'ALTER TABLE kid ALTER COLUMN other SET NOT NULL',
  'ALTER TABLE kid ALTER COLUMN other TYPE varchar(10)',
  'ALTER TABLE kid DROP COLUMN other',
  'ALTER TABLE kid ADD CONSTRAINT positive CHECK (id > 0)',
  'ALTER TABLE kid ADD CONSTRAINT lone UNIQUE (parent)',
  'ALTER TABLE kid ADD CONSTRAINT up FOREIGN KEY (parent) REFERENCES parent',
  'ALTER TABLE kid DROP CONSTRAINT up',
  'CREATE INDEX kid_mood ON kid (mood)',
  'ALTER INDEX kid_mood RENAME TO kid_feeling',
  'DROP INDEX kid_feeling',
  "COMMENT ON TABLE kid IS 'a'",
  "COMMENT ON COLUMN kid.id IS 'b'",
  'COMMENT ON TABLE kid IS NULL',
  "ALTER TYPE mood ADD VALUE 'glad'",
  "ALTER TYPE mood RENAME VALUE 'glad' TO 'happy'",
  'ALTER DOMAIN percent SET NOT NULL',
  'ALTER DOMAIN percent ADD CHECK (VALUE < 101)',
  'CREATE OR REPLACE VIEW children AS SELECT id, parent FROM kid',
  'ALTER TABLE part DETACH PARTITION part_2020',
  'CREATE TRIGGER t BEFORE INSERT ON kid FOR EACH ROW EXECUTE FUNCTION nothing()',
  'GRANT SELECT ON kid TO PUBLIC',
  'GRANT SELECT (id) ON parent TO PUBLIC',
];

const INDIFFERENT = [
  'INSERT INTO parent SELECT generate_series(1, 100)',
  'ANALYZE',
  'VACUUM FULL parent',
  'REINDEX TABLE parent',
  'CLUSTER parent USING parent_pkey',
  'TRUNCATE child',
  'CREATE TEMP TABLE passing (id integer PRIMARY KEY, note text DEFAULT 1)',
  'CREATE SCHEMA elsewhere',
  'CREATE TABLE elsewhere.other (id integer PRIMARY KEY)',
  "UPDATE system_users SET first_name = 'x'",
];

t.test('the fingerprint tells what the catalog describes from what it does not', async (t) => {
  const { pool, sql: run } = await install(t, SETUP);
  const read = async (): Promise<string> => {
    const { rows } = await pool.query(render(sql`SELECT ${fingerprint(['public'])} AS text`));
    return rows[0].text;
  };
  // A first CLUSTER marks the index; the second changes nothing more.
  await run('CLUSTER parent USING parent_pkey');
  for (const statement of INDIFFERENT) {
    const before = await read();
    await run(statement);
    t.equal(await read(), before, `indifferent: ${statement}`);
  }
  for (const statement of CHANGES) {
    const before = await read();
    await run(statement);
    t.not(await read(), before, statement);
  }
});
