// @newest @quick

// What the documents name is there: scripts, long tests, files of the source, packages, other documents.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import t from 'tap';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const { scripts, dependencies } = JSON.parse(read('package.json'));

const DECISIONS = globSync('ops/docs/decisions/*.md', { cwd: ROOT })
  .filter((path) => basename(path) !== 'README.md')
  .sort();
/** What the paragraphs of a decision begin with, in their order. */
const PARTS = ['Decided', 'Why', 'Measured', 'Rejected', 'Consequence', 'Think again'];
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

t.test('each decision says what was decided, and when to think again', async (t) => {
  const list = read('ops/docs/decisions/README.md');
  const headings = new Set<string>();
  for (const path of DECISIONS) {
    const [beginning = '', ...sections] = read(path).split(/^## /m);
    const [, title] = /^# (.+)\n\n[A-Z][^\n.]+\.\n\n$/.exec(beginning) ?? [];
    t.ok(title, `${path} begins with a sentence on its theme`);
    t.ok(list.includes(`| [${title}](${basename(path)}) |`), `the list has ${path}`);
    for (const section of sections) {
      const heading = section.split('\n')[0] ?? '';
      t.notOk(headings.has(heading), `${path}: "${heading}" is there once`);
      headings.add(heading);
      const found = Array.from(section.matchAll(/^\*\*([^*.]+)\.?\*\*/gm), ([, part = '']) => part);
      t.strictSame(
        found,
        PARTS.filter((part) => found.includes(part)),
        `${path}: parts of "${heading}"`,
      );
      t.equal(found[0], 'Decided', `${path}: ${heading}`);
      t.equal(found.at(-1), 'Think again', `${path}: ${heading}`);
    }
  }
  t.ok(headings.size >= 57, `${headings.size} decisions`);
});

t.test('the files that decisions name without their folder', async (t) => {
  const names = new Set(
    globSync('{core,edge,workers,ops}/**/*.ts', {
      cwd: ROOT,
      exclude: (path) => path.includes('node_modules'),
    }).map((path) => basename(path)),
  );
  let found = 0;
  for (const path of DECISIONS) {
    for (const [, name = ''] of read(path).matchAll(/`([\w-]+\.ts)`/g)) {
      found += 1;
      t.ok(names.has(name), `${path}: ${name}`);
    }
  }
  t.ok(found > 4, `${found} names`);
});

t.test('whatever names a page of decisions names one that is there', async (t) => {
  let found = 0;
  for (const path of globSync('{core,edge,workers,tests}/**/*.ts', { cwd: ROOT })) {
    const text = read(path);
    t.notMatch(text, /\bdecision \d+/i, `${path} names no number`);
    for (const [name] of text.matchAll(/ops\/docs\/decisions\/[\w-]+\.md/g)) {
      found += 1;
      t.ok(existsSync(join(ROOT, name)), `${path}: ${name}`);
    }
  }
  t.ok(found > 2, `${found} names`);
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
