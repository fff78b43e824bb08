/**
 * Asks PostgreSQL to stop what a connection runs, by a cancel request (manual, 54.2.8): it needs
 * none of the pool's connections, which may all be taken, and works through a pooler.
 */
import { once } from 'node:events';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';

/** How long (ms) the request itself may take. */
const PATIENCE_MS = 1_000;

/** What the driver knows of its server; its declarations lack it. */
interface Session {
  readonly host: string;
  readonly port: number;
  readonly ssl: boolean | ConnectionOptions;
  readonly processID: number;
  readonly secretKey: number;
}

/** A connection of the driver before anybody logs in; its declarations lack these. */
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
 * Resolves when the server has told the backend, or could not be reached. The statement may still
 * run for a short time, so the connection is not to be used for anything that must not be cancelled.
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
