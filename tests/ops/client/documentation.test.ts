// @newest @slow
/**
 * Every example of the pages about the client is checked by the compiler, and run in the order of its
 * page against a real server.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import ts from 'typescript';
import { hashPassword } from '#core/accounts/identity/password.ts';
import { QUICK_HASH, QUICK_LOGIN } from '#tests/edge/rest/fixture/sign-in.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { startMailServer } from '#tests/harness/mail-server.ts';
import { until } from '#tests/harness/until.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PAGES = join(ROOT, 'ops/docs/client');
const SOURCE = join(ROOT, 'ops/client/source/index.ts');
/** What the pages do not show again: the client of the page before. */
const PRELUDE = `import { createClient } from '@sluice/client';
const client = createClient('http://127.0.0.1:8055', { token: 'a static token' });`;

const pages = [
  ...readdirSync(PAGES).map((name) => join(PAGES, name)),
  join(ROOT, 'ops/client/README.md'),
];

const mails = await startMailServer(t);
const cluster = await startCluster(t, {
  workers: 1,
  env: {
    ...QUICK_LOGIN,
    WEBSOCKETS_ENABLED: 'true',
    EMAIL_TRANSPORT: 'smtp',
    EMAIL_SMTP_HOST: '127.0.0.1',
    EMAIL_SMTP_PORT: String(mails.port),
    EMAIL_FROM: 'sluice@example.com',
    USER_INVITE_URL_ALLOW_LIST: 'https://app.example.com/page',
    PASSWORD_RESET_URL_ALLOW_LIST: 'https://app.example.com/page',
  },
});

/** The schema of the examples, with an item in each collection. */
const SCHEMA = `
  DROP TABLE IF EXISTS comments, articles, authors;
  CREATE TABLE authors (id serial PRIMARY KEY, name text);
  CREATE TABLE articles (
    id serial PRIMARY KEY, title text, status text DEFAULT 'draft', slug text UNIQUE,
    author int REFERENCES authors
  );
  CREATE TABLE comments (
    id serial PRIMARY KEY, body text, article int REFERENCES articles ON DELETE CASCADE
  );
  INSERT INTO authors (name) VALUES ('Ada');
  INSERT INTO articles (title, status, author) VALUES ('First', 'published', 1);
  INSERT INTO comments (body, article) VALUES ('Well said', 1);`;

/** The examples of a page, with its imports before them. */
function moduleOf(page: string): string {
  const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  if (blocks.length === 0) return '';
  const own = blocks.join('\n').includes('const client = createClient');
  const lines = [...(own ? [] : [PRELUDE]), ...blocks].join('\n').split('\n');
  const isImport = (line: string) => line.startsWith('import ');
  return [
    ...new Set(lines.filter(isImport)),
    ...lines.filter((line) => !isImport(line)),
    'export {};',
  ]
    .join('\n')
    .replaceAll("'@sluice/client'", `'${SOURCE}'`)
    .replaceAll('http://127.0.0.1:8055', cluster.url)
    .replaceAll('a static token', ADMIN_TOKEN);
}

const folder = mkdtempSync(join(tmpdir(), 'sluice-pages-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
const modules = pages
  .map((path) => {
    const name = path.slice(ROOT.length + 1).replace(/[^a-z-]+/gi, '-');
    const code = moduleOf(readFileSync(path, 'utf8'));
    const file = join(folder, `${name}.ts`);
    if (code !== '') writeFileSync(file, code);
    return { name, file, code };
  })
  .filter(({ code }) => code !== '');

const password = await hashPassword(QUICK_HASH, 'a long password');

t.test('the compiler finds nothing in the examples', async (t) => {
  const { config } = ts.readConfigFile(join(ROOT, 'ops/client/tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, join(ROOT, 'ops/client'));
  const program = ts.createProgram(
    modules.map(({ file }) => file),
    { ...options, noUnusedLocals: false, rewriteRelativeImportExtensions: false, types: [] },
  );
  const found = ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const { line } = file?.getLineAndCharacterOfPosition(start) ?? { line: 0 };
    const text = file?.text.split('\n')[line] ?? '';
    return `${file?.fileName}: ${text}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
  t.strictSame(found, []);
});

const log = console.log;
t.teardown(() => {
  console.log = log;
});
for (const { name, file } of modules) {
  t.test(`the examples of ${name} run`, async (t) => {
    await cluster.db.query(SCHEMA);
    await cluster.db.query(
      `INSERT INTO system_users (id, email, password, role)
       SELECT gen_random_uuid(), 'ada@example.com', $1, min(id::text)::uuid FROM system_roles
       ON CONFLICT DO NOTHING`,
      [password],
    );
    const served = ['authors', 'articles', 'comments'].map((collection) =>
      until(async () => (await cluster.fetch(`/items/${collection}?limit=1`)).ok, 'it is served'),
    );
    await Promise.all(served);
    const fields = async () => (await cluster.fetch('/items/articles?fields=comments.id')).ok;
    await until(fields, 'its relations are known');
    console.log = () => undefined;
    await t.resolves(import(pathToFileURL(file).href));
    console.log = log;
  });
}
