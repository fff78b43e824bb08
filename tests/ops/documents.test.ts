// @newest @quick

// What the documents name is there: scripts, long tests, files of the source, packages, other documents.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import t from 'tap';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const { scripts, dependencies } = JSON.parse(read('package.json'));

const DECISIONS = globSync('ops/docs/decisions/[0-9]*.md', { cwd: ROOT }).sort();
/** READMEs that are no pages of the documentation, whose links `tests/ops/docs/site/site.test.ts` follows. */
const READMES = globSync(['{core,ops,tests}/*/README.md'], { cwd: ROOT }).filter(
  (path) => !path.startsWith('ops/docs/'),
);
const DOCUMENTS = [...globSync(['*.md', 'ops/docs/**/*.md'], { cwd: ROOT }), ...READMES];

t.test('every script of npm, and every long test', async (t) => {
  const long = globSync('tests/long/*.ts', { cwd: ROOT });
  let found = 0;
  for (const path of DOCUMENTS) {
    for (const [call, script = '', argument] of read(path).matchAll(
      /npm run (?:-s )?([a-z][\w:]*)(?:\s+--\s+([\w/-]+))?/g,
    )) {
      found += 1;
      // The client is a package of its own.
      const isOwn = path.startsWith('ops/client/') && script === 'build';
      t.ok(isOwn || Object.hasOwn(scripts, script), `${path}: ${call}`);
      if (script !== 'test:long' || argument === undefined) continue;
      t.ok(
        long.some((name) => name.includes(argument)),
        `${path}: ${call}`,
      );
    }
  }
  t.ok(found > 60, `${found} calls`);
});

t.test('every file of the source', async (t) => {
  const folders = globSync('{core,edge,workers,ops,tests}/*/', { cwd: ROOT });
  t.ok(folders.length > 40);
  for (const path of [
    ...DECISIONS,
    'ARCHITECTURE.md',
    'ops/docs/reliability.md',
    'ops/app/README.md',
  ]) {
    for (const [, name = ''] of read(path).matchAll(
      /`((?:core|edge|workers|ops|tests)\/[\w/.-]*\w)`/g,
    )) {
      t.ok(
        ['', '.ts'].some((end) => existsSync(join(ROOT, `${name}${end}`))),
        `${path}: ${name}`,
      );
    }
  }
});

t.test('every file of the source begins with what it is for', async (t) => {
  const sources = globSync('{core,edge,workers,ops/run}/**/*.ts', { cwd: ROOT });
  t.ok(sources.length > 700);
  for (const path of sources) t.match(read(path), /^\/[*/]/, path);
});

t.test('every room of core says where to begin', async (t) => {
  for (const room of readdirSync(join(ROOT, 'core'))) {
    const path = `core/${room}/README.md`;
    const text = read(path);
    t.match(text, /\*\*Enters:\*\*[\s\S]*\*\*Leaves:\*\*[\s\S]*\*\*Begin with:\*\*/, path);
    for (const [, name = ''] of text.matchAll(/`([\w/-]+\.ts)`/g)) {
      const found = globSync(`core/${room}/{,*/}${name}`, { cwd: ROOT });
      t.ok(found.length > 0, `${path}: ${name}`);
    }
  }
});

t.test('every test against a flaw that others have had', async (t) => {
  let found = 0;
  for (const [, name = ''] of read('tests/security/README.md').matchAll(/`([a-z]+\/[\w/-]+)`/g)) {
    if (!existsSync(join(ROOT, 'tests', name.split('/')[0] ?? ''))) continue;
    found += 1;
    const ends = ['', '.ts', '.test.ts'];
    t.ok(
      ends.some((end) => existsSync(join(ROOT, 'tests', `${name}${end}`))),
      name,
    );
  }
  t.ok(found > 60, `${found} names`);
});

t.test('every package at runtime has its reason', async (t) => {
  const page = read('ops/docs/dependencies.md');
  for (const name of Object.keys(dependencies)) {
    // The packages of OpenTelemetry stand in one line, the first with its scope.
    const short = name.replace(/^@opentelemetry\//, '');
    t.ok(page.includes(`\`${name}\``) || page.includes(`\`${short}\``), name);
  }
});

t.test('the list of decisions has each with its title', async (t) => {
  const list = read('ops/docs/decisions/README.md');
  t.ok(DECISIONS.length > 50);
  for (const path of DECISIONS) {
    const [, number, title] = /^# (\d+) · (.+)\n/.exec(read(path)) ?? [];
    t.ok(list.includes(`| ${number} | [${title}](${basename(path)}) |`), path);
  }
});

t.test('links of READMEs that are no pages', async (t) => {
  t.ok(READMES.length > 2);
  for (const path of READMES) {
    for (const [, link = ''] of read(path).matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g)) {
      if (/^https?:/.test(link)) continue;
      t.ok(existsSync(join(ROOT, dirname(path), link)), `${path}: ${link}`);
    }
  }
});
