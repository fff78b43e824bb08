import { randomUUID } from 'node:crypto';
import t from 'tap';
import { parseQuery } from '#core/query/parse/parameter.ts';
import { parsedQuery } from '#core/read/statement-cache.ts';
import { createCollections, createField, createRelation } from '#core/schema/change-input.ts';
import type { SchemaChange } from '#core/schema/schema-change.ts';
import { callerOf, codedError, openSchema } from '#tests/harness/schema.ts';

const BOUNDS = { limitDefault: 9, limitMax: undefined, maxDepth: 9, maxJsonDepth: 9, maxFields: 9 };

const AUTHORS = createCollections({
  collection: 'authors',
  schema: {},
  fields: [{ field: 'name', type: 'string' }],
});
const ARTICLES = createCollections({
  collection: 'articles',
  schema: {},
  fields: [
    { field: 'title', type: 'string' },
    { field: 'secret', type: 'string' },
    { field: 'author', type: 'integer' },
  ],
});
const AUTHOR = createRelation({
  collection: 'articles',
  field: 'author',
  related_collection: 'authors',
});
const SECRET = createField('articles', { field: 'secret', type: 'string' });
const DROP_SECRET: SchemaChange = {
  kind: 'fields.delete',
  collection: 'articles',
  field: 'secret',
};
const DROP_AUTHOR: SchemaChange = {
  kind: 'relations.delete',
  collection: 'articles',
  field: 'author',
};

t.test('a permission does not outlive its object, even for a reused name', async (t) => {
  const tested = await openSchema(t);
  const { pool, items, change } = tested;
  const policy = randomUUID();
  const caller = callerOf(policy);
  await pool.query('INSERT INTO system_policies (id, name) VALUES ($1, $2)', [policy, 'reader']);
  const permit = async (collection: string, fields: string, presets: object | null = null) => {
    for (const action of ['read', 'create']) {
      await pool.query(
        `INSERT INTO system_permissions (policy, collection, action, fields, presets)
         VALUES ($1, $2, $3, $4, $5)`,
        [policy, collection, action, fields, presets],
      );
    }
  };
  const fieldsOf = async (collection: string) => {
    const { rows } = await pool.query(
      'SELECT DISTINCT fields FROM system_permissions WHERE collection = $1',
      [collection],
    );
    return rows.map(({ fields }) => fields);
  };
  /** What a read of these fields ends with. */
  const read = async (collection: string, fields: string) => {
    await tested.source.look();
    const question = parsedQuery(parseQuery({ fields }, BOUNDS));
    return items.list({ caller, collection }, question).then(
      () => 'OK',
      (error: unknown) => codedError(error).code,
    );
  };
  for (const one of [AUTHORS, ARTICLES, AUTHOR]) await change(one);
  await permit('articles', 'id,title,secret,author', { secret: 'filled in' });
  await permit('authors', 'id,articles');

  t.equal(await read('articles', 'secret'), 'OK');
  await change(DROP_SECRET);
  await change(SECRET);
  t.equal(await read('articles', 'secret'), 'FORBIDDEN', 'a field');
  t.equal(await read('articles', 'title'), 'OK');
  const { rows } = await pool.query(
    'SELECT presets FROM system_permissions WHERE presets IS NOT NULL',
  );
  t.same(rows, [], 'nor does a preset');

  t.equal(await read('authors', 'articles'), 'OK');
  await change(DROP_AUTHOR);
  await change(AUTHOR);
  t.equal(await read('authors', 'articles'), 'FORBIDDEN', 'the way back of a relation');

  await permit('authors', 'articles');
  t.equal(await read('authors', 'articles'), 'OK');
  await change({ kind: 'fields.delete', collection: 'articles', field: 'author' });
  await change(createField('articles', { field: 'author', type: 'integer' }));
  await change(AUTHOR);
  t.equal(await read('authors', 'articles'), 'FORBIDDEN', 'the way back of a column');
  t.equal(await read('articles', 'author'), 'FORBIDDEN', 'the column itself');

  await permit('authors', 'articles');
  await permit('articles', '*');
  await change({ kind: 'collections.delete', collection: 'articles' });
  t.same(await fieldsOf('articles'), []);
  await change(ARTICLES);
  await change(AUTHOR);
  t.equal(await read('articles', 'id'), 'FORBIDDEN', 'a collection');
  t.equal(await read('authors', 'articles'), 'FORBIDDEN', 'the way to a collection');
  t.equal(await read('authors', 'id'), 'OK');

  await permit('articles', '*');
  await change({ kind: 'collections.delete', collection: 'authors' });
  await change(AUTHORS);
  t.equal(await read('authors', 'id'), 'FORBIDDEN', 'the other collection');
  t.equal(await read('articles', 'title'), 'OK', 'what stayed keeps its rights');
});
