/**
 * Cancels the running statement of a connection with a cancel request (manual, 54.2.8). It needs no
 * connection of the pool, which may be exhausted, and works through a pooler.
 */
import { once } from 'node:events';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';

/** Timeout (ms) of the request itself. */
const PATIENCE_MS = 1_000;

/** The driver's data about its server, which its type declarations lack. */
interface Session {
  readonly host: string;
  readonly port: number;
  readonly ssl: boolean | ConnectionOptions;
  readonly processID: number;
  readonly secretKey: number;
}

/** A driver connection before login, which its type declarations lack. */
interface Caller extends pg.Connection {
  connect(port: number, host: string): void;
  connect(path: string): void;
  requestSsl(): void;
  cancel(processID: number, secretKey: number): void;
}

function isSession(client: object): client is Session {
  return 'processID' in client && typeof client.processID === 'number' && 'secretKey' in client;
}

function isCaller(connection: pg.Connection): connection is Caller {
  return 'connect' in connection && 'cancel' in connection;
}

/**
 * Resolves when the server has signalled the backend, or was unreachable. The statement may still
 * run for a short time, so do not run anything else on the connection that must not be cancelled.
 */
export async function cancelStatement(client: pg.ClientBase): Promise<void> {
  if (!isSession(client)) return;
  const { host, port, ssl, processID, secretKey } = client;
  const connection = new pg.Connection({ ssl });
  if (!isCaller(connection)) return;
  const send = () => connection.cancel(processID, secretKey);
  connection.once('connect', () => (ssl === false ? send() : connection.requestSsl()));
  connection.once('sslconnect', send);
  connection.on('error', () => undefined);
  const ended = once(connection, 'end', { signal: AbortSignal.timeout(PATIENCE_MS) });
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
  else connection.connect(port, host);
  await ended.catch(() => undefined);
  connection.stream.destroy();
}
