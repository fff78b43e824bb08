/**
 * One user sends many messages in part, within a frame and between two frames, over both protocols.
 * The edge ends them when they hold too much memory, and keeps the connections of others.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { createMember } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

const COUNT = 300;
/** Bytes of each message that arrive; the last ones do not. */
const BYTES = 1_000_000;
/** After so many milliseconds all are ended. */
const WITHIN_MS = 30_000;
const TEXT = 1;
const PING = 9;
const PONG = 10;

/** A frame as clients send it (RFC 6455, 5.2), with a mask of zeros. */
function frame(opcode: number, payload: Buffer, { final = true, announced = payload.length } = {}) {
  const head = Buffer.alloc(14);
  head[0] = (final ? 128 : 0) | opcode;
  head[1] = 128 | 127;
  head.writeBigUInt64BE(BigInt(announced), 2);
  if (announced > 65_535) return Buffer.concat([head, payload]);
  if (announced < 126) {
    return Buffer.concat([Buffer.from([head[0], 128 | announced, 0, 0, 0, 0]), payload]);
  }
  const short = Buffer.from([head[0], 128 | 126, announced >> 8, announced & 255, 0, 0, 0, 0]);
  return Buffer.concat([short, payload]);
}

interface Client {
  readonly socket: Socket;
  ended: boolean;
}

/** Opens a connection that answers pings, and messages named `ping` if it is asked to. */
async function open(url: string, path: string, token: string, answers: boolean): Promise<Client> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const client = { socket, ended: false };
  socket.on('error', () => undefined);
  socket.on('close', () => {
    client.ended = true;
  });
  const lines = Object.entries({
    ...{ Host: `${hostname}:${port}`, Upgrade: 'websocket', Connection: 'Upgrade' },
    ...{ 'Sec-WebSocket-Key': randomBytes(16).toString('base64'), 'Sec-WebSocket-Version': '13' },
    ...(path === '/graphql' ? { 'Sec-WebSocket-Protocol': 'graphql-transport-ws' } : {}),
    Authorization: `Bearer ${token}`,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const [head] = await once(socket, 'data');
  if (!String(head).includes(' 101 ')) throw new Error(String(head));
  socket.on('data', (data: Buffer) => {
    if (((data[0] ?? 0) & 15) === PING) socket.write(frame(PONG, Buffer.alloc(0)));
    if (answers && data.includes('"ping"')) {
      socket.write(frame(TEXT, Buffer.from('{"type":"pong"}')));
    }
  });
  return client;
}

const cluster = await startCluster(t, {
  env: {
    ...{ WEBSOCKETS_ENABLED: 'true', EDGE_MEMORY: '256mb', WEBSOCKETS_MAX_PER_USER: '400' },
    ...{ WEBSOCKETS_REST_AUTH: 'strict', WEBSOCKETS_GRAPHQL_AUTH: 'strict' },
    ...{ WEBSOCKETS_REST_CONN_LIMIT: '1000', WEBSOCKETS_GRAPHQL_CONN_LIMIT: '1000' },
    WEBSOCKETS_GRAPHQL_AUTH_TIMEOUT: '10m',
  },
});
const { url } = cluster;
const member = await createMember(cluster, []);
const [edge] = cluster.edges;
const resident = () => {
  const status = readFileSync(`/proc/${edge?.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_000);
};

for (const path of ['/graphql', '/websocket']) {
  for (const kind of ['within a frame', 'between frames']) {
    t.test(`${COUNT} messages ${kind} over ${path}`, async (t) => {
      const honest = await Promise.all(
        Array.from({ length: 5 }, () => open(url, path, ADMIN_TOKEN, true)),
      );
      const before = resident();
      const hostile = await Promise.all(
        Array.from({ length: COUNT }, () => open(url, path, member.token, false)),
      );
      let most = before;
      const watch = setInterval(() => {
        most = Math.max(most, resident());
      }, 100);
      const part = Buffer.alloc(BYTES, 'a');
      const half =
        kind === 'between frames'
          ? frame(TEXT, part, { final: false })
          : frame(TEXT, part, { announced: BYTES + 40_000 });
      for (const { socket } of hostile) socket.write(half);
      const start = performance.now();
      const left = () => hostile.filter(({ ended }) => !ended).length;
      // A quarter of the heap may be held.
      await until(() => left() <= 80, 'most are ended', WITHIN_MS);
      const ms = Math.round(performance.now() - start);
      await delay(3_000);
      clearInterval(watch);
      t.comment(`RSS ${before} MB, at most ${most} MB, then ${resident()} MB; ended in ${ms} ms`);
      t.comment(`${left()} of ${COUNT} are left`);
      t.notOk(
        honest.some(({ ended }) => ended),
        'others are connected',
      );
      t.equal((await cluster.fetch('/server/ping')).status, 200);
      for (const { socket } of [...hostile, ...honest]) socket.destroy();
    });
  }
}
