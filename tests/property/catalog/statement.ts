/** Statements that alter a small database in every way that its catalog could show. */
import type { Dice } from '#tests/harness/dice.ts';

export const SETUP = `
  CREATE SCHEMA other;
  CREATE TYPE mood AS ENUM ('sad');
  CREATE TYPE pair AS (a integer, b integer);
  CREATE DOMAIN share AS integer DEFAULT 1;
  CREATE DOMAIN part AS share;
  CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
  CREATE FUNCTION one() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 1';
  CREATE TABLE whole (at date, note text) PARTITION BY RANGE (at);`;

const TABLES = ['t0', 't1', 't2', 't3', '"T 4"', 'other.t0', 'other.t1', 'other.t5'] as const;
const COLUMNS = ['a', 'b', 'c', '"D e"'] as const;
const TYPES = ['integer', 'text', 'varchar(9)', 'mood', 'mood[]', 'share', 'part', 'pair'] as const;
const NAMES = ['x', 'y', 'z'] as const;

type Make = (dice: Dice) => string;

const table: Make = (dice) => dice.pick(TABLES);
const column: Make = (dice) => dice.pick(COLUMNS);
const type: Make = (dice) => dice.pick(TYPES);
const name: Make = (dice) => dice.pick(NAMES);
const bare = (qualified: string) => qualified.replace('other.', '');
/** A name as the metadata has it. */
const text = (identifier: string) => `'${bare(identifier).replaceAll('"', '')}'`;
const alter =
  (rest: Make): Make =>
  (dice) =>
    `ALTER TABLE ${table(dice)} ${rest(dice)}`;
const createTable: Make = (dice) =>
  `CREATE TABLE ${table(dice)} (id serial PRIMARY KEY, ${column(dice)} ${type(dice)})`;

/** What goes on tables and their metadata; each of these may be a part of a bigger transaction. */
export const CHANGES: readonly [Make, ...Make[]] = [
  createTable,
  createTable,
  createTable,
  (dice) => `DROP TABLE ${table(dice)} CASCADE`,
  (dice) => `CREATE VIEW ${table(dice)} AS SELECT * FROM ${table(dice)}`,
  (dice) => `DROP VIEW ${table(dice)} CASCADE`,
  (dice) => `CREATE MATERIALIZED VIEW ${table(dice)} AS SELECT 1 AS id`,
  (dice) => `CREATE TABLE ${table(dice)} (LIKE ${table(dice)} INCLUDING ALL)`,
  (dice) => `DROP TABLE ${table(dice)} CASCADE; ${createTable(dice)}`,
  alter((dice) => `RENAME TO ${bare(table(dice))}`),
  alter((dice) => `SET SCHEMA ${dice.pick(['public', 'other'])}`),
  alter((dice) => `ADD COLUMN ${column(dice)} ${type(dice)}`),
  alter((dice) => `ADD COLUMN ${column(dice)} ${type(dice)}`),
  alter((dice) => `ADD COLUMN ${column(dice)} integer GENERATED ALWAYS AS IDENTITY`),
  alter((dice) => `ADD COLUMN ${column(dice)} integer GENERATED ALWAYS AS (id * 2) STORED`),
  alter((dice) => `DROP COLUMN ${column(dice)} CASCADE`),
  alter((dice) => `RENAME ${column(dice)} TO ${column(dice)}`),
  alter((dice) => `RENAME id TO ${column(dice)}`),
  alter((dice) => `ALTER ${column(dice)} TYPE ${type(dice)} USING NULL`),
  alter((dice) => `ALTER ${column(dice)} SET DEFAULT NULL`),
  alter((dice) => `ALTER ${column(dice)} SET DEFAULT one()`),
  alter((dice) => `ALTER ${column(dice)} DROP DEFAULT`),
  alter((dice) => `ALTER ${column(dice)} SET NOT NULL`),
  alter((dice) => `ALTER ${column(dice)} DROP NOT NULL`),
  alter((dice) => `ADD CONSTRAINT ${name(dice)} CHECK (${column(dice)} IS NOT NULL)`),
  alter((dice) => `ADD CONSTRAINT ${name(dice)} CHECK (id > one())`),
  alter((dice) => `ADD CONSTRAINT ${name(dice)} UNIQUE (${column(dice)})`),
  alter((dice) => `ADD CONSTRAINT ${name(dice)} FOREIGN KEY (id) REFERENCES ${table(dice)} (id)`),
  alter((dice) => `ADD FOREIGN KEY (${column(dice)}) REFERENCES ${table(dice)} ON DELETE CASCADE`),
  alter((dice) => `RENAME CONSTRAINT ${name(dice)} TO ${name(dice)}`),
  alter((dice) => `DROP CONSTRAINT ${name(dice)} CASCADE`),
  (dice) => `CREATE INDEX ON ${table(dice)} (${column(dice)})`,
  (dice) => `CREATE UNIQUE INDEX i${name(dice)} ON ${table(dice)} (id, ${column(dice)})`,
  (dice) => `ALTER INDEX i${name(dice)} RENAME TO i${name(dice)}`,
  (dice) => `DROP INDEX i${name(dice)}`,
  (dice) => `COMMENT ON TABLE ${table(dice)} IS '${name(dice)}'`,
  (dice) => `COMMENT ON COLUMN ${table(dice)}.${column(dice)} IS '${name(dice)}'`,
  (dice) => `CREATE TRIGGER ${name(dice)} BEFORE INSERT ON ${table(dice)}
    FOR EACH ROW EXECUTE FUNCTION nothing()`,
  (dice) => `DROP TRIGGER ${name(dice)} ON ${table(dice)}`,
  (dice) => `CREATE TABLE ${table(dice)} (at date, note text)`,
  (dice) => `ALTER TABLE whole ATTACH PARTITION ${table(dice)} DEFAULT`,
  (dice) => `ALTER TABLE whole DETACH PARTITION ${table(dice)}`,
  (dice) => `ALTER TABLE whole ADD COLUMN ${column(dice)} ${type(dice)}`,
  (dice) => `ALTER TYPE mood ADD VALUE '${name(dice)}'`,
  (dice) => `ALTER DOMAIN share SET DEFAULT ${dice.below(9)}`,
  (dice) => `INSERT INTO system_collections (collection, singleton)
    VALUES (${text(table(dice))}, true) ON CONFLICT DO NOTHING`,
  (dice) => `DELETE FROM system_collections WHERE collection = ${text(table(dice))}`,
  (dice) => `UPDATE system_collections SET note = '${name(dice)}'`,
  (dice) => `INSERT INTO system_fields (collection, field, special)
    VALUES (${text(table(dice))}, ${text(column(dice))}, 'cast-csv') ON CONFLICT DO NOTHING`,
  (dice) => `DELETE FROM system_fields WHERE collection = ${text(table(dice))}`,
  (dice) => `DELETE FROM system_fields WHERE collection = 't0';
    INSERT INTO system_fields (collection, field) VALUES ('t0', '${name(dice)}')`,
  (dice) => `INSERT INTO system_relations (many_collection, many_field, one_collection)
    VALUES (${text(table(dice))}, 'id', ${text(table(dice))}) ON CONFLICT DO NOTHING`,
  (dice) => `DELETE FROM system_relations WHERE many_collection = ${text(table(dice))}`,
];

