/**
 * Makes sure that the API's port is free before our edges share it: among themselves they listen
 * with SO_REUSEPORT, under which a stranger on the port would go unnoticed.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '#core/config/config.ts';
import { SetupError } from '#core/system/setup-error.ts';

const PAUSE_MS = 100;

type Address = Pick<Config, 'HOST' | 'PORT'>;

function fault({ HOST, PORT }: Address, code: unknown): string {
  switch (code) {
    case 'EADDRINUSE':
      return `PORT: ${PORT} is in use on ${HOST} by another program; stop it, or choose another port`;
    case 'EACCES':
      return `PORT: this account may not listen on ${PORT}; choose a port from 1024`;
    default:
      return `HOST: cannot listen on ${HOST} (${String(code)})`;
  }
}

/**
 * Listens on the port alone for a moment.
 * @param patience milliseconds to wait for a port that is in use to become free
 * @throws {SetupError} naming PORT or HOST when it cannot be used
 */
export async function probePort(address: Address, patience: number): Promise<void> {
  const deadline = Date.now() + patience;
  for (;;) {
    const server = createServer();
    server.listen({ host: address.HOST, port: address.PORT, exclusive: true });
    try {
      await once(server, 'listening');
      server.close();
      await once(server, 'close');
      return;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : error;
      if (code !== 'EADDRINUSE' || Date.now() >= deadline) {
        throw new SetupError(fault(address, code), { cause: error });
      }
      await delay(PAUSE_MS);
    }
  }
}
