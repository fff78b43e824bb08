/**
 * Subscriptions under load: how long after the commit an event reaches a subscriber of another edge,
 * whether each of a hundred is told of every one, what idle subscribers cost, and what others notice of
 * a user with thousands of questions.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { createMember } from '#tests/harness/member.ts';
import { openSocket } from '#tests/harness/socket.ts';
import { until } from '#tests/harness/until.ts';
import { percentile, startSteadyReads } from './fixture/steady-reads.ts';

/** Milliseconds after the answer to the write, which comes after its commit. */
const HEARD_WITHIN = 20;
const SUBSCRIBERS = 100;
const RATE = 200;
const SECONDS = 10;
const IDLE = 5_000;
const GREEDY_SOCKETS = 60;
const QUESTIONS = 100;
/** Milliseconds at most, for 99 of 100 events and reads of others beside a greedy user. */
const BESIDE_GREEDY = 100;
const IDLE_BYTES = 200 * 1024 ** 2;

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

/** Resident memory of a process in bytes. */
function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

for (const backend of backends) {
  t.test(`live on ${backend.name}`, async (t) => {
    const cluster = await startCluster(t, {
      edges: 2,
      env: {
        WEBSOCKETS_ENABLED: 'true',
        WEBSOCKETS_HEARTBEAT_ENABLED: 'false',
        // One user has as many as a quota keeps from users elsewhere.
        WEBSOCKETS_MAX_PER_USER: '10000',
        WEBSOCKETS_MAX_SUBSCRIPTIONS_PER_USER: '10000',
        WEBSOCKETS_REST_CONN_LIMIT: '20000',
        ...backend.env,
      },
    });
    const { db, urls } = cluster;
    await db.query('CREATE TABLE note (id serial PRIMARY KEY, title text, n int)');
    await cluster.served('/items/note');
    const member = await createMember(cluster, [
      {
        ...{ action: 'read', collection: 'note', fields: ['id', 'n'] },
        permissions: { n: { _gte: 0 } },
      },
    ]);
    const open = async (token: string, fields: readonly string[]) => {
      const socket = await openSocket(`${urls[0]}/websocket`, [], token);
      socket.send({ type: 'subscribe', collection: 'note', event: 'create', query: { fields } });
      await socket.next();
      return socket;
    };
    const create = (n: number) =>
      fetch(`${urls[1]}/items/note?fields=id`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ n, title: 'x' }),
      });

    await t.test('an event reaches another edge', async (t) => {
      const socket = await open(ADMIN_TOKEN, ['id']);
      const times: number[] = [];
      for (let n = 0; n < 200; n += 1) {
        await create(n);
        const committed = performance.now();
        while (socket.heard.length === 0) await delay(1);
        times.push(performance.now() - committed);
        socket.heard.length = 0;
      }
      const [half, most] = [median(times), Math.max(...times)];
      t.comment(`heard ${half.toFixed(1)} ms after the answer, at most ${most.toFixed(1)} ms`);
      t.ok(half < HEARD_WITHIN);
      socket.close();
    });

    await t.test('each of many is told of every one', async (t) => {
      const sockets = await Promise.all(
        Array.from({ length: SUBSCRIBERS }, (_, index) =>
          index % 2 === 0 ? open(ADMIN_TOKEN, ['id', 'title']) : open(member.token, ['id']),
        ),
      );
      const total = RATE * SECONDS;
      const started = performance.now();
      const sent: Promise<unknown>[] = [];
      for (let n = 0; n < total; n += 1) {
        sent.push(create(n));
        const ahead = started + (n * 1_000) / RATE - performance.now();
        if (ahead > 0) await delay(ahead);
      }
      await Promise.all(sent);
      const written = performance.now();
      const heardBy = (index: number) =>
        sockets[index]?.heard.flatMap(({ data }) => data).length ?? 0;
      await until(() => sockets.every((_, index) => heardBy(index) >= total), 'all events', 60_000);
      const late = performance.now() - written;
      const rate = total / ((written - started) / 1_000);
      t.comment(
        `${rate.toFixed(0)} events a second, the last one heard ${late.toFixed(0)} ms later`,
      );
      for (const socket of sockets) {
        const ids = socket.heard.flatMap(({ data }) => data).map(({ id }) => id);
        t.equal(new Set(ids).size, total);
        t.equal(ids.length, total, 'none twice');
        socket.close();
      }
      t.ok(rate > RATE * 0.9, 'the writers kept the pace');
    });

    await t.test('idle subscribers', async (t) => {
      const [edge] = cluster.edges;
      const pid = edge?.pid ?? 0;
      const before = memoryOf(pid);
      const sockets: Socket[] = [];
      const { hostname, port } = new URL(urls[0] ?? '');
      const message = JSON.stringify({
        ...{ type: 'subscribe', collection: 'note', event: 'create', query: { fields: ['id'] } },
      });
      const payload = Buffer.from(message);
      // The mask is of zeros.
      const frame = Buffer.concat([
        Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]),
        payload,
      ]);
      for (let count = 0; count < IDLE; count += 1) {
        const socket = connect(Number(port), hostname);
        socket.write(
          `GET /websocket HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\n\r\n`,
        );
        await once(socket, 'data');
        socket.write(frame);
        await once(socket, 'data');
        socket.resume();
        sockets.push(socket);
      }
      const grown = memoryOf(pid) - before;
      t.comment(`${IDLE} subscribers: ${(grown / 1024 ** 2).toFixed(0)} MiB`);
      t.ok(grown < IDLE_BYTES);
      let heard = 0;
      for (const socket of sockets)
        socket.once('data', () => {
          heard += 1;
        });
      await create(1);
      await until(() => heard === IDLE, 'all of them hear of one');
      for (const socket of sockets) socket.destroy();
    });

    await t.test('a user with thousands of questions', async (t) => {
      const quiet = await createMember(cluster, [{ action: 'read', collection: 'note' }]);
      const greedy = await createMember(cluster, [{ action: 'read', collection: 'note' }]);
      const listener = await open(quiet.token, ['id', 'n']);
      t.teardown(() => listener.close());
      /** Writes at a steady rate; how long after the answer each one is heard of (ms), and reads. */
      const measure = async () => {
        listener.heard.length = 0;
        const [url = ''] = urls;
        const pathOf = (n: number) => `/items/note?limit=5&offset=${n % 10}&fields=id,title`;
        const reads = startSteadyReads({ url, token: quiet.token, rate: 50, pathOf });
        const times: number[] = [];
        for (let n = 0; n < 100; n += 1) {
          await create(n);
          const committed = performance.now();
          while (!listener.heard.some(({ data }) => data.some((one: { n: number }) => one.n === n)))
            await delay(1);
          times.push(performance.now() - committed);
          listener.heard.length = 0;
          await delay(30);
        }
        return { times, reads: await reads.stop() };
      };
      const alone = await measure();
      const sockets = await Promise.all(
        Array.from({ length: GREEDY_SOCKETS }, async (_, number) => {
          const socket = await openSocket(`${urls[0]}/websocket`, [], greedy.token);
          t.teardown(() => socket.close());
          for (let uid = 0; uid < QUESTIONS; uid += 1) {
            // Another shape each: as many conditions as its number in the binary system has digits.
            const place = number * QUESTIONS + uid;
            const conditions = place.toString(2).split('');
            const filter = {
              _and: conditions.map((digit) => ({ n: digit === '1' ? { _gte: 0 } : { _lt: 1e9 } })),
            };
            const query = { fields: ['id'], filter };
            socket.send({ type: 'subscribe', collection: 'note', event: 'create', query, uid });
          }
          await until(() => socket.heard.length >= QUESTIONS, 'all subscriptions', 120_000);
          t.ok(socket.heard.every(({ event }) => event === 'init'));
          return socket;
        }),
      );
      const beside = await measure();
      const shown = (times: readonly number[]) =>
        `${median(times).toFixed(1)} ms, p99 ${percentile(times, 99).toFixed(1)} ms`;
      t.comment(`heard: alone ${shown(alone.times)}; beside ${shown(beside.times)}`);
      t.comment(`read: alone ${shown(alone.reads)}; beside ${shown(beside.reads)}`);
      for (const kind of ['times', 'reads'] as const) {
        const most = Math.max(BESIDE_GREEDY, 3 * percentile(alone[kind], 99));
        t.ok(percentile(beside[kind], 99) <= most, kind);
      }
      const closed = await Promise.race([...sockets.map((one) => one.closed), delay(0)]);
      t.comment(closed === undefined ? 'the greedy user kept up' : 'the greedy user begins again');
    });
  });
}
