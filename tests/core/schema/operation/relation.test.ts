import t from 'tap';
import { createRelation, deleteRelation, updateRelation } from '#core/schema/operation/relation.ts';
import { relationObjects } from '#core/schema/relation-object.ts';
import type { RelationInput } from '#core/schema/schema-change.ts';
import { collection } from '../../model/catalog/installation.ts';
import { openWorkshop, type Workshop } from './workshop.ts';

const SETUP = `
  CREATE TABLE authors (id serial PRIMARY KEY, name text, parent integer);
  CREATE TABLE articles (id serial PRIMARY KEY, author integer, editor bigint, label text,
    slug varchar(40), sort integer, kind text, item text);
  CREATE TABLE tags (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text);
  CREATE TABLE pairs (a integer, b integer, article integer, PRIMARY KEY (a, b));
  CREATE TABLE "Ödd ""name""" (";drop" serial PRIMARY KEY, "to author" integer);
  CREATE VIEW listed AS SELECT id, author FROM articles;
  CREATE TABLE old (id serial PRIMARY KEY, author integer, a integer, b integer,
    CONSTRAINT "by hand" FOREIGN KEY (author) REFERENCES authors MATCH FULL
      DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT wide FOREIGN KEY (a, b) REFERENCES pairs ON UPDATE CASCADE);
  INSERT INTO authors (name) VALUES ('a'), ('b');`;

function m2o(collection: string, field: string, related: string): RelationInput {
  return { collection, field, related_collection: related, schema: null, meta: null };
}

async function objectOf(workshop: Workshop, name: string, field: string) {
  const catalog = await workshop.catalog();
  return relationObjects(catalog, collection(catalog, name)).find((one) => one.field === field);
}

async function keys(workshop: Workshop, table: string): Promise<string[]> {
  const rows = await workshop.rows(`SELECT conname || ' ' || pg_get_constraintdef(oid) AS text
    FROM pg_constraint WHERE contype = 'f' AND conrelid = '${table}'::regclass ORDER BY 1`);
  return rows.map(({ text }) => text);
}

