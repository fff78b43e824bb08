// @newest
/** The library ends idle connections after some ten seconds; waiting for an answer is not idling. */
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import t from 'tap';
import { createServer } from '#edge/http/server.ts';

const UPLOAD = 20 * 1024 * 1024;
const WORK_MS = 14_000;

t.test('an answer may take longer than a connection may idle', async (t) => {
  const server = createServer({
    log: pino({ level: 'silent' }),
    bodyLimit: 1_024,
    handler: async ({ body }) => {
      let bytes = 0;
      for await (const piece of body.lend()) {
        bytes += piece.length;
        // Slower than the client, so that the last bytes find the body held back.
        await delay(1);
      }
      await delay(WORK_MS);
      return { status: 200, body: JSON.stringify({ data: bytes }) };
    },
  });
  const port = await server.listen('127.0.0.1', 0, false);
  t.teardown(() => server.close());
  const send = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      body: new Uint8Array(UPLOAD),
    });
    return [answer.status, await answer.text()];
  };
  const answers = await Promise.all([send(), send(), send()]);
  for (const answer of answers) t.strictSame(answer, [200, `{"data":${UPLOAD}}`]);
});
