// @newest
/**
 * Clients that read slowly get all of their answer, those that read nothing are cut off. Times are
 * those of the library, whose own timer ends a connection some ten seconds after a write that the
 * system did not take.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { ANONYMOUS } from '#core/access/grants.ts';
import type { Response } from '#edge/http/response.ts';
import { OpenStreams } from '#edge/streams/open-streams.ts';
import { until } from '#tests/harness/until.ts';
import { open, request, serve } from './fixture/client.ts';

/** Longer than the library would wait. */
const SLOW_MS = 20_000;
const PAUSE_MS = 16_000;
/** A piece that takes longer has to wait for the client. */
const BLOCKED_MS = 500;
/** More than the system takes for a connection over loopback. */
const SIZE = 12 * 1024 * 1024;
const PIECE = 262_144;
/** Bytes a second: the system reports no room for such a client within the library's time. */
const RATE = 20_000;

async function* pieces(size = SIZE): AsyncGenerator<string> {
  for (let sent = 0; sent < size; sent += PIECE) yield 'x'.repeat(PIECE);
}

/** As when PostgreSQL takes its time while the client still reads what it was given before. */
async function* pausing(): AsyncGenerator<string> {
  let last = performance.now();
  let paused = false;
  for await (const piece of pieces()) {
    yield piece;
    if (!paused && performance.now() - last > BLOCKED_MS) {
      paused = true;
      await delay(PAUSE_MS);
    }
    last = performance.now();
  }
}

const answers: Readonly<Record<string, () => Response>> = {
  '/stream': () => ({ status: 200, body: pieces() }),
  '/whole': () => ({ status: 200, body: 'x'.repeat(SIZE) }),
};

const handler = ({ path }: { path: string }): Response => answers[path]?.() ?? { status: 404 };

/** Reads at a pace for a while, then all there is; resolves with the bytes of the body. */
async function readSlowly(socket: Socket, duration: number): Promise<number> {
  let got = 0;
  let allowed = 0;
  socket.pause();
  for (const end = performance.now() + duration; performance.now() < end; ) {
    await delay(100);
    for (allowed += RATE / 10; got < allowed; ) {
      const chunk: Buffer | null = socket.read();
      if (chunk === null) break;
      got += chunk.length;
    }
  }
  socket.on('data', (chunk: Buffer) => {
    got += chunk.length;
  });
  socket.resume();
  await once(socket, 'close');
  return got;
}

t.test('who reads slowly gets all of it', { timeout: 120_000 }, async (t) => {
  const { port } = await serve(t, (asked) =>
    asked.path === '/pausing' ? { status: 200, body: pausing() } : handler(asked),
  );
  await Promise.all(
    [...Object.keys(answers), '/pausing'].map(async (path) => {
      const socket = await open(port);
      socket.write(request(`GET ${path}`));
      const got = await readSlowly(socket, SLOW_MS);
      t.ok(got >= SIZE, `${path}: ${got} bytes`);
    }),
  );
});

t.test('who reads nothing is cut off after the idle time', async (t) => {
  let ended = 0;
  const { port } = await serve(
    t,
    (asked) => {
      asked.signal.addEventListener('abort', () => {
        ended += 1;
      });
      return handler(asked);
    },
    { sendTimeouts: { idle: 300, total: 3_600_000 } },
  );
  for (const path of Object.keys(answers)) {
    const socket = await open(port);
    socket.pause();
    socket.write(request(`GET ${path}`));
    await until(() => ended > 0);
    ended = 0;
    let got = 0;
    socket.on('data', (chunk: Buffer) => {
      got += chunk.length;
    });
    socket.resume();
    await once(socket, 'close');
    t.ok(got > 0 && got < SIZE, `${path}: ${got} bytes`);
  }
});

t.test('no answer takes longer than it may, but those without an end', async (t) => {
  const { port } = await serve(
    t,
    ({ path }) => ({
      status: 200,
      body: (async function* () {
        for (let n = 0; path === '/stream' || n < 10; n += 1) {
          yield 'piece ';
          await delay(50);
        }
        yield 'last';
      })(),
      endless: path !== '/stream',
    }),
    { sendTimeouts: { idle: 60_000, total: 200 } },
  );
  for (const path of ['/stream', '/events']) {
    const socket = await open(port);
    let got = '';
    socket.on('data', (chunk: Buffer) => {
      got += chunk.toString();
    });
    socket.write(request(`GET ${path}`));
    await once(socket, 'close');
    t.equal(got.includes('last'), path === '/events', path);
    t.match(got, 'piece');
  }
});

t.test('an open stream is found by its caller, and cut', async (t) => {
  const streams = new OpenStreams();
  const caller = { ...ANONYMOUS, user: 'somebody' };
  let left = 0;
  const { port } = await serve(t, (asked) => {
    const endless = (async function* () {
      try {
        for (;;) {
          yield 'piece ';
          await delay(5);
        }
      } finally {
        left += 1;
      }
    })();
    const again = async () => caller;
    const facts = { kind: 'items', caller, collection: 'things', since: 0, again } as const;
    return { status: 200, body: streams.listed(asked, facts, endless) };
  });
  const sockets = await Promise.all([1, 2].map(() => open(port)));
  for (const socket of sockets) socket.resume().write(request('GET /'));
  await until(() => streams.of(caller).length === 2);
  t.strictSame(streams.of({ user: 'another', ip: null }), []);
  t.equal(streams.of(caller)[0]?.collection, 'things');
  const closed = Promise.all(sockets.map((socket) => once(socket, 'close')));
  for (const stream of streams) stream.cut('The rights are gone.');
  await closed;
  await until(() => left === 2);
  t.strictSame([...streams], []);
});
