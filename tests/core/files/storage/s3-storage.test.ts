// @newest @rare @slow

import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import t from 'tap';
import { PartBuffers } from '#core/files/storage/part-buffers.ts';
import { S3Bucket, type S3Times } from '#core/files/storage/s3-bucket.ts';
import { openS3Storage } from '#core/files/storage/s3-storage.ts';
import type { Storage } from '#core/files/storage/storage.ts';
import { startProxy } from '#tests/harness/proxy.ts';
import { answerS3Error, startS3Server } from '#tests/harness/s3-server.ts';
import { startSwiftServer } from '#tests/harness/swift-server.ts';
import { until } from '#tests/harness/until.ts';
import { conform, most, PART, pieces } from './conformance.ts';

/** For a server that is half open. */
const QUICK: S3Times = { connect: 500, idle: 500, request: 5_000 };
const UNREACHABLE = { code: 'SERVICE_UNAVAILABLE', details: { service: 'storage' } };
const server = await startS3Server(t);
/** A file of two parts. */
const bytes = randomBytes(PART + 5);

interface Opened {
  readonly url?: string;
  readonly prefix?: string;
  readonly buffers?: PartBuffers;
  readonly leftAfter?: number;
  readonly times?: S3Times;
}

let folders = 0;
/** A storage of its own in the bucket. */
function open({ url = server.url, prefix, buffers, leftAfter, times }: Opened = {}) {
  folders += 1;
  const bucket = new S3Bucket(
    {
      ...{ bucket: server.bucket, prefix: prefix ?? `test-${folders}/` },
      ...{ region: 'us-east-1', endpoint: url, forcePathStyle: true },
      credentials: { key: 'S3RVER', secret: 'S3RVER' },
    },
    times,
  );
  t.teardown(() => bucket.close());
  return openS3Storage({
    bucket,
    buffers: buffers ?? new PartBuffers({ size: PART, max: 4, wait: 30_000 }),
    ...(leftAfter === undefined ? {} : { leftAfter }),
  });
}

t.afterEach(() => {
  server.fault = () => false;
});

t.test('it does what every storage does', async (t) => {
  await conform(t, open());
  t.strictSame(server.unfinished(), []);
});

const swift = await startSwiftServer(t);
if (swift === null) {
  t.comment('Swift is not installed here');
} else {
  const opened = (secret: string) => {
    const bucket = new S3Bucket({
      ...{ bucket: swift.bucket, prefix: 'test/', region: 'us-east-1' },
      ...{ endpoint: swift.url, forcePathStyle: true },
      credentials: { key: swift.credentials.key, secret },
    });
    t.teardown(() => bucket.close());
    return openS3Storage({
      bucket,
      buffers: new PartBuffers({ size: PART, max: 4, wait: 30_000 }),
    });
  };

  t.test('Swift is such a storage', async (t) => {
    await conform(t, opened(swift.credentials.secret));
  });

  t.test('Swift refuses a wrong secret', async (t) => {
    const storage = opened('wrong');
    await t.rejects(storage.check(), UNREACHABLE);
    await t.rejects(storage.write(randomUUID(), pieces(bytes), most(bytes.length)), UNREACHABLE);
  });
}

t.test('its identity is that of the bucket, whoever asks', async (t) => {
  const [one, same, other] = [
    open({ prefix: 'a/' }),
    open({ prefix: 'a/' }),
    open({ prefix: 'b/' }),
  ];
  t.equal(await one.identity(), await same.identity());
  t.not(await one.identity(), await other.identity());
});

/** Begins a file that does not go on before `stuck` is resolved. */
async function writeOnePart(storage: Storage) {
  const stuck = Promise.withResolvers<void>();
  const id = randomUUID();
  async function* slow() {
    yield randomBytes(PART + 1);
    await stuck.promise;
  }
  let answered = 0;
  server.fault = ({ method }, response) => {
    if (method === 'PUT') response.once('finish', () => (answered += 1));
    return false;
  };
  const writing = storage.write(id, slow(), undefined);
  // The server must not be writing to what is removed.
  await until(() => answered === 1 && server.unfinished().length === 1, 'a part is there');
  return { id, writing, stuck };
}

t.test('what dead processes leave is swept by its age', async (t) => {
  const storage = open();
  const { id, writing, stuck } = await writeOnePart(storage);
  t.equal((await storage.list())[0]?.id, id);
  t.equal(await storage.sweep(), 0, 'this one is new');
  const later = open({ prefix: `test-${folders}/`, leftAfter: -60_000 });
  t.equal(await later.sweep(), 1);
  t.strictSame(server.unfinished(), []);
  server.fault = (_, response) => answerS3Error(response, 404, 'NoSuchUpload');
  stuck.resolve();
  await t.rejects(writing, UNREACHABLE);
});

