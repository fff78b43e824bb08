/** A WebSocket client for tests that stores received messages. */
import { until } from './until.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages freely
export type Message = any;

export interface TestSocket {
  /** Messages that were received and not yet taken. */
  readonly heard: Message[];
  send(message: unknown): void;
  sendText(text: string): void;
  /** Takes the first message that satisfies the condition; rejects when the connection ends. */
  next(is?: (message: Message) => boolean): Promise<Message>;
  /** From now on answers each message `ping` with `pong`, as clients with heartbeats do. */
  answerPings(): void;
  /** Resolves with code and reason when the connection is closed. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  close(): void;
}

/** Opens a WebSocket, with a token in its header if given; rejects when it is refused. */
export async function openSocket(
  url: string,
  protocols: string[] = [],
  token?: string,
): Promise<TestSocket> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(url.replace(/^http/, 'ws'), { protocols, headers });
  const heard: Message[] = [];
  const ending = Promise.withResolvers<{ code: number; reason: string }>();
  let end: string | null = null;
  socket.addEventListener('close', ({ code, reason }) => {
    end = `${code} ${reason}`;
    ending.resolve({ code, reason });
  });
  socket.addEventListener('message', ({ data }) => heard.push(JSON.parse(String(data))));
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error(`no WebSocket at ${url}`)));
  });
  return {
    heard,
    closed: ending.promise,
    send: (message) => socket.send(JSON.stringify(message)),
    sendText: (text) => socket.send(text),
    async next(is = () => true) {
      const at = await until(() => {
        const found = heard.findIndex(is);
        if (found < 0 && end !== null) throw new Error(`no message before the end: ${end}`);
        return found < 0 ? null : { found };
      }, 'a message');
      return heard.splice(at.found, 1)[0];
    },
    answerPings() {
      socket.addEventListener('message', ({ data }) => {
        if (JSON.parse(String(data)).type === 'ping') socket.send('{"type":"pong"}');
      });
    },
    close: () => socket.close(),
  };
}
