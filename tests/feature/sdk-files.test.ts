// @newest
/** A client of this kind of API stores, reads, describes and deletes files, and has images made smaller. */
import { createServer } from 'node:http';
import {
  createDirectus,
  createFolder,
  deleteFile,
  deleteFiles,
  deleteFolders,
  downloadFilesZip,
  downloadFolderZip,
  importFile,
  readAssetArrayBuffer,
  readAssetBlob,
  readAssetRaw,
  readFile,
  readFiles,
  readFolder,
  readFolders,
  rest,
  staticToken,
  updateFile,
  updateFiles,
  updateFilesBatch,
  updateFolder,
  uploadFiles,
} from '@directus/sdk';
import sharp from 'sharp';
import t from 'tap';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { warmUpImages } from '#tests/harness/measured.ts';

function formOf(parts: readonly (readonly [string, string | File])[]): FormData {
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value);
  return form;
}

t.test('files with the SDK', async (t) => {
  const cluster = await startCluster(t, {
    edges: 2,
    workers: 1,
    env: { IMPORT_IP_ALLOW_LIST: '127.0.0.1' },
  });
  const client = createDirectus(cluster.url).with(staticToken(ADMIN_TOKEN)).with(rest());
  const picture = await sharp({
    create: { width: 300, height: 200, channels: 3, background: '#0a0' },
  })
    .png()
    .toBuffer();
  const content = new Uint8Array(picture);

  await warmUpImages(cluster);
  t.test('upload, read, describe', async (t) => {
    const folder = await client.request(createFolder({ name: 'pictures' }));
    const form = formOf([
      ['folder', folder.id],
      ['title', 'A field'],
      ['file', new File([content], 'field.png', { type: 'image/png' })],
    ]);
    const stored = await client.request(uploadFiles(form));
    t.match(stored, {
      ...{ title: 'A field', type: 'image/png', width: 300, height: 200 },
      ...{ folder: folder.id, filename_download: 'field.png', filesize: String(content.length) },
    });
    const { id } = stored;
    t.match(await client.request(readFile(id, { fields: ['title'] })), { title: 'A field' });
    const filter = { filter: { folder: { _eq: folder.id } }, fields: ['id'] };
    t.strictSame(await client.request(readFiles(filter)), [{ id }]);
    const told = { description: 'green', tags: ['a', 'b'] };
    t.match(await client.request(updateFile(id, told)), told);

    t.strictSame(new Uint8Array(await client.request(readAssetArrayBuffer(id))), content);
    const blob = await client.request(readAssetBlob(id));
    t.equal(blob.size, content.length);
    const raw = await client.request(readAssetRaw(id));
    t.strictSame(new Uint8Array(await new Response(raw).arrayBuffer()), content);
    const small = await client.request(
      readAssetArrayBuffer(id, { width: 30, format: 'webp', transforms: [['blur', 2]] }),
    );
    t.match(await sharp(small).metadata(), { width: 30, height: 20, format: 'webp' });
    const preset = await client.request(readAssetBlob(id, { key: 'system-small-cover' }));
    t.match(await sharp(await preset.arrayBuffer()).metadata(), { width: 64, height: 64 });

    const zip = await client.request(downloadFilesZip([id]));
    t.equal((await new Response(zip).text()).slice(0, 2), 'PK');
    const all = await client.request(downloadFolderZip(folder.id));
    t.equal((await new Response(all).text()).slice(0, 2), 'PK');
  });

  t.test('several files at once, replaced and deleted', async (t) => {
    const form = formOf([
      ['title', 'one'],
      ['file', new File(['1'], '1.txt', { type: 'text/plain' })],
      ['title', 'two'],
      ['file', new File(['2'], '2.txt', { type: 'text/plain' })],
    ]);
    // Its type knows one file.
    const stored: unknown = await client.request(uploadFiles(form));
    t.match(stored, [{ title: 'one' }, { title: 'two' }]);
    const listed = await client.request(
      readFiles({ filter: { title: { _in: ['one', 'two'] } }, sort: ['title'] }),
    );
    const ids = listed.map(({ id }) => id);
    const [first = ''] = ids;
    const other = formOf([['file', new File(['%PDF-1.4'], 'o.pdf', { type: 'application/pdf' })]]);
    t.match(await client.request(updateFile(first, other)), { id: first, filesize: '8' });
    t.equal(await (await client.request(readAssetBlob(first))).text(), '%PDF-1.4');
    await client.request(updateFiles(ids, { description: 'both' }));
    await client.request(updateFilesBatch(ids.map((id) => ({ id, title: `file ${id}` }))));
    const described = await client.request(
      readFiles({ filter: { description: { _eq: 'both' } }, fields: ['id', 'title'] }),
    );
    t.same(new Set(described.map(({ title }) => title)), new Set(ids.map((id) => `file ${id}`)));
    await client.request(deleteFile(first));
    await client.request(deleteFiles(ids.slice(1)));
    const denied = { errors: [{ extensions: { code: 'FORBIDDEN' } }] };
    await t.rejects(client.request(readFile(first)), denied);
    await t.rejects(client.request(readAssetBlob(first)), denied);
  });

  t.test('by URL', async (t) => {
    const server = createServer((_, answer) => {
      answer.writeHead(200, { 'Content-Type': 'image/png' }).end(picture);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => server.close());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const stored = await client.request(
      importFile(`http://127.0.0.1:${port}/a.png`, { title: 'imported' }),
    );
    t.match(stored, { title: 'imported', type: 'image/png', width: 300 });
  });

  t.test('folders', async (t) => {
    const top = await client.request(createFolder({ name: 'top' }));
    const below = await client.request(createFolder({ name: 'below', parent: top.id }));
    t.match(await client.request(readFolder(below.id)), { name: 'below', parent: top.id });
    await client.request(updateFolder(below.id, { name: 'lower' }));
    const filter = { filter: { parent: { _eq: top.id } }, fields: ['name'] };
    t.strictSame(await client.request(readFolders(filter)), [{ name: 'lower' }]);
    await client.request(deleteFolders([below.id]));
    await client.request(deleteFolders([top.id]));
  });
});