t.test('an unfinished file is removed by its name', async (t) => {
  const storage = open();
  const { id, writing, stuck } = await writeOnePart(storage);
  await storage.remove(id);
  t.strictSame(server.unfinished(), []);
  server.fault = (_, response) => answerS3Error(response, 404, 'NoSuchUpload');
  stuck.resolve();
  await t.rejects(writing, UNREACHABLE);
});

t.test('who was cut off and writes late changes nothing for who has gone on', async (t) => {
  const storage = open();
  const id = randomUUID();
  const content = randomBytes(PART + 2_000);
  const add = async (state: string | null, from: number, to: number) =>
    await storage.append(id, state, { offset: from, content: content.subarray(from, to) });
  const first = await add(null, 0, 1_000);
  const second = await add(first, 1_000, PART + 500);
  const third = await add(second, PART + 500, PART + 1_000);
  const late = storage.append(id, first, { offset: 1_000, content: randomBytes(10) });
  await t.rejects(late, UNREACHABLE, 'what nobody needs any more is gone');
  await storage.append(id, second, { offset: PART + 500, content: randomBytes(700) });
  const last = await add(third, PART + 1_000, PART + 2_000);
  await storage.finish(id, last, content.length);
  t.ok((await buffer(storage.read(id))).equals(content));
  t.strictSame(
    (await storage.list()).map((file) => file.id),
    [id],
    'and nothing else is left',
  );
});

t.test('a late part of a process that was cut off is no part of the file', async (t) => {
  const storage = open();
  const id = randomUUID();
  const content = randomBytes(3 * PART);
  const add = async (state: string | null, from: number, to: number) =>
    await storage.append(id, state, { offset: from, content: content.subarray(from, to) });
  const first = await add(null, 0, PART);
  const taken = storage.takenOver(first);
  const second = await add(taken, PART, 2 * PART + 700);
  await add(first, PART, 2 * PART);
  const last = await add(second, 2 * PART + 700, 3 * PART);
  await storage.finish(id, last, content.length);
  t.ok((await buffer(storage.read(id))).equals(content));
});

t.test('many uploads share the memory of few parts', async (t) => {
  const buffers = new PartBuffers({ size: PART, max: 3, wait: 30_000 });
  const storage = open({ buffers });
  const gate = Promise.withResolvers<void>();
  let requests = 0;
  server.fault = (request, response) => {
    if (request.method !== 'PUT') return false;
    requests += 1;
    gate.promise.then(() => {
      server.fault = () => false;
      answerS3Error(response, 503, 'SlowDown');
    });
    return true;
  };
  let taken = 0;
  const piece = randomBytes(PART / 5);
  async function* counted() {
    for (let n = 0; n < 6; n += 1) {
      taken += piece.length;
      yield piece;
    }
  }
  const ids = Array.from({ length: 20 }, () => randomUUID());
  const writing = Promise.all(ids.map((id) => storage.write(id, counted(), undefined)));
  await until(() => requests >= 3, 'parts are under way');
  const bound = 3 * PART + ids.length * piece.length;
  t.ok(taken <= bound, `${taken} bytes are taken, and at most ${bound}`);
  gate.resolve();
  await writing;
  t.equal(taken, 20 * 6 * piece.length);
  for (const id of ids) t.equal(await storage.size(id), 6 * piece.length);
});

t.test('who gets no memory in time is asked to come again', async (t) => {
  const buffers = new PartBuffers({ size: PART, max: 1, wait: 50 });
  const storage = open({ buffers });
  const held = await buffers.acquire();
  const writing = storage.write(randomUUID(), pieces(randomBytes(10)), undefined);
  await t.rejects(writing, UNREACHABLE);
  held.release();
  await storage.write(randomUUID(), pieces(randomBytes(10)), undefined);
});

t.test('a client that sends too slowly gives its memory to the next', async (t) => {
  const buffers = new PartBuffers({ size: PART, max: 1, wait: 2_000 });
  const storage = open({ buffers });
  const others: Promise<unknown>[] = [];
  async function* slow() {
    yield randomBytes(1);
    others.push(storage.write(randomUUID(), pieces(randomBytes(10)), undefined));
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      yield randomBytes(1);
    }
  }
  await t.rejects(storage.write(randomUUID(), slow(), undefined), UNREACHABLE);
  await Promise.all(others);
});