t.test('a relation to one collection', async (t) => {
  const workshop = await openWorkshop(t, SETUP);
  const create = (relation: RelationInput) =>
    workshop.change((alteration) => createRelation(alteration, relation));
  const refused = async (relation: RelationInput) =>
    (await workshop.refusal((alteration) => createRelation(alteration, relation))).toJSON();

  await t.test('gets a foreign key, an index and a row', async (t) => {
    const catalog = await create({
      ...m2o('articles', 'author', 'authors'),
      schema: { on_delete: 'SET NULL', on_update: null },
      meta: { one_field: 'articles', sort_field: 'sort', one_deselect_action: 'delete' },
    });
    t.strictSame(await keys(workshop, 'articles'), [
      'articles_author_foreign FOREIGN KEY (author) REFERENCES authors(id) ON DELETE SET NULL',
    ]);
    t.match(catalog.relations.get('authors')?.get('articles'), {
      kind: 'o2m',
      indexed: true,
      sortField: 'sort',
      deselect: 'delete',
      derived: false,
    });
    t.match(await objectOf(workshop, 'articles', 'author'), {
      related_collection: 'authors',
      schema: { constraint_name: 'articles_author_foreign', on_delete: 'SET NULL' },
      meta: { one_field: 'articles', junction_field: null, one_allowed_collections: null },
    });
    const indexes = await workshop.rows(
      `SELECT indexname FROM pg_indexes WHERE tablename = 'articles' ORDER BY 1`,
    );
    t.strictSame(
      indexes.map(({ indexname }) => indexname),
      ['articles_author_index', 'articles_pkey'],
    );
  });

  await t.test('to itself, across integer types, and with any names', async (t) => {
    await create(m2o('authors', 'parent', 'authors'));
    t.strictSame(await keys(workshop, 'authors'), [
      'authors_parent_foreign FOREIGN KEY (parent) REFERENCES authors(id)',
    ]);
    await create(m2o('articles', 'editor', 'authors'));
    await create(m2o('Ödd "name"', 'to author', 'authors'));
    t.strictSame(await keys(workshop, '"Ödd ""name"""'), [
      'Ödd "name"_to author_foreign FOREIGN KEY ("to author") REFERENCES authors(id)',
    ]);
    await create(m2o('articles', 'sort', 'Ödd "name"'));
    t.equal((await keys(workshop, 'articles')).length, 3);
  });

  await t.test('of a member of a wider key, of a view, and to Sluice itself', async (t) => {
    await create(m2o('pairs', 'a', 'authors'));
    t.equal((await keys(workshop, 'pairs')).length, 1);
    const catalog = await create({ ...m2o('listed', 'author', 'authors'), meta: {} });
    t.match(catalog.relations.get('listed')?.get('author'), { kind: 'm2o', foreignKey: null });
    await workshop.sql('ALTER TABLE articles ADD owner uuid');
    await create(m2o('articles', 'owner', 'system_users'));
    t.match((await objectOf(workshop, 'articles', 'owner'))?.schema, {
      foreign_key_table: 'system_users',
    });
  });

  await t.test('is refused where it cannot be', async (t) => {
    const cases: [RelationInput, RegExp][] = [
      [m2o('nothing', 'author', 'authors'), /no collection nothing/],
      [m2o('articles', 'nothing', 'authors'), /no field nothing/],
      [m2o('articles', 'id', 'authors'), /primary key of articles/],
      [m2o('articles', 'author', 'authors'), /relation already/],
      [m2o('old', 'author', 'authors'), /relation already/],
      [m2o('articles', 'label', 'nothing'), /no collection nothing/],
      [m2o('articles', 'label', 'pairs'), /no primary key of one field/],
      [m2o('articles', 'label', 'listed'), /no primary key of one field/],
      [m2o('articles', 'label', 'authors'), /label is text, but the key id of authors is integer/],
      [m2o('articles', 'slug', 'tags'), /slug is character varying\(40\)/],
      [{ ...m2o('pairs', 'b', 'authors'), meta: { one_field: 'name' } }, /is a column of authors/],
      [{ ...m2o('pairs', 'b', 'authors'), meta: { one_field: 'articles' } }, /has already/],
      [{ ...m2o('pairs', 'b', 'authors'), meta: { one_field: ' ' } }, /is empty/],
      [{ ...m2o('pairs', 'b', 'authors'), meta: { sort_field: 'c' } }, /names c/],
      [{ ...m2o('pairs', 'b', 'authors'), meta: { junction_field: 'b' } }, /names b/],
      [{ ...m2o('pairs', 'b', 'authors'), meta: { one_collection_field: 'a' } }, /authors alone/],
    ];
    for (const [relation, reason] of cases) {
      const { extensions } = await refused(relation);
      t.equal(extensions.code, 'INVALID_PAYLOAD', JSON.stringify(relation));
      t.match(extensions.reason, reason);
    }
    const own = await refused(m2o('system_users', 'last_page', 'authors'));
    t.equal(own.extensions.code, 'FORBIDDEN');
  });

  await t.test('names the values that refer to nothing', async (t) => {
    await workshop.sql('INSERT INTO pairs SELECT 1, n, 100 + n % 12 FROM generate_series(1, 30) n');
    const { extensions } = await refused(m2o('pairs', 'article', 'articles'));
    const { reason, reason_code: code, reason_parameters: _, ...others } = extensions;
    t.equal(code, 'foreign_key_values_without_item');
    t.strictSame(others, {
      code: 'INVALID_FOREIGN_KEY',
      collection: 'pairs',
      field: 'article',
      value: '100',
      rows: 30,
      values: ['100', '101', '102', '103', '104', '105', '106', '107', '108', '109'],
    });
    t.match(reason, /^30 items of pairs .* 109, …\.$/);
    t.equal(await objectOf(workshop, 'pairs', 'article'), undefined);
  });
});

