// @newest
/** The documentation as a site: every link leads somewhere, every page is in the contents, the search finds. */
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import MiniSearch from 'minisearch';
import t from 'tap';
import * as v from 'valibot';
import { ROUTES } from '#edge/rest/route-table.ts';
import { type BuiltFile, buildSite } from '#ops/docs/site/build-site.ts';
import { readContents, UNLISTED } from '#ops/docs/site/contents.ts';
import { SEARCH_WORDS } from '#ops/docs/site/search-words.ts';
import { readSources } from '#ops/docs/site/source.ts';
import { writeSite } from '#ops/docs/site/write-site.ts';

const ROOT = join(import.meta.dirname, '../../../..');

/** Where pages are, for URLs. */
const HOST = 'http://docs.example/docs';

function urlOf({ name }: Pick<BuiltFile, 'name'>): URL {
  return new URL(name === '' ? HOST : `${HOST}/${name}`);
}

function pagesOf(files: readonly BuiltFile[]): readonly BuiltFile[] {
  return files.filter(({ kind }) => kind === 'page');
}

const ours = await buildSite(ROOT);

/** The values of an attribute that holds an address. */
function addressesOf({ content }: BuiltFile): readonly string[] {
  return [...content.matchAll(/ (?:href|src|data-library|data-index)="([^"]*)"/g)].map(
    ([, address = '']) => address.replaceAll('&amp;', '&'),
  );
}

interface Teardown {
  teardown(end: () => void): void;
}

/** Writes a repository of its own. */
function repositoryOf(t: Teardown, documents: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'sluice-docs-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries({ 'ops/docs/README.md': '# First', ...documents })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** Makes the site of a repository of its own. */
async function siteOf(t: Teardown, documents: Record<string, string>) {
  const { files, dead } = await buildSite(repositoryOf(t, documents));
  const pages = new Map(pagesOf(files).map(({ name, content }) => [name, content]));
  return { pages, files, dead, html: (name: string) => pages.get(name) ?? '' };
}

t.test('every link of every page leads somewhere, with its anchor', async (t) => {
  const { files, dead } = ours;
  t.strictSame(dead, [], 'links of the documents');
  const known = new Map(files.map((file) => [urlOf(file).href, file]));
  const routes = new Set(ROUTES.filter(({ method }) => method === 'GET').map(({ path }) => path));
  const wrong: string[] = [];
  let checked = 0;
  for (const page of pagesOf(files)) {
    for (const address of addressesOf(page)) {
      const url = new URL(address, urlOf(page));
      if (url.origin !== new URL(HOST).origin) continue;
      checked += 1;
      const anchor = decodeURIComponent(url.hash.slice(1));
      url.hash = '';
      const target = known.get(url.href);
      // Pictures are served as the files that they are.
      const isPicture =
        url.pathname.endsWith('.png') &&
        existsSync(join(ROOT, 'ops/docs', url.href.slice(HOST.length)));
      const isThere = target !== undefined || routes.has(url.pathname) || isPicture;
      const hasAnchor = anchor === '' || target?.content.includes(`id="${anchor}"`) === true;
      if (!isThere || !hasAnchor) wrong.push(`${page.name}: ${address}`);
    }
  }
  t.strictSame(wrong, []);
  t.ok(checked > 1_000, `${checked} links`);
});

t.test('every document is a page, has a title, and is in the contents once', async (t) => {
  const sources = await readSources(ROOT);
  const topics = readContents(sources);
  t.notOk(
    topics.find(({ title }) => title === UNLISTED)?.entries.map(({ source }) => source.path),
    'ops/docs/README.md lists every page',
  );
  const { files } = ours;
  const pages = new Map(files.map((file) => [file.name, file]));
  const first = pages.get('')?.content ?? '';
  for (const { name, path } of sources.values()) {
    const page = pages.get(name);
    t.match(page?.content, /<h1>[^<]+/, path);
    if (name.startsWith('decisions/')) continue;
    const links = first.split(`href="docs${name === '' ? '' : `/${name}`}"`).length - 1;
    t.ok(links >= 1, `the first page leads to ${path}`);
  }
  const decision = [...pages.keys()].find((name) => name.startsWith('decisions/'));
  t.match(pages.get(decision ?? '')?.content, 'aria-current="page"', 'also one in a folder');
});

t.test('each page leads to the one before and after it, to the end', async (t) => {
  const { files } = ours;
  const pages = new Map(files.map((file) => [file.name, file]));
  const seen: string[] = [];
  let name: string | undefined = 'readme';
  while (name !== undefined && !seen.includes(name)) {
    seen.push(name);
    const [, next]: readonly (string | undefined)[] =
      / rel="next" href="([^"]+)"/.exec(pages.get(name)?.content ?? '') ?? [];
    name =
      next === undefined
        ? undefined
        : new URL(next, urlOf({ name })).pathname.slice('/docs/'.length);
  }
  const { size } = await readSources(ROOT);
  t.equal(seen.length, size - 1, 'all but the first page');
});

