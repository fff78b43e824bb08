/**
 * Checks that the port of the API is free before our edges share it. They listen with SO_REUSEPORT,
 * which would not detect another program on the port.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '#core/base/config/variables.ts';
import { SetupError } from '#core/model/system/setup-error.ts';

type Address = Pick<Config, 'HOST' | 'PORT'>;

function fault({ HOST, PORT }: Address, prefix: string, code: unknown): string {
  switch (code) {
    case 'EADDRINUSE':
      return `${prefix}PORT: ${PORT} is in use on ${HOST} by another program; stop it, or choose another port`;
    case 'EACCES':
      return `${prefix}PORT: this account may not listen on ${PORT}; choose a port from 1024`;
    default:
      return `${prefix}HOST: cannot listen on ${HOST} (${String(code)})`;
  }
}

/**
 * Listens exclusively on the port for a short time.
 * @param prefix of the names of its variables
 * @throws {SetupError} naming PORT or HOST when that fails
 */
export async function probePort(address: Address, prefix = ''): Promise<void> {
  const server = createServer();
  server.listen({ host: address.HOST, port: address.PORT, exclusive: true });
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new SetupError(fault(address, prefix, code), { cause: error });
  }
  server.close();
  await once(server, 'close');
}