t.test('a relation to any of several collections has a row and no foreign key', async (t) => {
  const workshop = await openWorkshop(t, SETUP);
  const several = (meta: RelationInput['meta']): RelationInput => ({
    collection: 'articles',
    field: 'item',
    related_collection: null,
    schema: null,
    meta,
  });
  const wrong: [RelationInput['meta'], RegExp][] = [
    [null, /needs "one_collection_field"/],
    [{ one_collection_field: 'kind' }, /needs/],
    [{ one_collection_field: 'none', one_allowed_collections: 'tags' }, /names none/],
    [{ one_collection_field: 'item', one_allowed_collections: 'tags' }, /names item/],
    [{ one_collection_field: 'kind', one_allowed_collections: 'tags,no' }, /names no,/],
    [{ one_collection_field: 'kind', one_allowed_collections: 'pairs' }, /pairs has no primary/],
  ];
  for (const [meta, reason] of wrong) {
    const error = await workshop.refusal((a) => createRelation(a, several(meta)));
    t.match(error.toJSON().extensions, { code: 'INVALID_PAYLOAD', reason });
  }
  const meta = { one_collection_field: 'kind', one_allowed_collections: 'tags,authors' };
  const catalog = await workshop.change((a) => createRelation(a, several(meta)));
  t.match(catalog.relations.get('articles')?.get('item'), {
    kind: 'a2o',
    discriminator: 'kind',
    allowed: [{ collection: 'tags' }, { collection: 'authors' }],
  });
  const address = { collection: 'articles', field: 'item' };
  const constrain = { schema: { on_delete: 'CASCADE' } as const };
  const error = await workshop.refusal((a) => updateRelation(a, address, constrain));
  t.equal(error.code, 'INVALID_PAYLOAD');
  await workshop.change((a) =>
    updateRelation(a, address, { schema: {}, meta: { one_allowed_collections: 'tags' } }),
  );
  t.match((await objectOf(workshop, 'articles', 'item'))?.meta, {
    one_allowed_collections: ['tags'],
    one_collection_field: 'kind',
  });
  const after = await workshop.change((a) => deleteRelation(a, address));
  t.equal(after.relations.get('articles')?.get('item'), undefined);
  t.same(await workshop.rows('SELECT * FROM system_relations'), []);
});

t.test('a junction leads from each side to the other', async (t) => {
  const workshop = await openWorkshop(
    t,
    `${SETUP} CREATE TABLE tagged (id serial PRIMARY KEY, article integer, tag uuid);`,
  );
  await workshop.change(async (alteration) => {
    await createRelation(alteration, {
      ...m2o('tagged', 'article', 'articles'),
      meta: { one_field: 'tags', junction_field: 'tag' },
    });
    await createRelation(alteration, {
      ...m2o('tagged', 'tag', 'tags'),
      meta: { one_field: 'articles', junction_field: 'article' },
    });
  });
  const { relations } = await workshop.catalog();
  t.match(relations.get('articles')?.get('tags'), { kind: 'm2m', junctionField: 'tag' });
  t.match(relations.get('tags')?.get('articles'), { kind: 'm2m', junctionField: 'article' });
});

