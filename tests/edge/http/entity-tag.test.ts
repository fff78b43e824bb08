// @newest @quick

import t from 'tap';
import { entityTag, namesTag } from '#edge/http/entity-tag.ts';

t.test('equal bodies have equal tags, as text or bytes', async (t) => {
  t.equal(entityTag('{"ü":1}'), entityTag(Buffer.from('{"ü":1}')));
  t.not(entityTag('{"a":1}'), entityTag('{"a":2}'));
  t.match(entityTag(''), /^W\/"[\w-]{27}"$/);
});

t.test('lists of tags are compared weakly', async (t) => {
  const tag = 'W/"abc"';
  for (const list of ['W/"abc"', '"abc"', '"x", "abc"', '"x",W/"abc"', '*', ' * ']) {
    t.equal(namesTag(list, tag), true, list);
  }
  for (const list of ['', 'abc', '"ab"', '"x"', '"abc', 'W/"ABC"', '"*"']) {
    t.equal(namesTag(list, tag), false, list);
  }
  t.equal(namesTag('W/"abc"', '"abc"'), true);
});
