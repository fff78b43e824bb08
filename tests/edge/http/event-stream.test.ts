// @newest

import { once } from 'node:events';
import t from 'tap';
import { eventStream, type ServerEvent } from '#edge/http/event-stream.ts';
import { until } from '#tests/harness/until.ts';
import { exchange, open, request, serve } from './fixture/client.ts';

/** The events of a chunked answer as they stand in the stream. */
function textOf(answer: string): string {
  const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  return body.replace(/(?:^|\r\n)[0-9a-f]+\r\n/g, '').replace(/\r\n$/, '');
}

async function* events(...list: ServerEvent[]): AsyncGenerator<ServerEvent> {
  yield* list;
}

t.test('events in the form of the standard', async (t) => {
  const { port } = await serve(t, (request) =>
    eventStream(
      request,
      events(
        { data: '{"a":1}' },
        { event: 'progress\nx', id: '1\r\n2', data: 'one\ntwo\r\nthree' },
        { data: '' },
      ),
    ),
  );
  const answer = await exchange(port, request('GET /'));
  t.match(answer, /\r\nContent-Type: text\/event-stream\r\n/);
  t.match(answer, /\r\nCache-Control: no-cache\r\n/);
  t.equal(
    textOf(answer),
    ':\n\ndata: {"a":1}\n\n' +
      'event: progress x\nid: 1  2\ndata: one\ndata: two\ndata: three\n\ndata: \n\n',
  );
});

t.test('the head comes at once, comments while nothing happens', async (t) => {
  const gate = Promise.withResolvers<void>();
  async function* late(): AsyncGenerator<ServerEvent> {
    await gate.promise;
    yield { data: 'late' };
  }
  const { port } = await serve(t, (request) => eventStream(request, late(), 1));
  const socket = await open(port);
  let got = '';
  socket.on('data', (chunk: Buffer) => {
    got += chunk.toString();
  });
  socket.write(request('GET /'));
  await until(() => (got.match(/:\n\n/g)?.length ?? 0) > 3);
  gate.resolve();
  await once(socket, 'close');
  t.match(textOf(got), /^(:\n\n){4,}data: late\n\n(:\n\n)*$/);
});

t.test('a client that goes away ends the events, even those that wait', async (t) => {
  let ended = 0;
  let opened = 0;
  const { port } = await serve(t, (request) => {
    opened++;
    const source: AsyncIterable<ServerEvent> = {
      [Symbol.asyncIterator]: () => ({
        next: () => once(request.signal, 'abort').then(() => Promise.reject(new Error('late'))),
        return: async () => {
          ended++;
          return { done: true, value: undefined };
        },
      }),
    };
    return eventStream(request, source);
  });
  const socket = await open(port);
  socket.write(request('GET /'));
  await once(socket, 'data');
  t.equal(opened, 1);
  socket.destroy();
  await until(() => ended === 1);
});

t.test('a source that fails cuts the stream', async (t) => {
  async function* failing(): AsyncGenerator<ServerEvent> {
    yield { data: '1' };
    await new Promise(setImmediate);
    throw new Error('source');
  }
  const { port, lines } = await serve(t, (request) => eventStream(request, failing()));
  const answer = await exchange(port, request('GET /'));
  t.notMatch(answer, /\r\n0\r\n\r\n$/);
  t.match(lines, [{ level: 50, err: { message: 'source' } }]);
});
