// @newest @quick

import t from 'tap';
import { indexName } from '#core/schema/index-name.ts';

t.test('a name says what the index is on and what it is for', async (t) => {
  t.equal(indexName('pages', 'slug', 'unique'), 'pages_slug_unique');
  t.equal(indexName('pages', 'author', 'foreign'), 'pages_author_foreign');
});

t.test('long names are cut to what PostgreSQL takes, and stay apart', async (t) => {
  const long = 'ü'.repeat(31);
  const one = indexName(long, `${long}a`, 'index');
  const other = indexName(long, `${long}b`, 'index');
  for (const name of [one, other]) {
    t.ok(Buffer.byteLength(name) <= 63);
    t.match(name, /_[0-9a-f]{8}_index$/);
    t.ok(name.isWellFormed());
  }
  t.not(one, other);
  t.not(
    indexName(`${'a'.repeat(50)}_b`, 'c'.repeat(20), 'index'),
    indexName('a'.repeat(50), `b_${'c'.repeat(20)}`, 'index'),
  );
});
