// @newest
/**
 * A client of this kind of API makes a schema at one edge and uses it at another: once a change is
 * answered, every edge knows it.
 */
import {
  clearCache,
  createCollection,
  createDirectus,
  createField,
  createItem,
  createRelation,
  deleteCollection,
  deleteField,
  readCollection,
  readCollections,
  readField,
  readFields,
  readFieldsByCollection,
  readItems,
  readRelation,
  readRelationByCollection,
  readRelations,
  rest,
  schemaApply,
  schemaDiff,
  schemaSnapshot,
  staticToken,
  updateCollection,
  updateCollectionsBatch,
  updateField,
  updateFields,
  updateRelation,
} from '@directus/sdk';
import t from 'tap';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';

interface Author {
  id: number;
  name: string;
  books: Book[];
}
interface Book {
  id: number;
  title: string;
  pages: number | null;
  author: number | Author | null;
}
interface Schema {
  author: Author[];
  book: Book[];
}

const cluster = await startCluster(t, { workers: 1 });
const second = await cluster.addEdge();
const clientOf = (url: string) =>
  createDirectus<Schema>(url).with(staticToken(ADMIN_TOKEN)).with(rest());
const here = clientOf(cluster.url);
const there = clientOf(second.url);
const FORBIDDEN = { errors: [{ extensions: { code: 'FORBIDDEN' } }] };

t.test('makes collections and fields', async (t) => {
  const author = await here.request(
    createCollection({ collection: 'author', schema: {}, meta: {}, fields: [] }),
  );
  t.match(author, { collection: 'author', schema: { name: 'author' } });
  t.match(await there.request(readCollection('author')), author);
  await here.request(createField('author', { field: 'name', type: 'string', schema: {} }));
  t.match(await there.request(createItem('author', { name: 'Ada' })), { id: 1, name: 'Ada' });

  await there.request(
    createCollection({
      collection: 'book',
      schema: {},
      meta: { note: 'to read' },
      fields: [
        { field: 'id', type: 'integer', schema: { is_primary_key: true } },
        { field: 'title', type: 'string', meta: { required: true }, schema: {} },
      ],
    }),
  );
  t.match(await here.request(createItem('book', { id: 1, title: 'Notes' })), { title: 'Notes' });
  t.match(await here.request(readCollections()), Array);
  const names = (await here.request(readFieldsByCollection('book'))).map(({ field }) => field);
  t.strictSame(names, ['id', 'title']);
});

t.test('changes them', async (t) => {
  await here.request(createField('book', { field: 'pages', type: 'integer', schema: {} }));
  const changed = await there.request(
    updateField('book', 'pages', { meta: { note: 'how long' }, schema: { default_value: 100 } }),
  );
  t.match(changed, { meta: { note: 'how long' }, schema: { default_value: 100 } });
  t.match(await here.request(readField('book', 'pages')), changed);
  t.match(await here.request(createItem('book', { id: 2, title: 'Long' })), { pages: 100 });
  const sorted = await here.request(
    updateFields('book', [
      { field: 'pages', meta: { sort: 1 } },
      { field: 'title', meta: { sort: 2 } },
    ]),
  );
  t.match(sorted, [{ field: 'pages' }, { field: 'title', meta: { required: true } }]);
  await here.request(updateCollection('book', { meta: { hidden: true } }));
  await here.request(updateCollectionsBatch([{ collection: 'author', meta: { sort: 1 } }]));
  t.match(await there.request(readCollection('book')), { meta: { hidden: true, note: 'to read' } });
  t.ok((await there.request(readFields())).length > 100, 'its own are among them');
});

t.test('relates them', async (t) => {
  await here.request(createField('book', { field: 'author', type: 'integer', schema: {} }));
  await here.request(
    createField('author', { field: 'books', type: 'alias', meta: { special: ['o2m'] } }),
  );
  await here.request(
    createRelation({
      collection: 'book',
      field: 'author',
      related_collection: 'author',
      schema: { on_delete: 'SET NULL' },
      meta: { one_field: 'books' },
    }),
  );
  await there.request(createItem('author', { name: 'Mary', books: [{ id: 1 }, { id: 2 }] }));
  const found = await here.request(
    readItems('author', {
      fields: ['name', { books: ['title'] }],
      filter: { name: { _eq: 'Mary' } },
    }),
  );
  t.strictSame(found, [{ name: 'Mary', books: [{ title: 'Notes' }, { title: 'Long' }] }]);
  const changed = await there.request(
    updateRelation('book', 'author', { schema: { on_delete: 'CASCADE' } }),
  );
  t.match(changed, { schema: { on_delete: 'CASCADE' }, meta: { one_field: 'books' } });
  t.match(await here.request(readRelation('book', 'author')), changed);
  t.match(await here.request(readRelationByCollection('book')), [{ field: 'author' }]);
  t.ok((await here.request(readRelations())).length > 1);
});

t.test('takes a snapshot and goes back to it', async (t) => {
  const snapshot = await here.request(schemaSnapshot());
  await here.request(createField('book', { field: 'extra', type: 'text', schema: {} }));
  await here.request(deleteField('book', 'pages'));
  await t.rejects(there.request(readField('book', 'pages')), FORBIDDEN);
  const diff = await there.request(schemaDiff(snapshot));
  await there.request(schemaApply(diff));
  t.match(await here.request(readField('book', 'pages')), { meta: { note: 'how long' } });
  await t.rejects(here.request(readField('book', 'extra')), FORBIDDEN);
  t.equal(await here.request(schemaDiff(snapshot)), null, 'nothing differs');
});

t.test('takes them away', async (t) => {
  await here.request(deleteField('author', 'books'));
  await t.rejects(there.request(readField('author', 'books')), FORBIDDEN);
  await there.request(deleteCollection('author'));
  await t.rejects(here.request(readItems('author')), FORBIDDEN);
  await t.rejects(here.request(readRelation('book', 'author')), FORBIDDEN);
  const [book] = await here.request(readItems('book'));
  t.strictSame(book, { id: 1, title: 'Notes', pages: 100 }, 'with the field that referred to it');
  await here.request(clearCache());
});
