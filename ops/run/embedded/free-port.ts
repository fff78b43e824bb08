/**
 * Finds free ports of the loopback interface for new servers. If another program takes the port
 * before the server starts, another port is chosen where possible.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';

const TRIES = 5;
/** Matches the messages of Node, PostgreSQL, Redis and Sluice for a port that is in use. */
const TAKEN = /EADDRINUSE|address already in use|is (already )?in use/i;

/** A port of the loopback interface on which no program currently listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

/**
 * Starts a server on a free port, and retries with another one when that was taken in the meantime.
 */
export async function withFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (tries === TRIES || !(error instanceof Error && TAKEN.test(error.message))) throw error;
    }
  }
}
