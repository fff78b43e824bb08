// @newest

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
// Behind the last chunk of a body the library looks for no trailers: it takes what follows for a
// request. So nothing that follows is answered, and no request whose end is in doubt is processed.
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import type { Handler } from '#edge/http/response.ts';
import { until } from '#tests/harness/until.ts';
import { open, serve } from './fixture/client.ts';

const INJECTED = 'X-Trailer: /injected HTTP/1.1\r\nHost: x\r\n\r\n';
const SECOND = 'GET /second HTTP/1.1\r\nHost: x\r\n\r\n';

async function* pieces(): AsyncGenerator<string> {
  yield 'a';
  yield 'b';
}

const done: string[] = [];
/** The ids of the requests that were seen. */
const ids = new Set<string>();
let count = 0;

/** Every kind of handler; each records what it processes. */
const handler: Handler = (request) => {
  const { path, body } = request;
  done.push(`seen ${path}`);
  ids.add(request.id);
  const read = async () => {
    const value = await body.json();
    done.push(`done ${path}`);
    return value;
  };
  if (path === '/sync') return { status: 200, body: 'ok' };
  if (path === '/refused') throw invalidPayload(reason('body_object_expected'));
  if (path === '/unread') return Promise.resolve({ status: 404, body: 'no' });
  if (path === '/empty') return read().then(() => ({ status: 204 }));
  if (path === '/pieces') return read().then(() => ({ status: 200, body: pieces() }));
  if (path === '/long') return read().then(() => ({ status: 200, body: 'x'.repeat(3_000_000) }));
  if (path === '/waits') {
    return new Promise((_, reject) => {
      request.signal.addEventListener('abort', () => reject(request.signal.reason));
    });
  }
  if (path === '/slow' || path === '/slower') {
    return read()
      .then(() => sleep(path === '/slow' ? 30 : 2_500))
      .then(() => ({ status: 200, body: 'ok' }));
  }
  return read().then((value) => ({ status: 200, body: JSON.stringify(value) }));
};

interface Ending {
  /** What ends the body, and what follows in the same write. */
  readonly at: string;
  /** What follows later. */
  readonly later?: string;
}

/** Whether an answer is complete: by its length, by its last chunk, or because it has no body. */
function isComplete(answer: string, method: string): boolean {
  const end = answer.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const head = answer.slice(0, end);
  if (method === 'HEAD' || head.startsWith('HTTP/1.1 204')) return true;
  const length = /\r\nContent-Length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) return answer.endsWith('0\r\n\r\n');
  return answer.length >= end + 4 + Number(length);
}

