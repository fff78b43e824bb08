/** Records the statements that an edge sends to PostgreSQL. */

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Teardown } from './database.ts';

export interface Wire {
  /** The database's URL through the recorder. */
  readonly url: string;
  /** Texts of the statements executed so far, a portal's several fetches counted once. */
  readonly statements: string[];
}

function textAt(bytes: Buffer, start: number): string {
  return bytes.toString('utf8', start, bytes.indexOf(0, start));
}

/** Parses one connection's messages from the client (manual, chapter 54.7). */
class Conversation {
  readonly #statements: string[];
  readonly #prepared = new Map<string, string>();
  #pending = Buffer.alloc(0);
  #started = false;

  constructor(statements: string[]) {
    this.#statements = statements;
  }

  hear(chunk: Buffer): void {
    this.#pending = Buffer.concat([this.#pending, chunk]);
    for (;;) {
      const head = this.#started ? 1 : 0;
      if (this.#pending.length < head + 4) return;
      const length = head + this.#pending.readInt32BE(head);
      if (this.#pending.length < length) return;
      const message = this.#pending.subarray(0, length);
      this.#pending = this.#pending.subarray(length);
      if (this.#started) this.#read(String.fromCharCode(message[0] ?? 0), message);
      // Requests for encryption come before the start-up message and have eight bytes.
      else this.#started = length > 8;
    }
  }

  #read(type: string, message: Buffer): void {
    if (type === 'Q') this.#statements.push(textAt(message, 5));
    if (type === 'P') {
      const name = textAt(message, 5);
      this.#prepared.set(name, textAt(message, 5 + Buffer.byteLength(name) + 1));
    }
    if (type === 'B') {
      const portal = textAt(message, 5);
      const name = textAt(message, 5 + Buffer.byteLength(portal) + 1);
      this.#statements.push(this.#prepared.get(name) ?? `unknown statement ${name}`);
    }
  }
}

/** Opens a recorder in front of a database; it closes with the test. */
export async function listenIn(t: Teardown, databaseUrl: string): Promise<Wire> {
  const target = new URL(databaseUrl);
  const statements: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    const conversation = new Conversation(statements);
    client.on('data', (chunk: Buffer) => conversation.hear(chunk));
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  const url = new URL(databaseUrl);
  url.port = String(address.port);
  return { url: url.href, statements };
}