/** What concerns tables without touching them, and what PostgreSQL does not do in a transaction. */
export const REMOTE: readonly [Make, ...Make[]] = [
  ...CHANGES,
  (dice) => `ALTER TYPE mood RENAME VALUE '${name(dice)}' TO '${name(dice)}'`,
  () => 'ALTER TYPE mood RENAME TO feeling',
  () => 'ALTER TYPE feeling RENAME TO mood',
  () => 'ALTER TYPE pair RENAME ATTRIBUTE a TO c',
  () => 'ALTER TYPE pair SET SCHEMA other',
  () => 'ALTER TYPE other.pair SET SCHEMA public',
  () => 'ALTER DOMAIN share RENAME TO portion; ALTER DOMAIN portion RENAME TO share',
  () => 'ALTER DOMAIN part SET NOT NULL',
  () => 'ALTER DOMAIN part DROP NOT NULL',
  () => 'ALTER DOMAIN share SET DEFAULT one()',
  () => 'ALTER FUNCTION one() RENAME TO single',
  () => 'ALTER FUNCTION single() RENAME TO one',
  (dice) => `ALTER SEQUENCE ${bare(table(dice))}_id_seq RENAME TO s_${name(dice)}`,
  (dice) => `ALTER SEQUENCE ${bare(table(dice))}_id_seq OWNED BY NONE`,
  (dice) => `REVOKE SELECT ON ${table(dice)} FROM CURRENT_USER`,
  (dice) => `GRANT SELECT ON ${table(dice)} TO CURRENT_USER`,
  (dice) => `GRANT SELECT (id) ON ${table(dice)} TO CURRENT_USER`,
  () => 'REVOKE USAGE ON SCHEMA other FROM CURRENT_USER',
  () => 'GRANT USAGE ON SCHEMA other TO CURRENT_USER',
  () => 'ALTER SCHEMA other RENAME TO another',
  () => 'ALTER SCHEMA another RENAME TO other',
  (dice) => `TRUNCATE ${table(dice)}`,
  (dice) => `CREATE INDEX CONCURRENTLY i${name(dice)} ON ${table(dice)} (id)`,
  (dice) => `CREATE UNLOGGED TABLE IF NOT EXISTS far${dice.below(3)} (LIKE whole)`,
];
