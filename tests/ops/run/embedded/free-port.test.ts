// @newest

import { once } from 'node:events';
import { createServer } from 'node:net';
import t from 'tap';
import { freePort, withFreePort } from '#ops/run/embedded/free-port.ts';

async function listen(port: number) {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { port, server };
}

t.test('who finds its port taken in the meantime gets another one', async (t) => {
  const tried: number[] = [];
  const { port, server } = await withFreePort(async (chosen) => {
    tried.push(chosen);
    if (tried.length > 2) return await listen(chosen);
    const other = await listen(chosen);
    t.teardown(() => other.server.close());
    return await listen(chosen);
  });
  t.teardown(() => server.close());
  t.equal(tried.length, 3);
  t.equal(new Set(tried).size, 3);
  t.equal(port, tried[2]);
});

t.test('it is given up after some tries, and at once for any other reason', async (t) => {
  const port = await freePort();
  const { server } = await listen(port);
  t.teardown(() => server.close());
  let tries = 0;
  const taken = withFreePort(() => {
    tries += 1;
    return listen(port);
  });
  await t.rejects(taken, { code: 'EADDRINUSE' });
  t.equal(tries, 5);
  const broken = withFreePort(async () => {
    tries += 1;
    throw new Error('something else');
  });
  await t.rejects(broken, { message: 'something else' });
  t.equal(tries, 6);
});
