/** A TCP proxy before a server of the test, so that the server can be "away" and come back. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '#ops/embedded/postgres.ts';
import type { Teardown } from '#tests/harness/database.ts';

export interface ServerProxy {
  /** The server's URL with the proxy's address in it. */
  readonly url: string;
  /** Cuts every connection and accepts no more. */
  down(): Promise<void>;
  up(): Promise<void>;
}

/** Listens at once; ends with the test. */
export async function startProxy(t: Teardown, target: string): Promise<ServerProxy> {
  const url = new URL(target);
  const [host, port] = [url.hostname, Number(url.port)];
  const own = await freePort();
  url.host = `127.0.0.1:${own}`;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, host);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  const proxy = {
    url: url.href,
    async up() {
      server.listen(own, '127.0.0.1');
      await once(server, 'listening');
    },
    async down() {
      if (!server.listening) return;
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
  t.teardown(() => proxy.down());
  await proxy.up();
  return proxy;
}
