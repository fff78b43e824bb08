// @newest @quick
/** Both languages of the Admin App say the same things with the same parameters. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import * as v from 'valibot';

const FOLDER = join(import.meta.dirname, '../../../ops/app/source/translation');

type Texts = { readonly [key: string]: string | Texts };
const textsSchema: v.GenericSchema<Texts> = v.record(
  v.string(),
  v.union([v.string(), v.lazy(() => textsSchema)]),
);

/** All texts with their keys, those of inner objects with both. */
function flat(texts: Texts, before = ''): readonly [string, string][] {
  return Object.entries(texts).flatMap(([key, text]) =>
    typeof text === 'string' ? [[before + key, text]] : flat(text, `${before}${key}.`),
  );
}

/** The texts of a language by feature and key. */
async function textsOf(language: string): Promise<ReadonlyMap<string, string>> {
  const folder = join(FOLDER, language);
  const names = readdirSync(folder).filter((name) => name !== 'index.ts');
  const files = names.map(async (name) => {
    const module: unknown = await import(pathToFileURL(join(folder, name)).href);
    const [texts = {}] = Object.values(v.parse(v.record(v.string(), textsSchema), module));
    return flat(texts, `${name}: `);
  });
  return new Map((await Promise.all(files)).flat());
}

const parametersOf = (text: string | undefined) =>
  [...new Set(text?.match(/%\{\w+\}/g) ?? [])].sort().join(' ');

t.test('English and German have the same texts', async (t) => {
  const [en, de] = await Promise.all([textsOf('en'), textsOf('de')]);
  t.ok(en.size > 50, 'texts are found');
  t.strictSame([...de.keys()].sort(), [...en.keys()].sort());
  for (const [key, text] of en) {
    t.equal(parametersOf(de.get(key)), parametersOf(text), key);
    t.equal(de.get(key)?.includes('||||'), text.includes('||||'), `${key}: plural`);
  }
});
