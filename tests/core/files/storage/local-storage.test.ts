// @newest

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import t from 'tap';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { processIdentity } from '#core/base/process/process-id.ts';
import { localStorage } from '#core/files/storage/local-storage.ts';
import { conform, most, pieces } from './conformance.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-spool-'));
t.teardown(() => rmSync(root, { recursive: true }));

t.test('it does what every storage does', (t) => conform(t, localStorage(join(root, 'all'))));

t.test('what was written is read again, with its size and digest', async (t) => {
  const folder = join(root, 'a', 'b');
  const spool = localStorage(folder);
  const content = randomBytes(700_001);
  const id = randomUUID();
  t.strictSame(await spool.list(), [], 'a folder that is not there yet is empty');
  const spooled = await spool.write(id, pieces(content, 1_000), undefined);
  t.strictSame(spooled, {
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  });
  t.equal(await spool.size(id), content.length);
  t.ok(content.equals(await buffer(spool.read(id))));
  const [entry] = await spool.list();
  t.equal(entry?.id, id);
  t.type(entry?.modified, Date);
  await spool.remove(id);
  await spool.remove(id);
  t.strictSame(readdirSync(folder), []);
  await t.rejects(spool.size(id), { code: 'SERVICE_UNAVAILABLE' });
  const [failure] = await once(spool.read(id), 'error');
  t.match(failure, { code: 'ENOENT' });
});

t.test('folders have identities of their own, which all processes agree on', async (t) => {
  const [one, other] = [join(root, 'identity', 'one'), join(root, 'identity', 'other')];
  const found = await Promise.all(Array.from({ length: 8 }, () => localStorage(one).identity()));
  t.equal(new Set(found).size, 1);
  t.match(found[0], /^[0-9a-f-]{36}$/);
  t.not(await localStorage(other).identity(), found[0]);
  t.strictSame(await localStorage(one).list(), []);
  t.strictSame(readdirSync(one), ['storage-id']);
  const file = join(root, 'no-folder');
  writeFileSync(file, '');
  await t.rejects(localStorage(file).identity(), { code: 'SERVICE_UNAVAILABLE' });
});

t.test('an upload over the limit is refused and leaves nothing', async (t) => {
  const folder = join(root, 'limit');
  const spool = localStorage(folder);
  const id = randomUUID();
  await spool.write(id, pieces(Buffer.alloc(100), 7), most(100));
  await spool.remove(id);
  const failure = await spool
    .write(id, pieces(Buffer.alloc(101), 7), most(100))
    .catch((error) => error);
  t.ok(failure instanceof ServiceError);
  t.match(failure, {
    code: 'CONTENT_TOO_LARGE',
    details: { limit: 100, variable: 'IMPORT_MAX_SIZE' },
  });
  t.strictSame(readdirSync(folder), []);
});

t.test('an upload that breaks off leaves nothing', async (t) => {
  const folder = join(root, 'broken');
  const spool = localStorage(folder);
  async function* broken() {
    yield Buffer.alloc(400_000);
    t.equal((await spool.list()).length, 1, 'an unfinished upload is listed');
    throw new Error('gone');
  }
  await t.rejects(spool.write(randomUUID(), broken(), undefined), { message: 'gone' });
  t.strictSame(readdirSync(folder), []);
});

t.test('a full disk is a storage failure', async (t) => {
  const spool = localStorage(join(root, 'full'));
  async function* full() {
    yield Buffer.alloc(10);
    throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
  }
  await t.rejects(spool.write(randomUUID(), full(), undefined), {
    code: 'SERVICE_UNAVAILABLE',
    details: { service: 'storage' },
  });
});

t.test('what processes left unfinished goes when they have ended', async (t) => {
  const folder = mkdtempSync(join(root, 'left-'));
  const spool = localStorage(folder);
  const own = processIdentity();
  const [machine = '', pid = '', start = ''] = own.split('-');
  const names = {
    own: `${randomUUID()}.${own}.part`,
    earlier: `${randomUUID()}.${machine}-${pid}-${Number(start) - 1}.part`,
    gone: `${randomUUID()}.${machine}-4194305-7.part`,
    elsewhere: `${randomUUID()}.000000000000-${pid}-1.part`,
    whole: randomUUID(),
  };
  for (const name of Object.values(names)) writeFileSync(join(folder, name), 'x');
  t.equal((await spool.list()).length, 5);
  t.equal(await spool.sweep(), 2);
  t.strictSame(readdirSync(folder).sort(), [names.own, names.elsewhere, names.whole].sort());
  await spool.remove(names.own.slice(0, 36));
  t.notOk(readdirSync(folder).includes(names.own));
});

t.test('a folder that cannot be written to is an outage of the storage', async (t) => {
  const file = join(root, 'file');
  writeFileSync(file, '');
  const upload = localStorage(join(file, 'spool')).write(
    randomUUID(),
    pieces(Buffer.from('x'), 1),
    most(10),
  );
  await t.rejects(upload, { code: 'SERVICE_UNAVAILABLE', details: { service: 'storage' } });
});
