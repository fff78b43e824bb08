import t from 'tap';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import type { Relation } from '#core/model/catalog/relation.ts';
import { collection, install } from './installation.ts';

function relation(catalog: Catalog, name: string, field: string): Relation {
  const found = catalog.relations.get(name)?.get(field);
  if (found === undefined) throw new Error(`there is no relation ${name}.${field}`);
  return found;
}

function names(catalog: Catalog, name: string): string[] {
  return [...(catalog.relations.get(name)?.keys() ?? [])].sort();
}

t.test('names relations that only foreign keys define', async (t) => {
  const { open } = await install(
    t,
    `CREATE TABLE author (id serial PRIMARY KEY, code text UNIQUE, poem text);
     CREATE TABLE book (id serial PRIMARY KEY, author integer REFERENCES author);
     CREATE INDEX ON book (author);
     CREATE TABLE letter (
       id serial PRIMARY KEY,
       sender integer REFERENCES author,
       recipient integer REFERENCES author
     );
     CREATE TABLE poem (id serial PRIMARY KEY, by_code text REFERENCES author (code));
     CREATE TABLE node (id serial PRIMARY KEY, parent integer REFERENCES node);
     CREATE TABLE pair (a integer, b integer, PRIMARY KEY (a, b));
     CREATE TABLE pair_user (
       id serial PRIMARY KEY, x integer, y integer,
       CONSTRAINT to_pair FOREIGN KEY (x, y) REFERENCES pair (a, b)
     );
     CREATE TABLE page (book integer REFERENCES book, number integer, PRIMARY KEY (book, number));
     CREATE TABLE twice (
       id integer PRIMARY KEY,
       CONSTRAINT twice_book FOREIGN KEY (id) REFERENCES book,
       CONSTRAINT twice_node FOREIGN KEY (id) REFERENCES node
     );`,
  );
  const catalog = (await open(false)).current();
  t.strictSame(catalog.warnings, []);

  t.match(relation(catalog, 'book', 'author'), {
    kind: 'm2o',
    derived: true,
    many: { collection: 'book', columns: ['author'] },
    one: { collection: 'author', columns: ['id'] },
    foreignKey: { name: 'book_author_fkey' },
  });
  t.match(relation(catalog, 'author', 'book'), {
    kind: 'o2m',
    derived: true,
    one: { collection: 'author', columns: ['id'] },
    many: { collection: 'book', columns: ['author'] },
    manyField: 'author',
    deselect: 'nullify',
    indexed: true,
  });
  t.notOk(collection(catalog, 'author').fields.has('book'), 'and is not a separate field');
  t.match(
    relation(catalog, 'book', 'page'),
    { kind: 'o2m', deselect: 'delete' },
    'items whose key names their owner cannot be without it',
  );

  t.strictSame(
    names(catalog, 'author'),
    ['book', 'letter_by_recipient', 'letter_by_sender', 'poem_by_by_code'],
    'two keys of one child, and a column with the name of the child, require longer names',
  );
  t.match(relation(catalog, 'author', 'letter_by_sender'), { indexed: false });
  t.match(relation(catalog, 'author', 'poem_by_by_code'), { one: { columns: ['code'] } });
  t.strictSame(names(catalog, 'node'), ['node', 'parent', 'twice']);

  t.match(relation(catalog, 'pair_user', 'to_pair'), {
    kind: 'm2o',
    many: { columns: ['x', 'y'] },
    one: { columns: ['a', 'b'] },
  });
  t.match(relation(catalog, 'pair', 'pair_user'), { kind: 'o2m', manyField: 'to_pair' });
  t.strictSame(names(catalog, 'twice'), ['id', 'twice_node'], 'the second key has its own name');
});

t.test('takes relations from the metadata where it has a row', async (t) => {
  const { sql, open } = await install(
    t,
    `CREATE TABLE article (id serial PRIMARY KEY, author integer, editor integer);
     CREATE TABLE author (id serial PRIMARY KEY);
     ALTER TABLE article ADD FOREIGN KEY (author) REFERENCES author;
     CREATE TABLE tag (id serial PRIMARY KEY);
     CREATE TABLE article_tag (id serial PRIMARY KEY, article integer REFERENCES article,
       tag integer REFERENCES tag, place integer);
     CREATE TABLE heading (id serial PRIMARY KEY);
     CREATE TABLE image (id uuid PRIMARY KEY);
     CREATE TABLE block (id serial PRIMARY KEY, article integer REFERENCES article,
       item varchar(255), collection varchar(255));`,
  );
  await sql(`
    INSERT INTO system_fields (collection, field, special) VALUES
      ('author', 'articles', 'o2m'), ('article', 'tags', 'm2m'), ('article', 'divider', 'alias, no-data');
    INSERT INTO system_relations (many_collection, many_field, one_collection, one_field,
        junction_field, sort_field, one_deselect_action) VALUES
      ('article', 'author', 'author', 'articles', NULL, NULL, 'delete'),
      ('article', 'editor', 'author', NULL, NULL, NULL, 'nullify'),
      ('article_tag', 'article', 'article', 'tags', 'tag', 'place', 'nullify'),
      ('article_tag', 'tag', 'tag', 'articles', 'article', NULL, 'nullify'),
      ('block', 'article', 'article', 'blocks', 'item', NULL, 'nullify');
    INSERT INTO system_relations (many_collection, many_field, one_collection_field,
        one_allowed_collections, junction_field) VALUES
      ('block', 'item', 'collection', 'heading,image,gone', 'article');
    INSERT INTO system_relations (many_collection, many_field, one_collection, one_field) VALUES
      ('article', 'nothing', 'author', 'nothings'), ('gone', 'author', 'author', 'ghosts'),
      ('tag', 'id', 'gone', 'tags');`);
  const catalog = (await open(false)).current();

  t.match(relation(catalog, 'article', 'author'), {
    derived: false,
    meta: { oneField: 'articles' },
  });
  t.match(relation(catalog, 'author', 'articles'), {
    kind: 'o2m',
    derived: false,
    deselect: 'delete',
    junctionField: null,
  });
  t.notOk(catalog.relations.get('author')?.has('article_by_author'), 'not under two names');
  t.match(relation(catalog, 'article', 'editor'), {
    foreignKey: null,
    one: { collection: 'author', columns: ['id'] },
  });
  t.match(relation(catalog, 'article', 'tags'), {
    kind: 'm2m',
    many: { collection: 'article_tag', columns: ['article'] },
    junctionField: 'tag',
    sortField: 'place',
  });
  t.match(relation(catalog, 'article', 'blocks'), { kind: 'm2a', junctionField: 'item' });
  t.match(relation(catalog, 'block', 'item'), {
    kind: 'a2o',
    discriminator: 'collection',
    many: { columns: ['item'] },
    allowed: [
      { collection: 'heading', columns: ['id'] },
      { collection: 'image', columns: ['id'] },
    ],
  });

  t.equal(collection(catalog, 'author').fields.get('articles')?.type, 'alias');
  t.strictSame(collection(catalog, 'article').fields.get('divider')?.special, ['alias', 'no-data']);
  t.notOk(catalog.relations.get('article')?.has('nothing'));
  t.match(
    catalog.warnings.filter((line) => /nothing|gone/.test(line)),
    [/article\.nothing.*no such column/, /block\.item allows gone/, /tag\.id.*gone/],
    'a missing target is ignored with a warning',
  );
});
