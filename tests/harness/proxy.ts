/**
 * A TCP proxy in front of a test server, so that the server can become unavailable and return.
 * Connections can also become half open: everything is acknowledged, and no data arrives.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Teardown } from './database.ts';
import { freePort } from './port.ts';

/** The direction in which no data arrives. */
export type Direction = 'both' | 'toServer' | 'toClient';

export interface ServerProxy {
  /** The server's URL with the proxy's address. */
  readonly url: string;
  /** Closes every connection and accepts no more. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** Closes every connection, and each new one immediately. */
  refuse(): void;
  /** The number of connections refused this way. */
  readonly refused: number;
  /** Makes all existing connections permanently half open. */
  freeze(direction?: Direction): void;
  /** Whether new connections are half open from their beginning. */
  freezeNew(frozen: boolean): void;
  /** Connections that are not half open. */
  readonly alive: number;
}

class Pair {
  readonly near: Socket;
  readonly far: Socket;
  frozen: Direction | null;

  constructor(near: Socket, far: Socket, frozen: Direction | null) {
    this.near = near;
    this.far = far;
    this.frozen = frozen;
    this.#forward(near, far, 'toServer');
    this.#forward(far, near, 'toClient');
  }

  /** Neither end receives anything from the other, not even the end of the connection. */
  #isCut(direction: Direction): boolean {
    return this.frozen === 'both' || this.frozen === direction;
  }

  #forward(from: Socket, to: Socket, direction: Direction): void {
    from.on('data', (chunk) => {
      if (this.#isCut(direction) || to.write(chunk)) return;
      from.pause();
      to.once('drain', () => from.resume());
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      if (this.frozen === null) to.destroy();
    });
  }
}

/** Listens immediately; ends with the test. */
export async function startProxy(t: Teardown, target: string): Promise<ServerProxy> {
  const url = new URL(target);
  const [host, port] = [url.hostname, Number(url.port)];
  const own = await freePort();
  url.host = `127.0.0.1:${own}`;
  const pairs = new Set<Pair>();
  let freezesNew = false;
  let refuses = false;
  let refused = 0;
  const cut = () => {
    for (const { near, far } of pairs) {
      near.destroy();
      far.destroy();
    }
    pairs.clear();
  };
  const server = createServer((near) => {
    if (refuses) {
      refused += 1;
      near.destroy();
      return;
    }
    const pair = new Pair(near, connect(port, host), freezesNew ? 'both' : null);
    pairs.add(pair);
    near.on('close', () => {
      if (pair.frozen === null) pairs.delete(pair);
    });
  });
  const proxy = {
    url: url.href,
    async up() {
      refuses = false;
      if (server.listening) return;
      server.listen(own, '127.0.0.1');
      await once(server, 'listening');
    },
    async down() {
      if (!server.listening) return;
      server.close();
      cut();
      await once(server, 'close');
    },
    refuse() {
      refuses = true;
      cut();
    },
    get refused() {
      return refused;
    },
    freeze(direction: Direction = 'both') {
      for (const pair of pairs) pair.frozen ??= direction;
    },
    freezeNew(frozen: boolean) {
      freezesNew = frozen;
    },
    get alive() {
      return [...pairs].filter(({ frozen }) => frozen === null).length;
    },
  };
  t.teardown(() => proxy.down());
  await proxy.up();
  return proxy;
}
