// @newest @quick
/** The Admin App says why the server refuses a value in its own languages, not in the server's words. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { catalogue } from '#core/errors/catalogue.ts';
import {
  CODES,
  type Refusal,
  RULES,
  refusalText,
  tellRefusal,
} from '#ops/app/source/data/fault-text.ts';
import { recognise, SERVER_WORDS } from '#ops/app/source/data/server-words.ts';
import { texts as german } from '#ops/app/source/translation/de/index.ts';
import { texts as english } from '#ops/app/source/translation/en/index.ts';
import type { Texts } from '#ops/app/source/translation/provider.ts';

const LANGUAGES = { german, english };
const CORE = join(import.meta.dirname, '../../../core');

function textAt(texts: Texts, key: string): string | null {
  let found: string | Texts | undefined = texts;
  for (const part of key.split('.')) found = typeof found === 'object' ? found[part] : undefined;
  return typeof found === 'string' ? found : null;
}

function translation(texts: Texts) {
  return (key: string, parameters: Readonly<Record<string, unknown>> = {}) => {
    const text = textAt(texts, key);
    if (text === null) throw new Error(`no text: ${key}`);
    return text.replace(/%\{(\w+)\}/g, (whole, name: string) => String(parameters[name] ?? whole));
  };
}
const inGerman = translation(german);

t.test('every code of the API has a text in both languages', async (t) => {
  t.strictSame([...CODES].sort(), Object.keys(catalogue).sort());
  for (const [language, texts] of Object.entries(LANGUAGES)) {
    for (const code of CODES) t.ok(textAt(texts, `fault.code.${code}`), `${language}: ${code}`);
    for (const rule of Object.values(RULES)) {
      t.ok(textAt(texts, `fault.rule.${rule}`), `${language}: rule ${rule}`);
    }
    for (const key of Object.values(SERVER_WORDS)) {
      t.ok(textAt(texts, `fault.said.${key}`), `${language}: ${key}`);
    }
  }
});

t.test('the server still says the sentences that are recognised', async (t) => {
  const files = readdirSync(CORE, { recursive: true, encoding: 'utf8' });
  const source = files
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(CORE, name), 'utf8'))
    .join('\n');
  for (const sentence of Object.keys(SERVER_WORDS)) {
    // Quotes around names may come of JSON.stringify.
    const parts = sentence.split(/"?%\{\w+\}"?/).map((part) => part.trim().replace(/\.$/, ''));
    const written = (part: string) => source.includes(part.replaceAll('\\', '\\\\'));
    // Some begin with one of several words.
    const end = (part: string) => part.split(' ').slice(2).join(' ');
    const missing = parts.filter(
      (part) => part.length > 1 && !written(part) && !written(end(part)),
    );
    t.strictSame(missing, [], sentence);
  }
});

t.test('all that a value can be refused for is recognised', async (t) => {
  const checks = readFileSync(join(CORE, 'values/check-value.ts'), 'utf8');
  const kinds = readFileSync(join(CORE, 'values/json-type.ts'), 'utf8');
  const rows = ['judge/find-faulty-rows.ts', 'judge/lacking-rows.ts', 'file/cell-format.ts'].map(
    (name) => readFileSync(join(CORE, 'transfer', name), 'utf8'),
  );
  const said = [checks, kinds, ...rows].flatMap((text) =>
    [
      ...text.matchAll(
        /'((?:The|A|An|No|Another|There|It) [^'\n]+\.)'|`((?:The|A|An|No|Another|There|It) [^`\n]+\.)`/g,
      ),
    ].map(([, fixed, template]) => (fixed ?? template ?? '').replace(/\$\{[^}]*\}/g, '"7"')),
  );
  t.ok(said.length > 30, 'sentences are found');
  for (const sentence of said) {
    const words = sentence.replaceAll('\\\\', '\\');
    // Numbers stand without quotes, names with them.
    const known = recognise(words) ?? recognise(words.replaceAll('"7"', '7'));
    t.ok(known, sentence);
  }
});

/** Sources whose refusals somebody meets who fills in a form of the App, or presses its buttons. */
const OF_FORMS = [
  'identity/two-factor.ts',
  'schema/operation/collection.ts',
  'schema/operation/field.ts',
  'services/system/rule-folder.ts',
  'services/system/rule-role.ts',
  'services/system/rule-setting.ts',
  'services/revert.ts',
  'services/invitation.ts',
];
/** What only other clients send, or what forms hinder. */
const OF_OTHERS = [/^".*" must be /, /has a primary key already/];

