/**
 * The table of contents: the first page of the documents lists all others by topic. A page that is the
 * first of a folder lists those of the folder.
 */
import type { Token, Tokens } from 'marked';
import { blocksOf } from './markdown.ts';
import { plainText } from './plain-text.ts';
import { DOCUMENTS, linkedPath, type Source } from './source.ts';

/** A page in the table of contents. */
export interface Entry {
  readonly source: Source;
  readonly title: string;
  /** What it is about, in a few words; may be empty. */
  readonly about: string;
  readonly children: readonly Entry[];
}

export interface Topic {
  readonly title: string;
  readonly entries: readonly Entry[];
}

type Sources = ReadonlyMap<string, Source>;

/** The path of the first page. */
const FIRST = `${DOCUMENTS}/README.md`;
/** The topic of pages that the first page does not list, and that are in no folder. */
export const UNLISTED = 'More';

function isLink(token: Token): token is Tokens.Link {
  return token.type === 'link';
}

function isList(token: Token): token is Tokens.List {
  return token.type === 'list';
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === 'table';
}

/** What an entry of a list or a row of a table consists of. */
function partsOf(block: Token): readonly (readonly Token[])[] {
  if (isList(block)) return block.items.map(({ tokens }) => tokens.flatMap(innerOf));
  if (isTable(block)) return block.rows.map((row) => row.flatMap(({ tokens }) => tokens));
  return [];
}

function innerOf(token: Token): readonly Token[] {
  return 'tokens' in token && token.tokens !== undefined ? token.tokens : [token];
}

/** The pages that a block lists: the first link of each entry, and the text behind it. */
function listed(block: Token, from: Source, sources: Sources): readonly Entry[] {
  return partsOf(block).flatMap((parts) => {
    const at = parts.findIndex(isLink);
    const link = parts[at];
    if (link === undefined || !isLink(link)) return [];
    const path = linkedPath(from.path, link.href.replace(/#.*/, ''));
    const source = path === null ? undefined : sources.get(path);
    if (source === undefined || source === from) return [];
    const rest = parts
      .slice(at + 1)
      .map(plainText)
      .join('');
    const about = rest.replace(/^[:\s]+/, '').replace(/\s+/g, ' ');
    return [{ source, title: plainText(link), about, children: childrenOf(source, sources) }];
  });
}

/** The pages of a folder, as its first page lists them. */
function childrenOf(source: Source, sources: Sources): readonly Entry[] {
  if (!source.path.endsWith('/README.md')) return [];
  const folder = source.path.slice(0, -'README.md'.length);
  return blocksOf(source.text)
    .flatMap((block) => listed(block, source, sources))
    .filter(({ source: { path } }) => path.startsWith(folder));
}

/** All entries of some topics in the order in which they are read. */
export function flat(entries: readonly Entry[]): readonly Entry[] {
  return entries.flatMap((entry) => [entry, ...flat(entry.children)]);
}

/** The folder of a document among the documents. */
function folderOf({ path }: Source): string | null {
  return /^ops\/docs\/([^/]+)\//.exec(path)?.[1] ?? null;
}

function isIn(folder: string) {
  return ({ source }: Entry) => folderOf(source) === folder;
}

function byTitle(source: Source): Entry {
  const title = blocksOf(source.text).find(({ type }) => type === 'heading');
  const shown = title === undefined ? source.name : plainText(title);
  return { source, title: shown, about: '', children: [] };
}

/**
 * The topics of the first page. What it does not list stands with other pages of its folder, or in a topic
 * named after that.
 */
export function readContents(sources: Sources): readonly Topic[] {
  const first = sources.get(FIRST);
  const topics: { title: string; entries: Entry[] }[] = [];
  for (const block of first === undefined ? [] : blocksOf(first.text)) {
    if (block.type === 'heading' && block.depth === 2) {
      topics.push({ title: plainText(block), entries: [] });
    } else if (first !== undefined) {
      topics.at(-1)?.entries.push(...listed(block, first, sources));
    }
  }
  const known = new Set(topics.flatMap(({ entries }) => flat(entries).map(({ source }) => source)));
  const others = [...sources.values()].filter((source) => source !== first && !known.has(source));
  for (const source of others) {
    const folder = folderOf(source);
    const title =
      folder === null ? UNLISTED : `${folder.slice(0, 1).toUpperCase()}${folder.slice(1)}`;
    const topic =
      topics.find(({ entries }) => folder !== null && entries.some(isIn(folder))) ??
      topics.find((one) => one.title === title);
    if (topic === undefined) topics.push({ title, entries: [byTitle(source)] });
    else topic.entries.push(byTitle(source));
  }
  return topics;
}
