/** The texts that the documentation is made of: Markdown of the repository, and the names of its pages. */
import { readdir, readFile } from 'node:fs/promises';
import { join, posix, relative, sep } from 'node:path';

/** The folder of the documents, from the root of the repository. */
export const DOCUMENTS = 'ops/docs';
/** Files that the pages show as they are. */
export const IMAGE = /\.(?:png|jpe?g|gif|webp|avif|svg)$/i;
/** This folder, which holds no documents. */
const SITE = `${DOCUMENTS}/site/`;
/** The page that browsers get with 404. */
export const NOT_FOUND = 'not-found';
/** Documents in the root. An image of a container may lack some. */
const IN_ROOT = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'];

/** One document. */
export interface Source {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  /** The name of its page below `/docs`; empty for the first one. */
  readonly name: string;
  readonly text: string;
}

/** The name of the page of a document: a README stands for its folder. */
function pageName(path: string): string {
  if (!path.startsWith(`${DOCUMENTS}/`)) return path.replace(/\.md$/, '').toLowerCase();
  const below = path.slice(DOCUMENTS.length + 1);
  return below.replace(/(?:^|\/)README\.md$/, '').replace(/\.md$/, '');
}

async function textOf(root: string, path: string): Promise<string | null> {
  try {
    return await readFile(join(root, path), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** The files in the folder of the documents, from the root of the repository. */
async function filesOf(root: string): Promise<readonly string[]> {
  const folder = join(root, DOCUMENTS);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !path.startsWith(SITE))
    .sort();
}

/** The pictures among the documents, from the root of the repository. */
export async function picturesOf(root: string): Promise<readonly string[]> {
  return (await filesOf(root)).filter((path) => IMAGE.test(path));
}

/** All documents, by their paths. */
export async function readSources(root: string): Promise<ReadonlyMap<string, Source>> {
  const below = (await filesOf(root)).filter((path) => path.endsWith('.md'));
  const sources = new Map<string, Source>();
  for (const path of [...below, ...IN_ROOT]) {
    const text = await textOf(root, path);
    if (text !== null) sources.set(path, { path, name: pageName(path), text });
  }
  return sources;
}

/** The path to which a link of a document leads, from the root; null when it leads out of it. */
export function linkedPath(from: string, href: string): string | null {
  const path = posix.normalize(posix.join(posix.dirname(from), decodeURI(href)));
  return path.startsWith('../') || path.startsWith('/') ? null : path;
}

/** The way from one page to another, which holds whatever a proxy puts in front. */
export function wayTo(from: string, to: string): string {
  const up = '../'.repeat(from.split('/').length - 1);
  if (to === '') return from === '' ? 'docs' : `${up}../docs`;
  return from === '' ? `docs/${to}` : `${up}${to}`;
}
