// @newest @quick
/** Reading in slices yields what reading at once does. */
import t from 'tap';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { parseInSlices } from '#core/base/json/sliced-json.ts';

const bytes = (text: string) => Buffer.from(text);
const parse = (text: string, onMember: (name: string) => void = () => undefined) =>
  parseInSlices(bytes(text), onMember);

const LONG = 'x'.repeat(200_000);
const WORDS = Array.from({ length: 12_000 }, (_, index) => `wörd "${index}" \\ [{`);
const ROWS = Array.from({ length: 5_000 }, (_, id) => ({ id, name: `n${id}`, tags: [id, null] }));

const DOCUMENTS: Readonly<Record<string, unknown>> = {
  rows: ROWS,
  words: WORDS,
  members: Object.fromEntries(WORDS.map((word, index) => [word, index])),
  'large beside small': [1, ROWS, 2, 3, ROWS, { a: ROWS, b: 1, c: WORDS, d: { e: [ROWS, LONG] } }],
  'large alone': [[[[ROWS]]]],
  'long texts': [LONG, LONG, { [LONG]: LONG }, LONG],
  keys: { keys: WORDS, data: { a: 1 } },
  text: LONG,
  'nothing much': { a: [LONG], b: [], c: {}, d: '' },
};

t.test('documents are the same as when they are parsed at once', async (t) => {
  for (const [name, document] of Object.entries(DOCUMENTS)) {
    for (const indent of [0, 2, '\t\r\n ']) {
      const text = JSON.stringify(document, null, indent);
      t.strictSame(JSON.stringify(await parse(text)), JSON.stringify(document), name);
    }
  }
  const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes(JSON.stringify(ROWS))]);
  t.equal(JSON.stringify(await parseInSlices(marked, () => undefined)), JSON.stringify(ROWS));
  t.strictSame(await parse(`[${' '.repeat(300_000)}]`), []);
  t.strictSame(
    await parse(`{"a":{${' '.repeat(300_000)}},"a":[2]}`),
    { a: [2] },
    'the last counts',
  );
});

t.test('what is malformed anywhere is refused', async (t) => {
  const rows = JSON.stringify(ROWS);
  const malformed = [
    ...[`[${rows}`, `${rows}]`, `[${rows},]`, `[,${rows}]`, `[${rows},,1]`, `[${rows} 1]`],
    ...[`[1 ${rows}]`, `[1,,${rows}]`, `[${rows}}`, `{${rows}}`, `{"a" ${rows}}`, `{a:${rows}}`],
    ...[`{"a":${rows},}`, `{"a":1,,"b":${rows}}`, `${rows}x`, `{"a":${rows} "b":1}`, `[[${rows}`],
    ...[`["${LONG}]`, `["${LONG}" ${rows}]`, `{"__proto__":${rows}}`, `[${rows},{"__proto__":1}]`],
    ...[`{"\\u005f_proto__":${rows}}`, `[${rows},01]`, `[${rows},"\u0001"]`, `{:${rows}}`],
    `${'['.repeat(257)}${rows}${']'.repeat(257)}`,
  ];
  for (const text of malformed) {
    const error = await parse(text).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    const isCoded = error instanceof ServiceError && error.code === 'INVALID_PAYLOAD';
    t.ok(isCoded, `${text.slice(0, 20)} … ${text.slice(-20)}`);
  }
  const cut = Buffer.concat([bytes(`["${LONG}`), Buffer.from([0xc3]), bytes('"]')]);
  await t.rejects(
    parseInSlices(cut, () => undefined),
    { code: 'INVALID_PAYLOAD' },
    'UTF-8',
  );
});

t.test('members are reported before their values are read', async (t) => {
  const members: string[] = [];
  await parse(JSON.stringify({ a: ROWS, b: { query: ROWS }, c: 1, d: WORDS }), (name) => {
    members.push(name);
  });
  t.strictSame(members, ['a', 'b', 'c', 'd']);
  const refused = new Error('no such member');
  const text = `{"\\u0071uery":${JSON.stringify(ROWS)},"b":[${LONG}]}`;
  const refuse = (name: string) => {
    if (name === 'query') throw refused;
  };
  await t.rejects(parse(text, refuse), refused);
});

t.test('others have their turns while a long body is read', async (t) => {
  let turns = 0;
  let isReading = true;
  const count = () => {
    turns += 1;
    if (isReading) setImmediate(count);
  };
  setImmediate(count);
  await parse(`[${'[[]],'.repeat(600_000)}1]`);
  isReading = false;
  t.ok(turns > 2, `${turns} turns`);
});

t.test('numbers that would become others are refused wherever they stand', async (t) => {
  const digits = `1${'0'.repeat(140_000)}`;
  for (const text of [
    `${JSON.stringify(ROWS).slice(0, -1)},1e400]`,
    `{"a":${JSON.stringify(ROWS)},"doc":{"b":9007199254740993}}`,
    `[${digits},${JSON.stringify(LONG)}]`,
    `{"a":[${digits},${JSON.stringify(ROWS)}]}`,
  ]) {
    await t.rejects(parse(text), { code: 'INVALID_PAYLOAD', message: /beyond the exact range/ });
  }
});
