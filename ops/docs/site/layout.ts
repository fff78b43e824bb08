/** The frame of a page: the bar at the top, contents, outline, and the way on. */
import { escapeHtml } from '#core/base/text/escape-html.ts';
import type { Entry, Topic } from './contents.ts';
import type { Heading } from './markdown.ts';
import { wayTo } from './source.ts';

/** What a page shows in its frame. */
export interface Page {
  /** Below `/docs`; empty for the first one. */
  readonly name: string;
  readonly title: string;
  readonly lead: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  /** The title of its topic; null for pages that are in none. */
  readonly topic: string | null;
  readonly before: Entry | null;
  readonly after: Entry | null;
}

/** What all pages share. */
export interface Site {
  readonly topics: readonly Topic[];
  /** The folder of style sheet, scripts and index, below `/docs`; changes with their content. */
  readonly assets: string;
}

// Ids of the frame have a colon, which no anchor of a heading has.

/** Characters of a description for other programs. */
const DESCRIPTION = 200;

/** Makes the way from a page to another. */
type Way = (to: string) => string;

/** Whether an entry is the page, or leads to it. */
function contains(entry: Entry, name: string): boolean {
  return entry.source.name === name || entry.children.some((child) => contains(child, name));
}

function listOf(entries: readonly Entry[], name: string, way: Way): string {
  const items = entries.map((entry) => {
    const { source, title, children } = entry;
    const current = source.name === name ? ' aria-current="page"' : '';
    // Pages of a folder are shown only to who is in it: there may be many.
    const inner = contains(entry, name) && children.length > 0 ? listOf(children, name, way) : '';
    return `<li><a href="${way(source.name)}"${current}>${escapeHtml(title)}</a>${inner}</li>`;
  });
  return `<ul>${items.join('')}</ul>`;
}

function contentsOf({ topics }: Site, name: string, way: Way): string {
  const lists = topics.map(
    ({ title, entries }) => `<h2>${escapeHtml(title)}</h2>${listOf(entries, name, way)}`,
  );
  return `<nav class="contents" id="site:contents" popover aria-label="Contents">${lists.join('\n')}</nav>`;
}

function outlineOf(headings: readonly Heading[]): string {
  const shown = headings.filter(({ depth }) => depth <= 3);
  if (shown.length < 2) return '';
  const items = shown.map(({ depth, text, anchor }) => {
    const deeper = depth === 3 ? ' class="deeper"' : '';
    return `<li${deeper}><a href="#${anchor}">${escapeHtml(text)}</a></li>`;
  });
  return `<nav class="outline" aria-labelledby="site:outline"><h2 id="site:outline">On this page</h2><ul>${items.join('')}</ul></nav>`;
}

function turnOf({ before, after }: Page, way: Way): string {
  const link = (entry: Entry | null, kind: string, label: string) =>
    entry === null
      ? ''
      : `<a class="${kind}" rel="${kind}" href="${way(entry.source.name)}"><span>${label}</span>${escapeHtml(entry.title)}</a>`;
  const links = link(before, 'prev', 'Previous') + link(after, 'next', 'Next');
  return links === '' ? '' : `<nav class="turn" aria-label="Previous and next page">${links}</nav>`;
}

const SEARCH = `<search hidden>
<input type="search" placeholder="Search" aria-label="Search the documentation" role="combobox" aria-expanded="false" aria-controls="site:found" aria-autocomplete="list" autocomplete="off" spellcheck="false">
<kbd aria-hidden="true">/</kbd>
<div class="found" hidden><div id="site:found" role="listbox" aria-label="Found pages"></div><p role="status" hidden></p></div>
</search>`;

/** A page as HTML. */
export function layOut(page: Page, site: Site, way: Way = (to) => wayTo(page.name, to)): string {
  const { name, title, lead, html, headings, topic } = page;
  const asset = (file: string) => way(`${site.assets}/${file}`);
  const description = escapeHtml(lead.slice(0, DESCRIPTION));
  return `<!doctype html>
<html lang="en" data-root="${way('_').slice(0, -1) || './'}" data-library="${asset('minisearch.js')}" data-index="${asset('index.json')}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name === '' ? 'Sluice: documentation' : `${escapeHtml(title)} · Sluice`}</title>
<meta name="description" content="${description}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${asset('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${asset('docs.css')}">
<script type="module" src="${asset('docs.mjs')}"></script>
</head>
<body>
<a class="skip" href="#site:main">Skip to the text</a>
<header class="top">
<button class="menu" type="button" popovertarget="site:contents">Contents</button>
<a class="brand" href="${way('')}" aria-label="Sluice: first page"><img src="${asset('icon.svg')}" alt="" width="28" height="28"><span>Sluice</span></a>
${SEARCH}
</header>
<div class="frame">
${contentsOf(site, name, way)}
<main id="site:main" tabindex="-1">
<div>
<article>
${topic === null ? '' : `<p class="topic">${escapeHtml(topic)}</p>\n`}<h1>${escapeHtml(title)}</h1>
${html}</article>
${turnOf(page, way)}
</div>
${outlineOf(headings)}
</main>
</div>
</body>
</html>
`;
}
