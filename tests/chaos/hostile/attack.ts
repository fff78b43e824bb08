/** What a client can do to a real edge: send wrong things, parts of things, and leave at any time. */
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ADMIN_TOKEN } from '#tests/harness/cluster.ts';
import type { Dice } from '#tests/harness/dice.ts';

const AUTHORIZED = `Host: x\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\n`;

type Attack = (dice: Dice) => string | Buffer;

function get(path: string, headers = AUTHORIZED): string {
  return `GET ${path} HTTP/1.1\r\n${headers}\r\n`;
}

function send(line: string, body: string, length = Buffer.byteLength(body)): string {
  const type = 'Content-Type: application/json';
  return `${line} HTTP/1.1\r\n${AUTHORIZED}${type}\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

const FORMATS = ['', '&export=csv', '&export=json', '&export=ndjson', '&export=xml'] as const;

/** Streams, also those of which nothing is wanted, and statements that never end. */
function stream(dice: Dice): string {
  const method = dice.pick(['GET', 'GET', 'GET', 'HEAD']);
  const path = dice.pick(['wide?limit=-1', 'broken?limit=-1', 'endless?limit=-1', 'endless?']);
  return `${method} /items/${path}${dice.pick(FORMATS)} HTTP/1.1\r\n${AUTHORIZED}\r\n`;
}

function read(dice: Dice): string {
  const path = dice.pick([
    '/items/words',
    '/items/words/1',
    '/items/wide?limit=2000',
    '/server/health',
    '/server/ping',
  ]);
  return get(path);
}

function wrongQuestion(dice: Dice): string {
  const query = dice.pick([
    'fields=nothing',
    'filter[id][_eq]=abc',
    'filter={"id":',
    'filter[id][_what]=1',
    `filter${'[a]'.repeat(200)}=1`,
    'limit=-2',
    'export=pdf',
    'limit=-1&fields=nothing&export=csv',
    'sort=nothing&limit=-1',
    'access_token=wrong',
    '%zz=%zz',
  ]);
  const path = dice.pick(['/items/words', '/items/none', '/items/system_users', '/none', '/%zz']);
  return get(`${path}?${query}`, dice.pick([AUTHORIZED, 'Host: x\r\n']));
}

function deepJson(dice: Dice): string {
  const depth = dice.pick([10, 1_000, 20_000]);
  const filter = `${'{"_and":['.repeat(depth)}{}${']}'.repeat(depth)}`;
  return send('SEARCH /items/words', `{"query":{"filter":${filter}}}`);
}

function wrongBody(dice: Dice): string {
  const line = dice.pick(['POST /items/words', 'SEARCH /items/words', 'PATCH /items/words/1']);
  const body = dice.pick(['{"word":', '[[[[', '"', '{"nothing":1}', '{"id":"x"}', '', 'null']);
  return send(line, body, dice.pick([body.length, body.length + 10, 3_000_000, 2 ** 31]));
}

/** An import that announces more than it sends. */
function cutImport(dice: Dice): string {
  const path = dice.pick(['/utils/import/words', '/utils/import/none', '/utils/import/words?x']);
  const type = dice.pick(['text/csv', 'application/json', 'image/png']);
  const file = 'id,word\r\n'.repeat(dice.pick([1, 1_000, 40_000]));
  // Of its own, so that no other part that follows can make it whole.
  const boundary = `B${dice.below(2 ** 32)}`;
  const head = [
    `--${boundary}`,
    'Content-Disposition: form-data; name="file"; filename="x"',
    `Content-Type: ${type}\r\n\r\n`,
  ].join('\r\n');
  const length = head.length + file.length + 1_000;
  return `POST ${path} HTTP/1.1\r\n${AUTHORIZED}Content-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${length}\r\n\r\n${head}${file}`;
}

function malformed(dice: Dice): string {
  return dice.pick([
    'GET\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'GET /items/words HTTP/1.1\r\n: x\r\n\r\n',
    'POST /items/words HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 2\r\n\r\nxx',
    'POST /items/words HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
    'POST /items/words HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n',
    `POST /items/words HTTP/1.1\r\n${AUTHORIZED}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    `POST /items/words HTTP/1.1\r\n${AUTHORIZED}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a`,
    `POST /items/words HTTP/1.1\r\n${AUTHORIZED}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
  ]);
}

function oversized(dice: Dice): string {
  const size = dice.pick([4_000, 17_000, 100_000]);
  return dice.pick([
    get('/items/words', `${AUTHORIZED}X: ${'x'.repeat(size)}\r\n`),
    get('/items/words', `${AUTHORIZED}${'A: b\r\n'.repeat(size / 6)}`),
    get(`/items/${'%41'.repeat(size / 3)}`),
    get(`/items/words?${'a&'.repeat(size / 2)}`),
  ]);
}

const SINGLE: readonly [Attack, ...Attack[]] = [
  ...([stream, stream, read, wrongQuestion, deepJson, wrongBody, cutImport] as const),
  ...[malformed, oversized],
  (dice) => dice.bytes(1 + dice.below(3_000)),
  () => '',
];

function pipelined(dice: Dice): Buffer {
  const count = 2 + dice.below(20);
  return Buffer.concat(Array.from({ length: count }, () => Buffer.from(dice.pick(SINGLE)(dice))));
}

/** Unlike `once` of events it has nothing against errors. */
function heard(socket: Socket, event: string): Promise<void> {
  return new Promise((resolve) => socket.once(event, () => resolve()));
}

/** Reads, or does not, in its own way, and leaves in its own way. */
async function behave(dice: Dice, socket: Socket): Promise<void> {
  const pause = dice.below(40);
  switch (dice.below(4)) {
    case 0:
      break;
    case 1:
      socket.resume();
      await delay(pause);
      break;
    case 2:
      // Half-open: it will send no more but would still listen.
      socket.resume();
      socket.end();
      await delay(pause);
      break;
    default:
      await Promise.race([heard(socket, 'data'), heard(socket, 'close'), delay(pause * 4)]);
  }
  // Node itself hangs at its exit after a reset of a connection that it was ending.
  if (dice.below(2) === 0 || socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

/** One attack, from connecting to leaving. */
export async function attack(dice: Dice, port: number): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.on('error', () => undefined);
  await Promise.race([heard(socket, 'connect'), heard(socket, 'close')]);
  const whole = Buffer.from(dice.below(5) === 0 ? pipelined(dice) : dice.pick(SINGLE)(dice));
  const cut = dice.below(3) === 0 ? dice.below(whole.length + 1) : whole.length;
  socket.write(whole.subarray(0, cut));
  if (cut < whole.length && dice.below(2) === 0) {
    await delay(dice.below(5));
    socket.write(whole.subarray(cut));
  }
  await behave(dice, socket);
}
