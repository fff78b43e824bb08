/** The index of the search, made here and read by the script of the pages. */
import MiniSearch from 'minisearch';
import type { Section } from './markdown.ts';
import { SEARCH_WORDS } from './search-words.ts';

/** A page as the search knows it. */
export interface SearchedPage {
  readonly name: string;
  readonly title: string;
  readonly sections: readonly Section[];
}

/** What is found: a part of a page. */
interface Found {
  readonly id: number;
  /** Of the page, in every part of it. */
  readonly page: string;
  /** The same in the first part alone, so that a page is not found once for each part. */
  readonly title: string;
  /** Empty for the beginning of a page. */
  readonly heading: string;
  readonly text: string;
  /** Words that people search with, in the first part of a page. */
  readonly words: string;
  /** Below `/docs/`. */
  readonly url: string;
  /** How much it counts: those who use Sluice come before those who build it. */
  readonly weight: number;
}

const LIGHT = /^(?:decisions\b|architecture$|contributing$|changelog$|dependencies$|reliability$)/;

/** How the index is made and read; plain values, so that they travel with it. */
const OPTIONS = {
  fields: ['title', 'heading', 'text', 'words'],
  storeFields: ['page', 'heading', 'text', 'url', 'weight'],
};

/** What stands between words. */
const SEPARATOR = '[^\\p{L}\\p{N}]+';

/** The index as JSON. */
export function searchIndex(pages: readonly SearchedPage[]): string {
  const between = new RegExp(SEPARATOR, 'u');
  const search = new MiniSearch<Found>({ ...OPTIONS, tokenize: (text) => text.split(between) });
  let id = 0;
  for (const { name, title, sections } of pages) {
    for (const { heading, text } of sections) {
      const anchor = heading === null ? '' : `#${heading.anchor}`;
      search.add({
        ...{ id, page: title, title: heading === null ? title : '', heading: heading?.text ?? '' },
        words: heading === null ? (SEARCH_WORDS[name] ?? '') : '',
        ...{ text, url: `${name}${anchor}`, weight: LIGHT.test(name) ? 0.3 : 1 },
      });
      id += 1;
    }
  }
  return JSON.stringify({ options: OPTIONS, separator: SEPARATOR, index: search });
}
