// @newest
/**
 * Treats a server as badly as clients can for a while, from a seed that is printed: afterwards it is
 * the same process, answers as ever, and has nothing left of any of it.
 * FUZZ_SEED repeats a run as far as the timing of sockets allows, FUZZ_SECONDS makes it longer.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { Dice } from '#tests/harness/dice.ts';
import { until } from '#tests/harness/until.ts';
import { exchange, open, request } from './fixture/client.ts';
import { startServer } from './fixture/process.ts';

const DURATION = Number(process.env.FUZZ_SECONDS ?? 5) * 1_000;
const ATTACKERS = 16;

const seed = Number(process.env.FUZZ_SEED ?? 1);

const GET_PATHS = ['/hello', '/slow', '/stream/1', '/events', '/throw', '/throw/later'] as const;
const POST_PATHS: readonly string[] = [
  ...['/echo', '/upload', '/upload/slow', '/upload/unread', '/throw', '/throw/later'],
  ...['/throw/after-abort', '/throw/while-reading', '/upload/file', '/upload/file/unread'],
];

function anyPath(dice: Dice): string {
  return dice.pick(['/none', '/%zz', '/stream/x', ...GET_PATHS, ...POST_PATHS]);
}

/** A request with a body of which only a part is sent. */
function partOfBody(dice: Dice): Buffer {
  const path = dice.pick(['/echo', ...POST_PATHS]);
  const type = dice.pick(['application/json', 'multipart/form-data; boundary=B', 'text/plain']);
  const size = dice.pick([1, 100, 70_000, 3_000_000, 2 ** 31, 2 ** 53]);
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${size}\r\n\r\n`;
  const start = dice.pick([
    '{"a":',
    '--B\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\nsome',
    '--B\r\nContent-Dis',
    '',
  ]);
  return Buffer.concat([Buffer.from(head + start), dice.bytes(dice.below(2_000))]);
}

function badChunks(dice: Dice): Buffer {
  const head = `POST ${dice.pick(['/echo', ...POST_PATHS])} HTTP/1.1\r\nHost: x\r\n`;
  const coding = dice.pick([
    'chunked',
    'gzip, chunked',
    'xchunked',
    'chunked\r\nContent-Length: 3',
  ]);
  const chunk = dice.pick([
    'zz\r\nabc\r\n',
    '-1\r\n',
    '5\r\nabc\r\n0\r\n\r\n',
    '3;ext=1\r\nabc\r\n0\r\n\r\n',
    '0\r\nTrailer: x\r\n\r\n',
    '3\r\nabcd\r\n',
    '7fffffff\r\nabc',
    'ffffffffffffffffff\r\nabc',
    '3\nabc\n',
    '\r\n\r\n',
  ]);
  const text = `${head}Transfer-Encoding: ${coding}\r\n\r\n3\r\n{"a\r\n${chunk}`;
  return Buffer.concat([Buffer.from(text), dice.bytes(dice.below(50))]);
}

function oversized(dice: Dice): string {
  const size = dice.pick([4_000, 15_000, 17_000, 100_000]);
  return dice.pick([
    `GET /hello HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(size)}\r\n\r\n`,
    `GET /hello HTTP/1.1\r\n${'A: b\r\n'.repeat(size / 6)}\r\n`,
    `GET /${'%41'.repeat(size / 3)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET /hello?${'a&'.repeat(size / 2)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  ]);
}

function pipelined(dice: Dice): Buffer {
  const parts = Array.from({ length: 1 + dice.below(6) }, () =>
    dice.pick([
      Buffer.from(`GET ${anyPath(dice)} HTTP/1.1\r\nHost: x\r\n\r\n`),
      Buffer.from('POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}'),
      Buffer.from(`HEAD ${anyPath(dice)} HTTP/1.1\r\nHost: x\r\n\r\n`),
      dice.bytes(dice.below(100)),
    ]),
  );
  return Buffer.concat(parts);
}

/** A sound request with some bytes changed, or cut off. */
function mangled(dice: Dice): Buffer {
  const text = Buffer.from(request(`POST ${anyPath(dice)}`, ['Content-Length: 7'], '{"a":1}'));
  for (let i = dice.below(4); i > 0; i--) text[dice.below(text.length)] = dice.below(256);
  return text.subarray(0, dice.below(text.length + 1));
}

const ATTACKS: readonly [(dice: Dice) => string | Buffer, ...((dice: Dice) => string | Buffer)[]] =
  [
    partOfBody,
    badChunks,
    oversized,
    pipelined,
    mangled,
    (dice) => dice.bytes(1 + dice.below(3_000)),
    (dice) => `GET ${anyPath(dice)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    (dice) => `GET /stream/${1 + dice.below(20)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    () => 'GET /events HTTP/1.1\r\nHost: x\r\n\r\n',
    () => '',
  ];

/** Reads in its own way, then leaves in its own way. */
async function behave(dice: Dice, socket: Socket): Promise<void> {
  const pause = dice.below(30);
  switch (dice.below(5)) {
    case 0:
      break;
    case 1:
      socket.resume();
      await sleep(pause);
      break;
    case 2:
      // A slow reader.
      socket.on('data', () => {
        socket.pause();
        setTimeout(() => socket.resume(), 1 + dice.below(5));
      });
      await sleep(pause * 4);
      break;
    case 3:
      // Half-open: it will send no more but would still listen.
      socket.resume();
      socket.end();
      await sleep(pause);
      break;
    default:
      await Promise.race([
        ...['data', 'close'].map((name) => once(socket, name).catch(() => undefined)),
        sleep(pause),
      ]);
  }
  // Node itself hangs at its exit after a reset of a connection that it was ending.
  if (dice.below(2) === 0 || socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

async function attack(dice: Dice, port: number): Promise<void> {
  const socket = await open(port);
  const bytes = Buffer.from(dice.pick(ATTACKS)(dice));
  const cut = dice.below(3) === 0 ? dice.below(bytes.length + 1) : bytes.length;
  socket.write(bytes.subarray(0, cut));
  if (cut < bytes.length && dice.below(2) === 0) {
    await sleep(dice.below(5));
    socket.write(bytes.subarray(cut));
  }
  await behave(dice, socket);
}

t.comment(`seed ${seed}`);

t.test('nothing that clients do ends the server or stays behind', async (t) => {
  const server = await startServer(t);
  const { port, child } = server;
  await exchange(port, request('GET /hello'));
  const baseline = server.descriptors();
  const end = Date.now() + DURATION;
  let attacks = 0;
  const attackers = Array.from({ length: ATTACKERS }, async (_, number) => {
    const dice = new Dice(seed + number);
    for (; Date.now() < end && child.exitCode === null; attacks++) await attack(dice, port);
  });
  // Sockets that say nothing, or not enough, and stay.
  const silent = await Promise.all(
    [
      '',
      'GET /hel',
      'GET /hello HTTP/1.1\r\nHost',
      'POST /echo HTTP/1.1\r\nContent-Length: 9\r\n\r\n{',
    ]
      .flatMap((text) => [text, text, text])
      .map(async (text) => {
        const socket = await open(port);
        socket.write(text);
        return socket;
      }),
  );
  await Promise.all(attackers);
  for (const socket of silent) socket.destroy();
  t.comment(`${attacks} attacks`);
  t.strictSame([child.pid, child.exitCode, child.signalCode], [server.pid, null, null]);

  let answered = 0;
  const clients = Array.from({ length: 10 }, async () => {
    for (let i = 0; i < 50; i++) {
      const hello = await exchange(port, request('GET /hello'));
      const echo = await exchange(port, request('POST /echo', ['Content-Length: 1'], '1'));
      answered += Number(/\{"data":"hello"\}$/.test(hello)) + Number(/\{"data":1\}$/.test(echo));
    }
  });
  await Promise.all(clients);
  t.equal(answered, 1_000);
  await until(() => server.descriptors() <= baseline + 2);
  t.pass('no descriptors are left');

  // It waits without bound for requests that it believes to be running.
  child.kill('SIGTERM');
  t.strictSame(await once(child, 'exit'), [0, null], 'no request is left');
});
