// @newest @quick
/** The Admin App says why the server refuses something in its own languages, not in the server's words. */
import t from 'tap';
import { catalogue } from '#core/base/errors/catalogue.ts';
import { placed, type Reason, reason, reasonsBySubject } from '#core/base/errors/reason.ts';
import { reasonMembers, ServiceError } from '#core/base/errors/service-error.ts';
import { isForbidden, mayPass, tellFailure } from '#ops/app/source/data/failure.ts';
import {
  breaksRule,
  CODES,
  type Refusal,
  RULES,
  refusalText,
  type Translate,
  tellRefusal,
} from '#ops/app/source/data/fault-text.ts';
import { texts as german } from '#ops/app/source/translation/de/index.ts';
import { reason as germanReasons } from '#ops/app/source/translation/de/reason/index.ts';
import { texts as english } from '#ops/app/source/translation/en/index.ts';
import { reason as englishReasons } from '#ops/app/source/translation/en/reason.ts';
import { loadTexts, type Texts } from '#ops/app/source/translation/languages.ts';
import { SluiceError } from '#ops/client/source/index.ts';

const LANGUAGES = { german, english };

function textAt(texts: Texts, key: string): string | null {
  let found: string | Texts | undefined = texts;
  for (const part of key.split('.')) found = typeof found === 'object' ? found[part] : undefined;
  return typeof found === 'string' ? found : null;
}

const [germanTexts, englishTexts] = await Promise.all([loadTexts('de'), loadTexts('en')]);
const inGerman: Translate = (key, parameters) => germanTexts.t(key, parameters);
const inEnglish: Translate = (key, parameters) => englishTexts.t(key, parameters);

t.test('every code of the API has a text in both languages', async (t) => {
  t.strictSame([...CODES].sort(), Object.keys(catalogue).sort());
  for (const [language, texts] of Object.entries(LANGUAGES)) {
    for (const code of CODES) t.ok(textAt(texts, `fault.code.${code}`), `${language}: ${code}`);
    for (const rule of Object.values(RULES)) {
      t.ok(textAt(texts, `fault.rule.${rule}`), `${language}: rule ${rule}`);
    }
  }
});

t.test('every reason has a text in both languages, of parameters that it has', async (t) => {
  const reasons = Object.values(reasonsBySubject).flatMap((sentences) => Object.entries(sentences));
  const parametersOf = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  for (const texts of [germanReasons, englishReasons]) {
    const given = new Map(Object.entries(texts));
    t.strictSame([...given.keys()].sort(), reasons.map(([name]) => name).sort());
    for (const [name, sentence] of reasons) {
      const text = given.get(name) ?? '';
      const known = parametersOf(sentence);
      t.strictSame(
        parametersOf(text).filter((one) => !known.includes(one)),
        [],
        `${name}: ${text}`,
      );
      t.notMatch(text, /(?<!%)\{\w+\}/, name);
    }
  }
});

/** An error as the App reads it. */
function refusalOf(code: string, why: Reason, more: Omit<Refusal, 'code'> = {}): Refusal {
  return { code, ...reasonMembers(why), ...more };
}

