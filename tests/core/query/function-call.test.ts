// @newest @quick

import t from 'tap';
import { functionResultKey, parseFunctionCall } from '#core/query/function-call.ts';
import { parsePath } from '#core/query/parse/list.ts';

t.test('functions are parsed with their field, and json with its path', async (t) => {
  t.strictSame(parseFunctionCall('year( born )'), { name: 'year', field: 'born', path: '' });
  t.strictSame(parseFunctionCall('json(a b, c.d[0] )'), {
    name: 'json',
    field: 'a b',
    path: 'c.d[0]',
  });
  for (const text of [
    ...['year', 'year()', 'year(a', 'year(a,b)', 'year(a,)', 'json(a)', 'json(a,)'],
    ...['Year(a)', 'nope(a)', 'year(b)(a)', 'year((a))', '(a)'],
  ]) {
    t.equal(parseFunctionCall(text), null, text);
  }
});

t.test('a value has the name of its field, function and path', async (t) => {
  const keys = ['count(items)', 'json(meta, color.main)', 'json(meta, [0].x)'].map((text) => {
    const call = parseFunctionCall(text);
    return call === null ? null : functionResultKey(call);
  });
  t.strictSame(keys, ['items_count', 'meta_color_main_json', 'meta_0_x_json']);
});

t.test('a function around a path belongs to its last segment', async (t) => {
  t.strictSame(parsePath('year(author.born)', 'fields'), ['author', 'year(born)']);
  t.strictSame(parsePath('json(a.data, x.y)', 'fields'), ['a', 'json(data, x.y)']);
  t.strictSame(parsePath('a.json(data, x.y)', 'fields'), ['a', 'json(data, x.y)']);
});

t.test('long texts are parsed in linear time', async (t) => {
  const blanks = ' '.repeat(200_000);
  t.equal(parseFunctionCall(`year(${blanks}`), null);
  t.equal(parseFunctionCall(`year(${blanks}a${blanks}b`), null);
  t.strictSame(parsePath(`year(${'.'.repeat(200_000)}`, 'fields').length, 1);
});
