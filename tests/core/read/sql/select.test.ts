// @quick

import t from 'tap';
import { type Ask, openAsker } from './fixture/asker.ts';

let ask: Ask;

t.before(async () => {
  ask = await openAsker(
    t,
    `CREATE TABLE teams (part int, code text, big bigint, PRIMARY KEY (part, code));
     CREATE TABLE authors (id int PRIMARY KEY, name text, team_part int, team_code text,
       CONSTRAINT team FOREIGN KEY (team_part, team_code) REFERENCES teams);
     CREATE TABLE posts (id int PRIMARY KEY, title text, author int REFERENCES authors);
     INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
       VALUES ('posts', 'author', 'authors', 'posts');
     INSERT INTO system_fields (collection, field, special) VALUES ('authors', 'posts', 'o2m');
     INSERT INTO teams VALUES (1, 'a', 5);
     INSERT INTO authors VALUES (1, 'Ann', 1, 'a'), (2, 'Bob', 1, NULL);
     INSERT INTO posts VALUES (1, 'one', 1), (2, 'two', 1), (3, 'three', 2)`,
  );
});

t.test('a wildcard over relations also expands their aliases', async (t) => {
  t.strictSame(
    await ask('posts', {
      fields: ['id', 'writer.*.*'],
      alias: { writer: 'author' },
      deep: { writer: { _alias: { latest: 'posts' }, latest: { _limit: 1, _fields: ['id'] } } },
      limit: 1,
    }),
    [
      {
        id: 1,
        writer: {
          id: 1,
          name: 'Ann',
          team_part: 1,
          team_code: 'a',
          posts: [
            { id: 1, title: 'one', author: 1 },
            { id: 2, title: 'two', author: 1 },
          ],
          latest: [{ id: 1, title: 'one', author: 1 }],
        },
      },
    ],
  );
});

t.test('the keys of an alias depend on the selection of the alias', async (t) => {
  const parameters = {
    alias: { latest: 'posts' },
    deep: { latest: { _sort: ['-id'], _limit: 1 } },
  };
  t.match(await ask('authors', { ...parameters, fields: ['*'] }), [
    { posts: [1, 2], latest: [2] },
    { posts: [3], latest: [3] },
  ]);
});

t.test('an alias with the name of a key does not replace the key', async (t) => {
  const parameters = { deep: { posts: { _alias: { id: 'title' }, _sort: ['-id'] } } };
  t.match(await ask('authors', { ...parameters, fields: ['*'] }), [
    { posts: [2, 1] },
    { posts: [3] },
  ]);
});

t.test('the parameters of a relation apply when a wildcard selects it', async (t) => {
  t.match(await ask('posts', { deep: { author: { _fields: ['name'] } }, limit: 1 }), [
    { author: { name: 'Ann' } },
  ]);
  t.match(await ask('authors', { deep: { posts: { _group: ['author'] } } }), [
    { posts: [{ author: 1 }] },
    { posts: [{ author: 2 }] },
  ]);
});

t.test('an alias replaces the field of its name', async (t) => {
  const alias = { title: 'id' };
  const expected = [{ id: 1, title: 1, author: 1 }];
  t.strictSame(await ask('posts', { alias, limit: 1 }), expected);
  t.strictSame(
    await ask('posts', { alias, fields: ['id', 'title', 'author'], limit: 1 }),
    expected,
  );
});

t.test('a key of several columns is a list, and null if a part is missing', async (t) => {
  t.strictSame(await ask('authors', { fields: ['id', 'team'] }), [
    { id: 1, team: [1, 'a'] },
    { id: 2, team: null },
  ]);
});
