// @newest
/** Error answers come from the catalogue alone: nothing of the inside, and the standard headers. */
import t from 'tap';
import { catalogue, type ErrorCode } from '#core/base/errors/catalogue.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { serve } from '#tests/edge/http/fixture/client.ts';

const CANARY = 'canary-3f9c1d';

/** Every way in which something may fail with a secret at hand. */
function failures(): unknown[] {
  const error = new Error(`${CANARY} at /work/secret.ts`, { cause: new Error(CANARY) });
  const database = Object.assign(new Error(CANARY), {
    code: 'XX000',
    detail: CANARY,
    hint: CANARY,
    where: CANARY,
    internalQuery: CANARY,
    file: CANARY,
  });
  const refused = Object.assign(new Error(`connect ECONNREFUSED ${CANARY}`), {
    code: 'ECONNREFUSED',
    address: CANARY,
  });
  return [
    error,
    new TypeError(CANARY),
    new AggregateError([error], CANARY),
    database,
    refused,
    CANARY,
    { message: CANARY, stack: CANARY },
    { toString: () => CANARY },
    null,
    undefined,
  ];
}

t.test('each code has its status and message, and no more than its own details', async (t) => {
  const codes = Object.keys(catalogue).filter((code): code is ErrorCode => code in catalogue);
  const { url } = await serve(t, ({ segments: [code = ''] }) => {
    const known = codes.find((entry) => entry === code) ?? 'INTERNAL_SERVER_ERROR';
    throw new ServiceError(known, { field: 'title' }, { cause: new Error(CANARY) });
  });
  for (const code of codes) {
    const answer = await fetch(`${url}/${code}`);
    const { status, message } = catalogue[code];
    t.equal(answer.status, status, code);
    t.strictSame(await answer.json(), {
      errors: [{ message, extensions: { field: 'title', code } }],
    });
    t.match(Object.fromEntries(answer.headers), {
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
      vary: 'Origin, Cache-Control',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cross-origin-opener-policy': 'same-origin-allow-popups',
      'referrer-policy': 'no-referrer',
    });
    t.notOk(answer.headers.has('x-powered-by') || answer.headers.has('server'));
  }
});

t.test('unexpected errors reveal nothing, however they are thrown', async (t) => {
  process.env.CANARY = CANARY;
  const thrown = failures();
  const { url } = await serve(t, async ({ segments: [kind, index] }) => {
    const failure = thrown[Number(index)];
    if (kind === 'later') await new Promise(setImmediate);
    if (kind !== 'stream') throw failure;
    async function* pieces(): AsyncGenerator<string> {
      yield '';
      throw failure;
    }
    return { status: 200, body: pieces() };
  });
  for (const [index] of thrown.entries()) {
    for (const kind of ['now', 'later', 'stream']) {
      const answer = await fetch(`${url}/${kind}/${index}`).catch(() => null);
      if (answer === null) continue;
      const text = (await answer.text().catch(() => '')) + JSON.stringify([...answer.headers]);
      t.notMatch(text, new RegExp(CANARY), `${kind} ${index}`);
      t.notMatch(text, /\.ts|node_modules|stack|ECONN/);
      t.ok(answer.status >= 500 || kind === 'stream');
    }
  }
});