t.test('a relation is changed and dissolved, also one that was made by hand', async (t) => {
  const workshop = await openWorkshop(t, SETUP);
  await workshop.sql(`
    INSERT INTO system_fields (collection, field, special) VALUES ('authors', 'olds', 'o2m');
    INSERT INTO system_policies (id, name) VALUES ('00000000-0000-4000-8000-000000000000', 'p');
    INSERT INTO system_permissions (policy, collection, action, fields)
      SELECT '00000000-0000-4000-8000-000000000000', c, 'read', f FROM (VALUES
        ('pairs', 'a,old'), ('old', 'author,wide'), ('authors', '*,olds')) AS v (c, f)`);
  const old = { collection: 'old', field: 'author' };
  await workshop.change((a) => updateRelation(a, old, { schema: { on_delete: 'CASCADE' } }));
  t.match(
    (await keys(workshop, 'old'))[0],
    /^by hand .*MATCH FULL ON DELETE CASCADE DEFERRABLE INIT/,
  );
  t.equal((await objectOf(workshop, 'old', 'author'))?.meta, null);

  await workshop.change((a) =>
    updateRelation(a, old, { schema: { on_update: 'CASCADE' }, meta: { one_field: 'olds' } }),
  );
  t.match(await objectOf(workshop, 'old', 'author'), {
    schema: { constraint_name: 'by hand', on_delete: 'CASCADE', on_update: 'CASCADE' },
    meta: { many_collection: 'old', many_field: 'author', one_collection: 'authors' },
  });
  await workshop.change((a) => updateRelation(a, old, { meta: { sort_field: 'a' } }));
  t.match((await objectOf(workshop, 'old', 'author'))?.meta, {
    one_field: 'olds',
    sort_field: 'a',
  });

  const wide = { collection: 'old', field: 'wide' };
  await workshop.change((a) => updateRelation(a, wide, { schema: { on_delete: 'SET NULL' } }));
  t.match((await keys(workshop, 'old'))[1], /\(a, b\) .* ON UPDATE CASCADE ON DELETE SET NULL$/);
  const derived = (await workshop.catalog()).relations.get('pairs')?.get('old');
  t.equal(derived?.kind, 'o2m');

  for (const address of [old, wide]) {
    const { relations } = await workshop.change((a) => deleteRelation(a, address));
    t.equal(relations.get('old')?.get(address.field), undefined);
    const error = await workshop.refusal((a) => deleteRelation(a, address));
    t.equal(error.code, 'FORBIDDEN');
    const other = await workshop.refusal((a) => updateRelation(a, address, { meta: {} }));
    t.equal(other.code, 'FORBIDDEN');
  }
  t.same(await keys(workshop, 'old'), []);
  const permissions = await workshop.rows(
    'SELECT collection, fields FROM system_permissions ORDER BY 1',
  );
  t.strictSame(permissions, [
    { collection: 'authors', fields: '*,olds' },
    { collection: 'old', fields: 'author' },
    { collection: 'pairs', fields: 'a' },
  ]);
  t.ok(collection(await workshop.catalog(), 'old').fields.has('author'), 'the column stays');
});

t.test(
  'a relation that only metadata tells of gets its foreign key when actions are asked',
  async (t) => {
    const workshop = await openWorkshop(
      t,
      `${SETUP} INSERT INTO system_relations (many_collection, many_field, one_collection)
       VALUES ('articles', 'author', 'authors'), ('articles', 'label', 'nothing');
     INSERT INTO articles (author) VALUES (77);`,
    );
    const address = { collection: 'articles', field: 'author' };
    const patch = { schema: { on_delete: 'RESTRICT' } as const };
    const error = await workshop.refusal((a) => updateRelation(a, address, patch));
    t.equal(error.code, 'INVALID_FOREIGN_KEY');
    await workshop.sql('UPDATE articles SET author = 1');
    const { relations } = await workshop.change((a) => updateRelation(a, address, patch));
    t.match(relations.get('articles')?.get('author'), { foreignKey: { onDelete: 'RESTRICT' } });
    await workshop.change((a) => deleteRelation(a, { collection: 'articles', field: 'label' }));
    t.equal((await workshop.rows('SELECT * FROM system_relations')).length, 1);
  },
);

t.test('the relations of Sluice itself stay as they are', async (t) => {
  const workshop = await openWorkshop(t, SETUP);
  const address = { collection: 'system_users', field: 'role' };
  const changed = await workshop.refusal((a) => updateRelation(a, address, { meta: {} }));
  const deleted = await workshop.refusal((a) => deleteRelation(a, address));
  t.same([changed.code, deleted.code], ['FORBIDDEN', 'FORBIDDEN']);
});
