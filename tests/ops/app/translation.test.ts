// @newest @quick
/** Both languages of the Admin App say the same things with the same parameters. */
import t from 'tap';
import { texts as german } from '#ops/app/source/translation/de/index.ts';
import { texts as english } from '#ops/app/source/translation/en/index.ts';
import type { Texts } from '#ops/app/source/translation/languages.ts';

/** All texts with their keys, those of inner objects with both. */
function flat(texts: Texts, before = ''): readonly [string, string][] {
  return Object.entries(texts).flatMap(([key, text]) =>
    typeof text === 'string' ? [[before + key, text]] : flat(text, `${before}${key}.`),
  );
}

const parametersOf = (text: string | undefined) =>
  [...new Set(text?.match(/%\{\w+\}/g) ?? [])].sort().join(' ');

t.test('English and German have the same texts', async (t) => {
  const [en, de] = [new Map(flat(english)), new Map(flat(german))];
  t.ok(en.size > 50, 'texts are found');
  t.strictSame([...de.keys()].sort(), [...en.keys()].sort());
  for (const [key, text] of en) {
    t.equal(parametersOf(de.get(key)), parametersOf(text), key);
    t.equal(de.get(key)?.includes('||||'), text.includes('||||'), `${key}: plural`);
  }
});