t.test('all that forms are refused for is recognised', async (t) => {
  const sources = OF_FORMS.map((name) => readFileSync(join(CORE, name), 'utf8'));
  const said = sources.flatMap((text) => {
    const constants = new Map(
      [...text.matchAll(/const ([A-Z_]+) =\s*(['`])([^\n]+)\2;/g)].map(([, name, , words]) => [
        name,
        words,
      ]),
    );
    const given = text.matchAll(/invalidPayload\(\s*(?:([A-Z_]+)|(['`])((?:(?!\2)[^\n])+)\2)/g);
    return [...given].map(([, name, , words]) => words ?? constants.get(name) ?? '');
  });
  t.ok(said.length > 10, 'sentences are found');
  for (const sentence of said) {
    if (OF_OTHERS.some((pattern) => pattern.test(sentence))) continue;
    t.ok(recognise(sentence.replace(/\$\{[^}]*\}/g, '7')), sentence);
  }
});

t.test('they are said in German, with their parameters', async (t) => {
  const cases: readonly [Refusal, string][] = [
    [
      { code: 'VALUE_TOO_LONG', reason: 'The value has more than 80 characters.' },
      'Dieser Text hat mehr als 80 Zeichen.',
    ],
    [
      { code: 'INVALID_PAYLOAD', reason: 'Field "a \\"b\\"": The value must be a whole number.' },
      'Das muss eine ganze Zahl sein.',
    ],
    [
      { code: 'FAILED_VALIDATION', reason: 'In the list: The value must be a UUID.' },
      'Das muss eine UUID sein.',
    ],
    [
      { code: 'INVALID_FOREIGN_KEY', reason: 'There is no such item in "my "customer"".' },
      'In „my "customer"“ gibt es diesen Eintrag nicht.',
    ],
    [{ code: 'FAILED_VALIDATION', type: 'gte', valid: 18 }, 'Der Wert muss mindestens 18 sein.'],
    [
      { code: 'FAILED_VALIDATION', type: 'in', valid: ['new', 'old'] },
      'Erlaubt sind nur: new, old',
    ],
    [
      { code: 'FAILED_VALIDATION', type: 'icontains', substring: 'x' },
      'Der Wert muss enthalten: x',
    ],
    [{ code: 'FAILED_VALIDATION', type: 'nnull' }, 'Dieses Feld braucht einen Wert.'],
    [{ code: 'FAILED_VALIDATION', type: 'unreadable' }, 'Das wird hier nicht angenommen.'],
    [
      { code: 'FAILED_VALIDATION', reason: 'A value does not pass validation.', type: 'email' },
      'Das ist keine E-Mail-Adresse.',
    ],
    [{ code: 'NEW_CODE' }, 'Der Server hat das abgelehnt.'],
  ];
  for (const [refusal, text] of cases) t.equal(refusalText(refusal, inGerman), text);
  const reason = 'PostgreSQL says: value for domain plz violates check constraint "plz_check".';
  t.strictSame(
    tellRefusal({ code: 'FAILED_VALIDATION', reason }, inGerman),
    { text: 'Das wird hier nicht angenommen.', detail: reason },
    'the words of the database tell more',
  );
  t.equal(
    refusalText({ code: 'NEW_CODE', reason: 'Why.' }, inGerman),
    'Der Server hat das abgelehnt. Why.',
  );
});