t.test('they are said in German, with their parameters', async (t) => {
  const cases: readonly [Refusal, string][] = [
    [
      refusalOf('VALUE_TOO_LONG', reason('too_many_characters', { limit: 80 })),
      'Dieser Text hat mehr als 80 Zeichen.',
    ],
    [
      refusalOf('INVALID_PAYLOAD', placed('Field "a": ', reason('value_whole_number_expected'))),
      'Das muss eine ganze Zahl sein.',
    ],
    [
      refusalOf('INVALID_QUERY', reason('text_expected', { place: 'filter.%{name}' })),
      '„filter.%{name}“ muss ein Text sein.',
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
    [{ code: 'FAILED_VALIDATION', type: 'unreadable' }, 'Dieser Wert ist ungültig.'],
    [
      refusalOf('FAILED_VALIDATION', reason('value_fails_validation'), { type: 'email' }),
      'Das ist keine E-Mail-Adresse.',
    ],
    [refusalOf('FAILED_VALIDATION', reason('value_fails_validation')), 'Dieser Wert ist ungültig.'],
    [{ code: 'NEW_CODE' }, 'Der Server hat die Anfrage abgelehnt.'],
  ];
  for (const [refusal, text] of cases) t.equal(refusalText(refusal, inGerman), text);
});

t.test('a reason without a text is said in the words of the server', async (t) => {
  const newer = { reason: 'It is too new.', reason_code: 'too_new', reason_parameters: { a: 1 } };
  t.strictSame(tellRefusal({ code: 'FAILED_VALIDATION', ...newer }, inGerman), {
    text: 'Dieser Wert ist ungültig.',
    detail: newer.reason,
  });
  t.equal(
    refusalText({ code: 'NEW_CODE', ...newer }, inGerman),
    'Der Server hat die Anfrage abgelehnt. It is too new.',
  );
  t.strictSame(
    tellRefusal({ code: 'CONFLICT', reason: 'Of an older server.' }, inGerman),
    { text: 'Das ist im aktuellen Zustand nicht möglich.', detail: 'Of an older server.' },
    'without a code',
  );
  const bare = {
    code: 'VALUE_TOO_LONG',
    reason: 'The value has more than 80 characters.',
    reason_code: 'too_many_characters',
  };
  t.strictSame(
    tellRefusal(bare, inGerman),
    { text: 'Dieser Text ist zu lang.', detail: bare.reason },
    'without its parameters',
  );
});

t.test('a failure is told with its reason', async (t) => {
  const entry = new ServiceError('CONFLICT', { reason: reason('retry_state_refused') }).toJSON();
  const error = new SluiceError({ status: 409, errors: [entry] });
  const text = 'fault.code.CONFLICT';
  t.strictSame(tellFailure(error, inGerman), {
    text,
    detail: 'Nur gescheiterte oder abgebrochene Aufträge lassen sich erneut versuchen.',
  });
  t.strictSame(tellFailure(error, inEnglish), { text, detail: entry.extensions.reason });
  const message = 'A message without a reason.';
  const bare = new SluiceError({
    status: 409,
    errors: [{ message, extensions: { code: 'CONFLICT' } }],
  });
  t.strictSame(tellFailure(bare, inGerman), { text, detail: null });
});

t.test('a refusal is told with the reason of the server, and once', async (t) => {
  const refused = (why?: Reason) =>
    new SluiceError({
      status: 403,
      errors: [new ServiceError('FORBIDDEN', why && { reason: why }).toJSON()],
    });
  const text = 'fault.code.FORBIDDEN';
  t.strictSame(tellFailure(refused(), inEnglish), { text, detail: null });
  const special = reason('retry_file_not_kept');
  t.strictSame(tellFailure(refused(special), inEnglish), {
    text,
    detail: inEnglish('reason.retry_file_not_kept'),
  });
  t.equal(isForbidden(refused()), true);
});

t.test('mail that is not set up is said as such', async (t) => {
  const entry = new ServiceError('SERVICE_UNAVAILABLE', { reason: reason('no_mail_server') });
  const error = new SluiceError({ status: 503, errors: [entry.toJSON()] });
  t.strictSame(tellFailure(error, inGerman), { text: 'failure.noMail', detail: null });
  t.notOk(mayPass(error), 'another attempt finds none either');
});

t.test('another attempt is offered where it may work', async (t) => {
  const failed = (status: number) => new SluiceError({ status, errors: [] });
  for (const status of [400, 403, 404, 409, 413, 422])
    t.notOk(mayPass(failed(status)), `${status}`);
  for (const status of [401, 429, 500, 503]) t.ok(mayPass(failed(status)), `${status}`);
});

t.test('what breaks a rule of a field is known by its code', async (t) => {
  const code = 'FAILED_VALIDATION';
  t.ok(breaksRule({ code, type: 'regex' }));
  t.ok(breaksRule(refusalOf(code, reason('value_fails_validation'))));
  t.notOk(breaksRule(refusalOf(code, reason('value_uuid_expected'))));
  t.notOk(breaksRule({ code, type: 'required' }));
  t.notOk(breaksRule({ code: 'VALUE_TOO_LONG' }));
});
