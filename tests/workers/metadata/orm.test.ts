import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import t from 'tap';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import { install, type Test } from '#tests/core/model/catalog/installation.ts';
import { openOrm } from '#workers/metadata/orm.ts';

const log = pino({ level: 'silent' });
const SETUP = `
  CREATE TYPE mood AS ENUM ('sad', 'happy');
  CREATE TABLE author (id serial PRIMARY KEY, name text NOT NULL DEFAULT 'nobody');
  CREATE TABLE article (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    author integer REFERENCES author ON DELETE CASCADE,
    mood mood,
    price numeric(30, 10),
    extra jsonb,
    words text[],
    made timestamptz DEFAULT '2020-01-02 03:04:05+00',
    local timestamp,
    day date,
    size integer,
    twice integer GENERATED ALWAYS AS (size * 2) STORED
  );
  CREATE TABLE pair (a integer, b text, note text, PRIMARY KEY (b, a));
  CREATE TABLE pair_user (id serial PRIMARY KEY, x text, y integer,
    FOREIGN KEY (x, y) REFERENCES pair (b, a));
  CREATE TABLE node (id integer PRIMARY KEY, parent integer REFERENCES node);
  CREATE TABLE "Mixed Case" ("select" integer PRIMARY KEY, "constructor" text, "two words" text,
    "__proto__" text, "toJSON" text);
  CREATE TABLE "dot.ted" (id integer PRIMARY KEY);
  CREATE TABLE quoted (id integer PRIMARY KEY, "it's ""odd"" ?" text);
  CREATE TABLE keyless (value text);`;

async function start(t: Test) {
  const installation = await install(t, SETUP);
  const source: CatalogSource = await installation.open(false);
  const orm = openOrm({ ...installation.config, connections: 2 }, installation.url, source, log);
  t.teardown(() => orm.close());
  return { ...installation, source, orm };
}

t.test('the EntityManager serves the system tables', async (t) => {
  const { orm, pool } = await start(t);
  const em = orm.fork();
  const roles = orm.entity('system_roles');
  const id = randomUUID();
  em.create(roles, { id, name: 'reader', parent: null });
  await em.flush();
  const role = await orm.fork().findOneOrFail(roles, { id });
  t.match(role, { id, name: 'reader', icon: 'supervised_user_circle', parent: null });

  t.equal(await orm.fork().nativeUpdate(roles, { id }, { name: 'writer' }), 1);
  const { rows } = await pool.query('SELECT name FROM system_roles WHERE id = $1', [id]);
  t.strictSame(rows, [{ name: 'writer' }]);

  const child = randomUUID();
  await orm.fork().insert(roles, { id: child, name: 'child', parent: id });
  const found = await orm.fork().findOneOrFail(roles, { parent: id });
  t.equal(found.parent, id, 'a reference is the key that it holds');
});

t.test('values keep digits that JavaScript numbers would lose', async (t) => {
  const { orm } = await start(t);
  const em = orm.fork();
  const author = em.create(orm.entity('author'), {});
  await em.flush();
  t.equal(author.name, 'nobody', 'defaults come back');
  const values = {
    author: author.id,
    mood: 'happy',
    price: '12345678901234567890.0123456789',
    extra: { a: [1, null] },
    words: ['x, y', '"z"'],
    local: new Date('2020-01-02T03:04:05Z'),
    day: '2020-02-29',
    size: 21,
  };
  const article = em.create(orm.entity('article'), values);
  await em.flush();
  t.equal(article.id, '1', 'a bigint is a string');
  const found = await orm.fork().findOneOrFail(orm.entity('article'), { id: '1' });
  t.match(found, { ...values, twice: 42, made: new Date('2020-01-02T03:04:05Z') });

  await t.rejects(
    orm.fork().transactional(async (work) => {
      await work.nativeDelete(orm.entity('article'), { id: '1' });
      throw new Error('no');
    }),
    { message: 'no' },
  );
  t.equal(await orm.fork().count(orm.entity('article')), 1, 'a transaction is all or nothing');
});

t.test('composite keys, self-references and names of any kind', async (t) => {
  const { orm, pool } = await start(t);
  const em = orm.fork();
  em.create(orm.entity('pair'), { a: 1, b: 'x', note: 'first' });
  em.create(orm.entity('node'), { id: 1, parent: null });
  await em.flush();
  em.create(orm.entity('node'), { id: 2, parent: 1 });
  em.create(orm.entity('pair_user'), { x: 'x', y: 1 });
  await em.flush();
  t.match(await orm.fork().findOneOrFail(orm.entity('pair'), { a: 1, b: 'x' }), { note: 'first' });
  t.match(await orm.fork().findOneOrFail(orm.entity('node'), { id: 2 }), { parent: 1 });

  em.create(orm.entity('Mixed Case'), { select: 7, column_2: 'c', column_3: 'w', column_4: 'p' });
  await em.flush();
  const { rows } = await pool.query('SELECT * FROM "Mixed Case"');
  t.strictSame(
    JSON.stringify(rows),
    '[{"select":7,"constructor":"c","two words":"w","__proto__":"p","toJSON":null}]',
  );
  const mixed = await orm.fork().findOneOrFail(orm.entity('Mixed Case'), { select: 7 });
  t.match(mixed, { select: 7, column_2: 'c', column_3: 'w', column_4: 'p', column_5: null });

  for (const name of ['dot.ted', 'quoted', 'keyless', 'system_state', 'nothing']) {
    t.throws(() => orm.entity(name), /has no entity/, name);
  }
});

t.test('the entities follow the catalog', async (t) => {
  const { orm, sql, source } = await start(t);
  const before = orm.entity('author');
  const untouched = orm.entity('pair');
  await sql(`
    ALTER TABLE author ADD COLUMN born integer;
    CREATE TABLE fresh (id integer PRIMARY KEY, article bigint REFERENCES article);
    DROP TABLE node;`);
  await source.refresh();
  t.not(orm.entity('author'), before);
  t.equal(orm.entity('pair'), untouched, 'what did not change stays');
  t.throws(() => orm.entity('node'), /has no entity/);

  const em = orm.fork();
  const author = em.create(orm.entity('author'), { name: 'x', born: 1920 });
  await em.flush();
  const article = em.create(orm.entity('article'), { author: author.id });
  await em.flush();
  em.create(orm.entity('fresh'), { id: 1, article: article.id });
  await em.flush();
  t.match(await orm.fork().findOneOrFail(orm.entity('author'), { id: author.id }), { born: 1920 });
  t.match(await orm.fork().findOneOrFail(orm.entity('article'), { author: author.id }), {
    author: author.id,
  });

  await sql('ALTER TABLE author DROP COLUMN born');
  await source.refresh();
  t.match(await orm.fork().findOneOrFail(orm.entity('author'), { id: author.id }), { name: 'x' });
});
