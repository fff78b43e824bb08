// @newest

import t from 'tap';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { VerifiedCatalog } from '#core/model/catalog/verified-catalog.ts';
import { collection, install } from './installation.ts';

const SETUP = `CREATE TYPE mood AS ENUM ('sad'); CREATE DOMAIN short AS text;
  CREATE TABLE b (id int PRIMARY KEY);
  CREATE TABLE a (id int PRIMARY KEY, mood mood, short short, b int, name varchar(3))`;

/** Whatever may change about a table. */
const CHANGES = [
  'ALTER TABLE a ADD COLUMN title text',
  'ALTER TABLE a RENAME COLUMN title TO heading',
  'ALTER TABLE a ALTER COLUMN heading SET NOT NULL',
  "ALTER TABLE a ALTER COLUMN heading SET DEFAULT 'x'",
  'ALTER TABLE a ALTER COLUMN name TYPE varchar(9)',
  'ALTER TABLE a DROP COLUMN heading',
  'ALTER TABLE a ADD FOREIGN KEY (b) REFERENCES b',
  'CREATE UNIQUE INDEX ON a (name)',
  "ALTER TYPE mood ADD VALUE 'happy'",
  'ALTER DOMAIN short ADD CHECK (length(VALUE) < 5)',
  "INSERT INTO system_fields (collection, field, special) VALUES ('a', 'name', 'cast-csv')",
  'CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN new; END $$',
  'CREATE TRIGGER g BEFORE INSERT ON a FOR EACH ROW EXECUTE FUNCTION f()',
  'DROP TABLE a; CREATE TABLE a (id int PRIMARY KEY)',
];

t.test('the current table is used, and compared only when it has changed', async (t) => {
  const { sql, pool, open } = await install(t, SETUP);
  const source = await open(false);
  let compared = 0;
  const refresh = async (): Promise<Catalog> => {
    compared += 1;
    return await source.refresh();
  };
  const counting = new Proxy(source, {
    get: (target, name) => {
      if (name === 'refresh') return refresh;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const checked = new VerifiedCatalog(counting, 'public');
  const client = await pool.connect();
  t.teardown(() => client.release());
  /** Repeats until no comparison is needed any more. */
  const settle = async () => {
    for (;;) {
      const before = compared;
      const catalog = await checked.with(client, 'a');
      if (compared === before) return catalog;
    }
  };
  for (const change of CHANGES) {
    await settle();
    await sql(change);
    const before = compared;
    const found = await checked.with(client, 'a');
    const isOfTable = !change.startsWith('CREATE FUNCTION');
    t.equal(compared - before, isOfTable ? 1 : 0, change);
    t.strictSame(collection(found, 'a').table, collection(await source.refresh(), 'a').table);
  }
  const last = await settle();
  await sql('ALTER TABLE b ADD COLUMN more text');
  t.equal(await checked.with(client, 'a'), last, 'another table is not compared');
  const before = compared;
  await checked.with(client, 'nowhere');
  t.equal(compared - before, 1, 'an unknown one may be new');
});