t.test('a server that is busy for a moment is asked again', async (t) => {
  const storage = open();
  const id = randomUUID();
  const content = randomBytes(PART + 5);
  const seen = new Set<string>();
  server.fault = (request, response) => {
    const what = `${request.method} ${request.url}`;
    if (seen.has(what)) return false;
    seen.add(what);
    return answerS3Error(response, 503, 'SlowDown');
  };
  await storage.write(id, pieces(content), undefined);
  t.equal(await storage.size(id), content.length);
  t.ok(content.equals(await buffer(storage.read(id))));
  await storage.remove(id);
  t.strictSame(await storage.list(), []);
  t.ok(seen.size >= 7);
});

t.test('a server that only refuses is an outage', async (t) => {
  const storage = open();
  for (const [status, code] of [
    [500, 'InternalError'],
    [403, 'InvalidAccessKeyId'],
    [404, 'NoSuchBucket'],
  ] as const) {
    server.fault = (_, response) => answerS3Error(response, status, code);
    await Promise.all([
      t.rejects(storage.check(), UNREACHABLE, code),
      t.rejects(storage.list(), UNREACHABLE, code),
      t.rejects(storage.remove(randomUUID()), UNREACHABLE, code),
      t.rejects(storage.write(randomUUID(), pieces(bytes), undefined), UNREACHABLE, code),
      t.rejects(buffer(storage.read(randomUUID())), UNREACHABLE, code),
    ]);
  }
});

t.test('a full server is an outage that says so', async (t) => {
  const storage = open();
  server.fault = (request, response) =>
    request.method === 'PUT' && answerS3Error(response, 507, 'InsufficientStorage');
  const writing = storage.write(randomUUID(), pieces(randomBytes(PART + 1)), undefined);
  await t.rejects(writing, { ...UNREACHABLE, message: /no space/ });
  t.strictSame(server.unfinished(), []);
});

t.test('a server that stores other bytes than it was sent is found out', async (t) => {
  const storage = open();
  server.fault = (request, response) => {
    if (request.method !== 'HEAD') return false;
    response.writeHead(200, { 'Content-Length': '7' }).end();
    return true;
  };
  const writing = storage.write(randomUUID(), pieces(randomBytes(10)), most(10));
  await t.rejects(writing, { ...UNREACHABLE, message: /7 bytes of a file of 10/ });
  server.fault = () => false;
  t.strictSame(await storage.list(), []);
});

t.test('a read that breaks off continues, and one that lies fails', async (t) => {
  const storage = open();
  const id = randomUUID();
  const content = randomBytes(PART + 5);
  await storage.write(id, pieces(content), undefined);
  let gets = 0;
  const cutting = (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== 'GET') return false;
    gets += 1;
    if (gets > 1) return false;
    response.writeHead(200, { 'Content-Length': String(content.length) });
    response.write(content.subarray(0, 100_000), () => response.destroy());
    return true;
  };
  server.fault = cutting;
  t.ok(content.equals(await buffer(storage.read(id))));
  t.equal(gets, 2);
  server.fault = (request, response) => {
    if (request.method !== 'GET') return false;
    response.writeHead(206, { 'Content-Length': '3', 'Content-Range': 'bytes 0-2/10' });
    response.end('abc');
    return true;
  };
  await t.rejects(buffer(storage.read(id, { start: 1, end: 3 })), UNREACHABLE);
});

t.test('a server that is away, or half open, is an outage within its time', async (t) => {
  const proxy = await startProxy(t, server.url);
  const storage = open({ url: proxy.url, times: QUICK });
  const id = randomUUID();
  await storage.write(id, pieces(randomBytes(PART + 1)), undefined);
  proxy.refuse();
  await t.rejects(storage.size(id), UNREACHABLE, 'cut');
  await proxy.down();
  await t.rejects(storage.check(), UNREACHABLE, 'refused');
  await proxy.up();
  t.equal(await storage.size(id), PART + 1, 'it is back');
  proxy.freeze();
  proxy.freezeNew(true);
  await t.rejects(storage.check(), UNREACHABLE, 'half open');
  const writing = storage.write(randomUUID(), pieces(randomBytes(PART + 1)), undefined);
  await t.rejects(writing, UNREACHABLE, 'half open');
  await t.rejects(buffer(storage.read(id)), UNREACHABLE, 'half open');
  proxy.freezeNew(false);
  t.equal(await storage.size(id), PART + 1, 'it answers again');
});