const INDEX = v.object({
  options: v.object({ fields: v.array(v.string()), storeFields: v.array(v.string()) }),
  separator: v.string(),
  index: v.any(),
});

t.test('words that people search with belong to pages that exist', async (t) => {
  const names = new Set([...(await readSources(ROOT)).values()].map(({ name }) => name));
  t.strictSame(
    Object.keys(SEARCH_WORDS).filter((name) => !names.has(name)),
    [],
  );
});

t.test('the search finds pages by title, by words and by names of variables', async (t) => {
  const { files } = ours;
  const file = files.find(({ name }) => name.endsWith('/index.json'));
  const { options, separator, index } = v.parse(INDEX, JSON.parse(file?.content ?? ''));
  const search = MiniSearch.loadJS(index, {
    ...options,
    tokenize: (text) => text.split(new RegExp(separator, 'u')),
  });
  const find = (text: string) =>
    search
      .search(text, {
        prefix: true,
        combineWith: 'AND',
        boost: { title: 4, heading: 3, words: 2 },
        boostDocument: (_, __, stored) => Number(stored?.weight),
      })
      .map(({ url }) => String(url));
  for (const { name, path } of (await readSources(ROOT)).values()) {
    const page = files.find((one) => one.name === name);
    const [, title = ''] = /<h1>([^<]+)<\/h1>/.exec(page?.content ?? '') ?? [];
    const places = find(title.replaceAll('&#39;', "'")).map((url) => url.replace(/#.*/, ''));
    t.ok(places.slice(0, 12).includes(name), `${path} by its title “${title}”`);
  }
  t.match(find('RATE_LIMIT_IDENTITY_ENABLED'.slice(0, 10))[0], 'limits');
  t.ok(
    find('resumable uploads')
      .slice(0, 4)
      .some((url) => url.startsWith('files')),
  );
  t.match(find('_icontains').slice(0, 3), [/^(?:query|coming-from)/]);
  for (const [words, page] of [
    ['sso', 'coming-from-directus'],
    ['webhook', 'coming-from-directus'],
    ['docker', 'deploy'],
    ['s3', 'storage'],
    ['rls', 'multi-tenant'],
    ['prometheus', 'monitor'],
    ['pagination', 'query'],
    ['smtp', 'mail'],
  ] as const) {
    const places = find(words).map((url) => url.replace(/#.*/, ''));
    t.ok(places.slice(0, 5).includes(page), `“${words}” leads to ${page}`);
  }
  t.strictSame(find('xyzzyplugh'), []);
});

t.test('HTML of a document is shown as text, and no link runs a script', async (t) => {
  const { html, dead } = await siteOf(t, {
    'ops/docs/a.md': `# <img src=x onerror=alert(1)>
<script>alert(1)</script>

Text <b onclick="x">bold</b> [x](javascript:alert(1)) [y](JaVaScRiPt:alert(1)) [z](data:text/html,x)
[out](../../../etc/passwd) [up](../../package.json) ![i](https://elsewhere.example/x.png)

\`\`\`js
"</code><script>alert(1)</script>"
\`\`\`

\`\`\`"><script>alert(1)</script>
x
\`\`\`
`,
  });
  const page = html('a');
  const text = page.slice(page.indexOf('<article>'), page.indexOf('</article>'));
  t.notMatch(text, /<(?:script|b |img)/i);
  t.notMatch(text, /(?:javascript|data):[^"]*"/i);
  t.notMatch(text, 'passwd"');
  t.notMatch(text, 'package.json"');
  t.match(text, '&lt;b onclick');
  t.equal(dead.length, 6);
});

t.test('headings have the anchors of GitHub, and two of the same text differ', async (t) => {
  const { html } = await siteOf(t, {
    'ops/docs/a.md':
      '# A\n\n## The `sort` of _things_, C++ & Ö\n\n## Twice\n\n## Twice\n\n### POST /x/:id',
  });
  const ids = [...html('a').matchAll(/"heading"><h\d id="([^"]+)"/g)].map(([, id]) => id);
  t.strictSame(ids, ['the-sort-of-things-c--ö', 'twice', 'twice-1', 'post-xid']);
});

t.test('links lead between documents, pictures and files of the repository', async (t) => {
  const { html, pages, dead } = await siteOf(t, {
    'README.md': '# Root\n\n[q](ops/docs/deep/b.md#part) [folder](ops/docs/deep)',
    'ops/docs/a.md':
      '# A\n\n![p](deep/p.png) [code](../../core/x.ts) [page](/docs/api) [r](../../README.md)',
    'ops/docs/deep/README.md': '# Deep\n\n| n | page |\n|---|---|\n| 1 | [B](b.md) |\n',
    'ops/docs/deep/b.md': '# B\n\n## Part\n\n[a](../a.md) [here](#part)',
    'ops/docs/README.md': '# First\n\n## Tools\n\n- [Two](box/two.md): a tool',
    'ops/docs/kit/one.md': '# One',
    'ops/docs/box/two.md': '# 2',
    'ops/docs/box/three.md': '# Three',
    'core/x.ts': 'const x: number = 1 < 2;',
  });
  t.strictSame(dead, []);
  t.match(html('readme'), 'href="deep/b#part"');
  t.match(html('readme'), '<a href="deep">folder');
  t.match(html('a'), '<img src="deep/p.png"');
  t.match(html('a'), 'href="source/core/x.ts"');
  t.match(html('a'), '<a href="../docs/api">');
  t.match(html('a'), 'href="readme"');
  t.match(html('deep/b'), '<a href="../a">');
  t.match(html('source/core/x.ts'), /<span class="hljs-keyword">const<\/span>/);
  t.match(
    html('deep/b'),
    /aria-current="page">B</,
    'a page of a folder stands below its first page',
  );
  t.match(
    html(''),
    /<h2>Kit<\/h2><ul><li><a href="docs\/kit\/one">One</,
    'a folder that nobody lists',
  );
  t.match(html(''), /two">Two<\/a><\/li><li><a href="docs\/box\/three">Three</, 'or that is known');
  t.equal(pages.has('deep/README'), false);
});

t.test('the site is written as files, without what was there before', async (t) => {
  const root = repositoryOf(t, {
    'ops/docs/deep/b.md': '# B',
    'ops/docs/deep/p.png': 'picture',
    'ops/docs/site/note.md': '# A note about the site',
    'ops/docs/site/browser/icon.svg': 'no picture of a document',
    'ops/docs/site/dist/docs/assets/icon.svg': 'of an earlier build',
  });
  const folder = join(root, 'ops/docs/site/dist');
  await writeSite(root, folder);
  const files = globSync('**/*.*', { cwd: folder }).sort();
  t.strictSame(
    files.filter((path) => !path.startsWith('docs/assets/')),
    ['docs.html', 'docs/deep/b.html', 'docs/deep/p.png', 'docs/not-found.html'],
  );
  const assets = files
    .filter((path) => path.startsWith('docs/assets/'))
    .map((path) => basename(path));
  t.strictSame(assets, [
    'docs.css',
    'docs.mjs',
    'icon.svg',
    'index.json',
    'inter.woff2',
    'minisearch.js',
    'search.mjs',
  ]);
  t.equal(readFileSync(join(folder, 'docs/deep/p.png'), 'utf8'), 'picture');
  t.match(readFileSync(join(folder, 'docs.html'), 'utf8'), '<h1>First</h1>');
  const library = files.find((path) => path.endsWith('minisearch.js')) ?? '';
  t.match(readFileSync(join(folder, library), 'utf8'), /^\/\*!\nMiniSearch\n\nCopyright /);
});
