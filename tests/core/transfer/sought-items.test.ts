// @newest @quick
import t from 'tap';
import { withoutRepetitions } from '#core/transfer/nested/sought-items.ts';

t.test('entries of a long list are distinct in linear time', async (t) => {
  t.strictSame(withoutRepetitions(['a', null, 'b', 'a', null]), ['a', null, 'b', null]);
  // Comparing each entry with all others takes minutes.
  const texts = Array.from({ length: 300_000 }, (_, at) => `k${at}`);
  t.equal(withoutRepetitions([...texts, ...texts]).length, texts.length);
});
