/** Makes all pages of the documentation from the documents of a repository. */
import { hash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tokenStyleSheet } from '#core/base/design/style-sheet.ts';
import { flat, readContents } from './contents.ts';
import { highlight, languageOf } from './highlight.ts';
import { layOut, type Page, type Site } from './layout.ts';
import { type LinkTarget, type Rendered, render } from './markdown.ts';
import { searchIndex } from './search-index.ts';
import {
  DOCUMENTS,
  IMAGE,
  linkedPath,
  NOT_FOUND,
  readSources,
  type Source,
  wayTo,
} from './source.ts';

/** A file of the site. */
export interface BuiltFile {
  /** Below `/docs`; empty for the first page. */
  readonly name: string;
  readonly kind: 'page' | 'asset';
  readonly content: string;
}

/** A file that the site takes over as it is. */
export interface CopiedFile {
  /** Below `/docs`. */
  readonly name: string;
  /** Where it is. */
  readonly path: string;
}

/** What was made, and what could not be. */
export interface BuiltSite {
  readonly files: readonly BuiltFile[];
  readonly copied: readonly CopiedFile[];
  /** Links that lead nowhere, each with its document. */
  readonly dead: readonly string[];
}

/** Files of the repository that pages may show as code. */
const SHOWN = /^(?:core|edge|workers|ops|tests)\/[\w./@-]+\.\w+$|^ops\/deploy\/Containerfile$/;
const SHOWN_MAX = 200_000;

async function exists(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true && found.size <= SHOWN_MAX;
}

/** The links of a document that lead to other files of the repository. */
const LINK = /\]\(([^)#\s]+)/g;

/** The files besides documents that they link to, as far as they are there. */
async function linkedFiles(
  root: string,
  sources: ReadonlyMap<string, Source>,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const { path: from, text } of sources.values()) {
    for (const [, href = ''] of text.matchAll(LINK)) {
      if (/^[a-z]+:/.test(href)) continue;
      const path = linkedPath(from, href);
      if (path === null || sources.has(path) || found.has(path)) continue;
      if (IMAGE.test(path) || !SHOWN.test(path) || !(await exists(join(root, path)))) continue;
      found.set(path, await readFile(join(root, path), 'utf8'));
    }
  }
  return found;
}

class Builder {
  readonly #sources: ReadonlyMap<string, Source>;
  readonly #linked: ReadonlyMap<string, string>;
  readonly dead: string[] = [];

  constructor(sources: ReadonlyMap<string, Source>, linked: ReadonlyMap<string, string>) {
    this.#sources = sources;
    this.#linked = linked;
  }

  render(source: Source): Rendered {
    return render(source.text, (href, kind) => {
      // Pages ask no other host for anything.
      const isThere = kind === 'link' || !/^[a-z]+:/i.test(href);
      const target = isThere ? this.#resolve(source, href) : null;
      if (target === null) this.dead.push(`${source.path}: ${href}`);
      return target;
    });
  }

  #resolve(source: Source, href: string): LinkTarget {
    if (/^(?:https?|mailto):/.test(href)) return { href, external: true };
    if (href.startsWith('#')) return { href, external: false };
    if (href.startsWith('/')) {
      // A route of the API, such as the page of its description.
      return { href: wayTo(source.name, `..${href}`), external: false };
    }
    const [before = '', anchor] = href.split('#');
    const path = linkedPath(source.path, before);
    if (path === null) return null;
    const name = this.#nameOf(path);
    if (name === null) return null;
    const suffix = anchor === undefined ? '' : `#${anchor}`;
    return { href: wayTo(source.name, name) + suffix, external: false };
  }

  #nameOf(path: string): string | null {
    const source =
      this.#sources.get(path) ?? this.#sources.get(`${path.replace(/\/$/, '')}/README.md`);
    if (source !== undefined) return source.name;
    if (this.#linked.has(path)) return `source/${path}`;
    const isImage = IMAGE.test(path) && path.startsWith(`${DOCUMENTS}/`);
    return isImage ? path.slice(DOCUMENTS.length + 1) : null;
  }
}

