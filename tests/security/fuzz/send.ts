/** Writes a request of the grammar the way clients do, byte for byte, and sends it. */
import { Agent, request } from 'node:http';
import qs from 'qs';
import type { Draft } from './grammar.ts';
import { type Json, TOKEN } from './vocabulary.ts';

export interface Reply {
  /** 0 when the connection was cut. */
  readonly status: number;
  readonly text: string;
}

/** A lone half of a surrogate pair cannot be percent-encoded. */
function encodable(text: string): string {
  return text.toWellFormed();
}

function wellFormed(value: Json): Json {
  if (typeof value === 'string') return encodable(value);
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [encodable(name), wellFormed(member)]),
  );
}

const TWISTS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replace(/=/, `${TOKEN}=`),
  (text) => `${text}&${text}`,
  (text) => text.slice(0, Math.floor(text.length / 2)),
  (text) => text.replace(/%5B/g, '[').replace(/%5D/g, ']').replace(/\]/, ''),
  (text) => text.replace(/[a-z]/, '%00'),
  (text) => text.replace(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (text) => `${text}&&=&%&[${TOKEN}]=1&a[b][c][d][e][f][g][h][i][j][k][l]=${TOKEN}`,
];

function jsonSpelling(parameters: Draft['parameters']): string {
  const parts = Object.entries(parameters).map(([name, value]) => {
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    return `${encodeURIComponent(encodable(name))}=${encodeURIComponent(encodable(text))}`;
  });
  return parts.join('&');
}

function queryOf({ parameters, spelling, twist }: Draft): string {
  const clean = wellFormed(parameters);
  const text =
    spelling === 'json' || typeof clean !== 'object' || clean === null
      ? jsonSpelling(parameters)
      : qs.stringify(clean, { arrayFormat: spelling, encodeValuesOnly: twist === 4 });
  const twisted = (TWISTS[twist] ?? String)(text);
  // Only what HTTP lets into a request line; what is longer is refused before it is read.
  return twisted
    .toWellFormed()
    .replace(/[^\x21-\x7e]/gu, encodeURIComponent)
    .slice(0, 6_000);
}

/** The target of a request as it stands in the request line. */
export function targetOf(draft: Draft): string {
  const query = queryOf(draft);
  return `/${draft.path.join('/')}${query === '' ? '' : `?${query}`}`;
}

/** A client of one edge that keeps its connections. */
export class Sender {
  readonly #agent: Agent;
  readonly #port: number;

  /** @param url base URL of the edge */
  constructor(url: string, connections: number) {
    this.#port = Number(new URL(url).port);
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** Sends a request, `count` standing in place of every {@link TOKEN}'s end. */
  send(draft: Draft, token: string | null, count: number): Promise<Reply> {
    const mark = (text: string) => text.replaceAll(TOKEN, `${TOKEN}${count}`);
    const body = draft.body === undefined ? null : mark(JSON.stringify(draft.body));
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const outgoing = request({
      agent: this.#agent,
      host: '127.0.0.1',
      port: this.#port,
      method: draft.method,
      path: mark(targetOf(draft)),
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === null
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      },
    });
    const chunks: Buffer[] = [];
    const cut = (error: Error) => resolve({ status: 0, text: error.message });
    outgoing.on('error', cut);
    outgoing.on('response', (response) => {
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', cut);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
    });
    outgoing.end(body ?? undefined);
    return promise;
  }

  close(): void {
    this.#agent.destroy();
  }
}
