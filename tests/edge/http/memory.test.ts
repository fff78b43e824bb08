// @newest

import { openAsBlob, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { exchange, open, request } from './fixture/client.ts';
import { startServer } from './fixture/process.ts';

const MEGABYTE = 1_048_576;

t.test('a slow reader of a large stream does not fill the memory', async (t) => {
  const server = await startServer(t);
  await exchange(server.port, request('GET /stream/10'));
  const before = server.memory();
  const socket = await open(server.port);
  socket.write(request('GET /stream/100'));
  let received = 0;
  let peak = 0;
  for await (const chunk of socket) {
    const passed = Math.floor(received / MEGABYTE);
    received += chunk.length;
    if (passed === Math.floor(received / MEGABYTE)) continue;
    // Others are served meanwhile, so that the stream had its time to run ahead.
    t.match(await exchange(server.port, request('GET /hello')), /"hello"/);
    peak = Math.max(peak, server.memory());
  }
  t.ok(received > 100 * MEGABYTE);
  t.ok(peak - before < 48 * MEGABYTE, `grew by ${(peak - before) / MEGABYTE} MB`);
});

t.test('a slow consumer of a large upload does not fill the memory', async (t) => {
  const server = await startServer(t);
  const upload = async (megabytes: number) => {
    const path = join(t.testdir(), 'upload');
    writeFileSync(path, '');
    truncateSync(path, megabytes * MEGABYTE);
    const answer = await fetch(`http://127.0.0.1:${server.port}/upload/slow`, {
      method: 'POST',
      body: await openAsBlob(path),
    });
    t.strictSame(await answer.json(), { data: megabytes * MEGABYTE });
  };
  await upload(10);
  const before = server.memory();
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, server.memory());
  }, 5);
  await upload(200);
  clearInterval(watch);
  t.ok(peak - before < 64 * MEGABYTE, `grew by ${(peak - before) / MEGABYTE} MB`);
});
