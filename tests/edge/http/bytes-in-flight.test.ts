/** Long answers are refused while too much of others is unread, and have room again behind them. */
import t from 'tap';
import { ServiceError } from '#core/errors/service-error.ts';
import { BytesInFlight, bytesInFlight } from '#edge/http/bytes-in-flight.ts';
import { errorsOf, open, request, serve, until } from './fixture/client.ts';

const SIZE = 64 * 1_048_576;

t.test('bytes are held until they are let go', (t) => {
  const bytes = new BytesInFlight(10);
  const letGo = bytes.hold(6);
  const error = t.throws(() => bytes.hold(5), ServiceError);
  t.match(error, { code: 'SERVICE_UNAVAILABLE', headers: { 'Retry-After': /^[0-9]+$/ } });
  bytes.hold(4)();
  letGo();
  letGo();
  t.equal(bytes.held, 0);
  bytes.hold(10);
  t.end();
});

t.test('what nobody reads leaves no room for more, and gives it back', async (t) => {
  const body = Buffer.alloc(SIZE, 'x');
  const { port, url } = await serve(t, ({ path }) => {
    return path === '/short' ? { status: 200, body: 'short' } : { status: 200, body };
  });
  const sockets = [];
  for (let held = SIZE; held <= 4 * SIZE; held += SIZE) {
    const socket = await open(port);
    socket.pause();
    socket.write(request('GET /long'));
    await until(() => bytesInFlight.held === held);
    sockets.push(socket);
  }
  const refused = await fetch(`${url}/long`);
  t.equal(refused.status, 503);
  t.match(refused.headers.get('retry-after'), /^[0-9]+$/);
  t.match(await errorsOf(refused), [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }]);
  t.equal((await fetch(`${url}/short`)).status, 200, 'short answers are no matter');
  t.equal((await fetch(`${url}/long`, { method: 'HEAD' })).status, 200);
  for (const socket of sockets) socket.destroy();
  await until(() => bytesInFlight.held === 0);
  const answer = await fetch(`${url}/long`);
  t.equal((await answer.arrayBuffer()).byteLength, SIZE);
  t.equal(bytesInFlight.held, 0);
});