/** A file of the repository as a page. */
function sourcePage(path: string, text: string): Page {
  const code = highlight(text, languageOf(path));
  return {
    ...{ name: `source/${path}`, title: path, lead: '', headings: [] },
    html: `<pre><code>${code}</code></pre>\n`,
    ...{ topic: 'A file of the repository', before: null, after: null },
  };
}

/** The library that searches in the browser, with its licence. */
async function searchLibrary(): Promise<string> {
  const library = fileURLToPath(import.meta.resolve('minisearch'));
  const script = await readFile(library, 'utf8');
  const license = await readFile(join(dirname(library), '../../LICENSE.txt'), 'utf8');
  return `/*!\nMiniSearch\n\n${license.trim()}\n*/\n${script.replace(/^\/\/# source.*$/m, '')}`;
}

/** The typeface of the App: letters of Western Europe, in all weights (SIL Open Font License). */
const TYPEFACE = fileURLToPath(
  import.meta.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
);

const TYPEFACE_STYLE = `@font-face {
font-family: "Inter Variable";
font-weight: 100 900;
font-display: swap;
src: url("inter.woff2") format("woff2");
}
`;

/** All pages share these files. */
interface Assets {
  /** Below `/docs`; changes with the content of the files. */
  readonly folder: string;
  readonly files: readonly BuiltFile[];
  readonly copied: readonly CopiedFile[];
}

async function assetsOf(index: string): Promise<Assets> {
  const read = (name: string) => readFile(join(import.meta.dirname, name), 'utf8');
  const styles = [TYPEFACE_STYLE, tokenStyleSheet(), await read('browser/docs.css')].join('');
  const contents: readonly (readonly [string, string])[] = [
    ['docs.css', styles],
    ['docs.mjs', await read('browser/docs.mjs')],
    ['search.mjs', await read('browser/search.mjs')],
    ['icon.svg', await read('browser/icon.svg')],
    ['minisearch.js', await searchLibrary()],
    ['index.json', index],
  ];
  const typeface = hash('sha256', await readFile(TYPEFACE), 'base64url');
  const version = hash('sha256', [...contents, typeface].join('\n'), 'base64url').slice(0, 12);
  const folder = `assets/${version}`;
  const files = contents.map(([name, content]): BuiltFile => {
    return { name: `${folder}/${name}`, kind: 'asset', content };
  });
  return { folder, files, copied: [{ name: `${folder}/inter.woff2`, path: TYPEFACE }] };
}

/** @param root the folder of the repository */
export async function buildSite(root: string): Promise<BuiltSite> {
  const sources = await readSources(root);
  const linked = await linkedFiles(root, sources);
  const builder = new Builder(sources, linked);
  const topics = readContents(sources);
  const order = topics.flatMap(({ title, entries }) =>
    flat(entries).map((entry) => ({ topic: title, entry })),
  );
  const rendered = [...sources.values()].map((source) => ({ source, ...builder.render(source) }));
  const searched = rendered.map(({ source, title, sections }) => ({
    ...{ name: source.name, title, sections },
  }));
  const assets = await assetsOf(searchIndex(searched));
  const site: Site = { topics, assets: assets.folder };
  const pages = rendered.map(({ source, ...parts }): Page => {
    const at = order.findIndex(({ entry }) => entry.source === source);
    return {
      ...parts,
      name: source.name,
      topic: order[at]?.topic ?? null,
      before: order[at - 1]?.entry ?? null,
      after: order[at + 1]?.entry ?? null,
    };
  });
  const files = [...linked].map(([path, text]) => sourcePage(path, text));
  const missing: Page = {
    ...{ name: NOT_FOUND, title: 'There is no such page', lead: '', headings: [], topic: null },
    html: `<p>It may have another name by now. The contents list every page, and the search finds words.</p>\n`,
    ...{ before: null, after: null },
  };
  const documents = [...pages, ...files].map((page): BuiltFile => {
    return { name: page.name, kind: 'page', content: layOut(page, site) };
  });
  // It is shown at any path, so that only whole paths lead anywhere from it.
  const notFound = layOut(missing, site, (to) => (to === '' ? '/docs' : `/docs/${to}`));
  return {
    files: [...documents, { name: NOT_FOUND, kind: 'page', content: notFound }, ...assets.files],
    copied: assets.copied,
    dead: builder.dead,
  };
}
