/** Names in paths, filters and templates are replaced where they mean the renamed field only. */
import t from 'tap';
import { renameFilter, renamePath, renameTemplate } from '#core/schema/rename/rename-in-query.ts';
import { RenamedNames } from '#core/schema/rename/renamed-names.ts';
import { openWorkshop } from '../operation/workshop.ts';

const SETUP = `
  CREATE TABLE authors (id serial PRIMARY KEY, name text, born date);
  CREATE TABLE books (id serial PRIMARY KEY, name text, doc jsonb, author integer REFERENCES authors);
  CREATE TABLE pages (id serial PRIMARY KEY, kind text, item text);
  INSERT INTO system_relations (many_collection, many_field, one_collection_field,
    one_allowed_collections) VALUES ('pages', 'item', 'kind', 'books,authors');`;

t.test('names in stored queries', async (t) => {
  const catalog = await (await openWorkshop(t, SETUP)).catalog();
  const names = new RenamedNames(
    catalog,
    [
      { collection: 'authors', field: 'name', to: 'title' },
      { collection: 'authors', field: 'born', to: 'birth' },
      { collection: 'system_users', field: 'first_name', to: 'given_name' },
    ],
    { collection: 'authors', to: 'writers' },
  );

  await t.test('paths', (t) => {
    const paths: readonly [collection: string | null, path: string, after: string][] = [
      ['authors', 'name', 'title'],
      ['authors', '-name', '-title'],
      ['authors', '*', '*'],
      ['books', 'name', 'name'],
      ['books', 'author.name', 'author.title'],
      ['books', '-author.year(born)', '-author.year(birth)'],
      ['books', 'year(author.born)', 'year(author.birth)'],
      ['books', 'json(doc, name.born)', 'json(doc, name.born)'],
      ['books', 'author.unknown.name', 'author.unknown.name'],
      ['pages', 'item:authors.name', 'item:writers.title'],
      ['pages', 'item:books.name', 'item:books.name'],
      ['pages', 'item:books.author.name', 'item:books.author.title'],
      [null, 'name', 'name'],
      ['authors', '', ''],
    ];
    for (const [collection, path, after] of paths) {
      t.equal(renamePath(names, collection, path), after, `${collection}: ${path}`);
    }
    t.end();
  });

  await t.test('filters', (t) => {
    const before = {
      _and: [
        { name: { _eq: 'name' } },
        { author: { _or: [{ name: { _null: true } }, { 'year(born)': { _lt: 1900 } }] } },
        { author: { _in: [1, 2] }, doc: { _json: { name: { _eq: 1 } } } },
        { id: { _eq: '$CURRENT_USER.first_name' } },
      ],
    };
    t.strictSame(renameFilter(names, 'books', before), {
      _and: [
        { name: { _eq: 'name' } },
        { author: { _or: [{ title: { _null: true } }, { 'year(birth)': { _lt: 1900 } }] } },
        { author: { _in: [1, 2] }, doc: { _json: { name: { _eq: 1 } } } },
        { id: { _eq: '$CURRENT_USER.given_name' } },
      ],
    });
    t.strictSame(
      renameFilter(names, 'authors', {
        _or: { 0: { books: { _some: { author: { name: 'x' } } } } },
      }),
      { _or: { 0: { books: { _some: { author: { title: 'x' } } } } } },
      'across lists of related items, and with numbered members',
    );
    t.strictSame(renameFilter(names, 'pages', { 'item:authors': { name: { _eq: 1 } } }), {
      'item:writers': { title: { _eq: 1 } },
    });
    t.end();
  });

  await t.test('templates', (t) => {
    const template = '{{name}} by {{ author.name }} {{ author.$thumbnail }} name';
    t.equal(
      renameTemplate(names, 'books', template),
      '{{name}} by {{ author.title }} {{ author.$thumbnail }} name',
    );
    t.end();
  });
});
