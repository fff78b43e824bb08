/** Sends and receives files as fast as the other side lets it. */
import { once } from 'node:events';
import { Agent, type ClientRequest, globalAgent, type IncomingMessage, request } from 'node:http';

/** Large files have connections of their own. */
const LARGE = 1024 * 1024;
const ONCE = new Agent({ keepAlive: false });
const PIECE = Buffer.alloc(256 * 1024, 'sluice');

interface Sent {
  readonly method: 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: number;
  /** What surrounds the content. */
  readonly head?: string;
  readonly tail?: string;
}

async function answerOf(sent: ClientRequest): Promise<{ status: number; text: string }> {
  const [answer]: IncomingMessage[] = await once(sent, 'response');
  const pieces: Buffer[] = [];
  for await (const piece of answer ?? []) pieces.push(piece);
  return { status: answer?.statusCode ?? 0, text: Buffer.concat(pieces).toString() };
}

/** Sends content of some length. @returns the body of the answer */
export async function sendFile(url: string, sent: Sent): Promise<string> {
  const { method, headers, bytes, head = '', tail = '' } = sent;
  const length = Buffer.byteLength(head) + bytes + Buffer.byteLength(tail);
  const made = request(url, {
    method,
    headers: { ...headers, 'Content-Length': length },
    agent: bytes < LARGE ? globalAgent : ONCE,
  });
  const answered = answerOf(made);
  made.write(head);
  for (let left = bytes; left > 0; left -= PIECE.length) {
    if (!made.write(PIECE.subarray(0, left))) await once(made, 'drain');
  }
  made.end(tail);
  const { status, text } = await answered;
  if (status >= 300) throw new Error(`${url} was answered with ${status}: ${text}`);
  return text;
}

/** Receives a file. @returns its bytes */
export async function receiveFile(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const made = request(url, { headers, agent: ONCE });
  made.end();
  const [answer]: IncomingMessage[] = await once(made, 'response');
  if (answer?.statusCode !== 200) throw new Error(`${url}: ${answer?.statusCode}`);
  let bytes = 0;
  for await (const piece of answer) bytes += piece.length;
  return bytes;
}