/** Sends a request and all that follows it, and closes when nothing more is to be expected. */
async function send(port: number, line: string, { at, later }: Ending): Promise<string> {
  const socket = await open(port);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  const closed = once(socket, 'close');
  const id = `request-${++count}`;
  const head = `Host: x\r\nX-Request-Id: ${id}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  socket.write(`${line} HTTP/1.1\r\n${head}2\r\n{}\r\n${at}`);
  if (later !== undefined) {
    // It was read as a whole then.
    await until(() => ids.has(id));
    socket.write(later);
  }
  let isClosed = false;
  socket.on('close', () => {
    isClosed = true;
  });
  await until(() => isClosed || isComplete(answer, line.split(' ')[0] ?? ''));
  // Answers that the server cannot close itself ask the client to; a second one would come now.
  await Promise.race([closed, sleep(300)]);
  socket.destroy();
  return answer;
}

const LINES = [
  'POST /json',
  'POST /slow',
  'POST /sync',
  'POST /refused',
  'POST /unread',
  'POST /empty',
  'POST /pieces',
  'POST /long',
  'GET /sync',
  'HEAD /sync',
  'OPTIONS /sync',
];

t.test('what follows a chunked body is neither answered nor processed', async (t) => {
  const { port } = await serve(t, handler);
  const follows: readonly string[] = [INJECTED, SECOND, `POST${SECOND.slice(3)}`];
  const sendAll = async (line: string, endings: readonly Ending[]) => {
    done.length = 0;
    const answers = await Promise.all(endings.map((ending) => send(port, line, ending)));
    const path = line.split(' ')[1];
    t.notOk(
      done.some((entry) => !entry.endsWith(` ${path}`)),
      `${line}: ${done}`,
    );
    return answers;
  };
  for (const line of LINES) {
    const atOnce = follows.flatMap((text) => [{ at: `0\r\n${text}` }, { at: `0\r\n\r\n${text}` }]);
    t.strictSame(
      new Set(await sendAll(line, atOnce)),
      new Set(['']),
      `${line}: its end is in doubt`,
    );
    t.notOk(
      done.some((entry) => entry.startsWith('done')),
      `${line}: ${done}`,
    );
    const later = follows.flatMap((text) => [
      { at: '0\r\n', later: text },
      { at: '0\r\n\r\n', later: text },
    ]);
    for (const answer of await sendAll(line, later)) {
      t.match(answer, /^HTTP\/1\.1 (200|204|400|404) /, line);
      t.match(answer, /\r\nConnection: close\r\n/, line);
      t.equal(answer.match(/HTTP\/1\.1 \d/g)?.length, 1, line);
    }
  }
});

t.test('nor bytes behind a request with an ambiguous length', async (t) => {
  const { port } = await serve(t, handler);
  for (const headers of [
    'Content-Length: 2\r\nContent-Length: 3',
    'Transfer-Encoding: xchunked',
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding:\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding:\r\nTransfer-Encoding: chunked\r\nContent-Length: 2',
  ]) {
    for (const body of ['{}', '2\r\n{}\r\n0\r\n\r\n']) {
      done.length = 0;
      const socket = await open(port);
      let answer = '';
      socket.setEncoding('utf8').on('data', (text: string) => {
        answer += text;
      });
      socket.write(`POST /json HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n${body}${SECOND}`);
      await once(socket, 'close');
      t.ok((answer.match(/HTTP\/1\.1 /g) ?? []).length <= 1, headers);
      t.notMatch(answer, / 200 /, headers);
      t.strictSame(done, [], headers);
    }
  }
});

t.test('a chunked body alone is answered, and the connection closed', async (t) => {
  const { port } = await serve(t, handler);
  for (const line of LINES) {
    const answer = await send(port, line, { at: '0\r\n\r\n' });
    t.match(answer, /^HTTP\/1\.1 (200|204|400|404) /, line);
    t.match(answer, /\r\nConnection: close\r\n/, line);
    if (line === 'POST /long') t.ok(answer.endsWith('x'.repeat(3_000_000)));
    if (line === 'POST /pieces') t.ok(answer.endsWith('1\r\na\r\n1\r\nb\r\n0\r\n\r\n'));
  }
});

t.test('a body with a chunk extension is refused, and not waited for', async (t) => {
  const { port } = await serve(t, handler);
  const socket = await open(port);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  socket.write('POST /json HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  socket.write('2;a=b\r\n{}\r\n0\r\n\r\n');
  await once(socket, 'close');
  t.match(answer, /^HTTP\/1\.1 400 .*Chunk extensions are not supported/s);
});

// A paused connection tells of nothing, so that a request whose client went would run for ever.
t.test('a disconnect during an unread body is detected', async (t) => {
  const { server, port, lines } = await serve(t, handler);
  const chunked = 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n';
  const bodies: readonly string[] = [
    chunked,
    `${chunked}\r\n`,
    `Content-Length: 2\r\n\r\n{}`,
    `Content-Length: 3000000\r\n\r\n${'x'.repeat(3_000_000)}`,
    // The server pauses before the end of it.
    `Content-Length: 3000000\r\n\r\n${'x'.repeat(600_000)}`,
  ];
  // Those who stay are answered.
  const patient = await open(port);
  const answered = once(patient, 'close');
  let answer = '';
  patient.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  patient.write(`POST /slower HTTP/1.1\r\nHost: x\r\nX-Request-Id: slower\r\n${chunked}`);
  await until(() => ids.has('slower'));
  patient.write('\r\n');
  const gone: string[] = [];
  for (const body of bodies) {
    for (const how of ['ends', 'resets'] as const) {
      const id = `gone-${gone.length}`;
      gone.push(id);
      const socket = await open(port);
      socket.write(`POST /waits HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\n${body}`);
      await until(() => ids.has(id));
      // Long enough for its body to be here, however it comes.
      await sleep(100);
      if (how === 'ends') socket.destroy();
      else socket.resetAndDestroy();
    }
  }
  await server.drain({ linger: 0, limit: 2_147_483_647 });
  await answered;
  t.match(answer, /^HTTP\/1\.1 200 /);
  const ended = lines.filter(({ aborted }) => aborted === true).map(({ request }) => request);
  t.strictSame(ended.sort(), gone.sort(), 'all were reported, and counted');
});
