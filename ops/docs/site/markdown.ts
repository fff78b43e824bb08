/**
 * Turns a document into the parts of a page. The texts are our own; still, HTML in them is shown as text,
 * and links lead only where the caller says.
 */
import { Marked, type RendererObject, type Token, type Tokens } from 'marked';
import { escapeHtml } from '#core/base/text/escape-html.ts';
import { highlight } from './highlight.ts';
import { anchorOf, plainText } from './plain-text.ts';

/** Where a link or an image leads; null: nowhere, so that only its text is shown. */
export type LinkTarget = { readonly href: string; readonly external: boolean } | null;
export type ResolveLink = (href: string, kind: 'link' | 'image') => LinkTarget;

export interface Heading {
  readonly depth: number;
  readonly text: string;
  readonly anchor: string;
}

/** The text below a heading, for the search. */
export interface Section {
  /** Null for what stands before the first heading below the title. */
  readonly heading: Heading | null;
  readonly text: string;
}

export interface Rendered {
  readonly title: string;
  /** The first paragraph as plain text. */
  readonly lead: string;
  /** All but the title. */
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
}

const reader = new Marked({ gfm: true });

/** The blocks of a document. */
export function blocksOf(text: string): readonly Token[] {
  return reader.lexer(text);
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading';
}

/** The headings below the title; what has the same text gets a number. */
function headingsOf(blocks: readonly Token[]): ReadonlyMap<Token, Heading> {
  const found = new Map<Token, Heading>();
  const used = new Map<string, number>();
  for (const block of blocks) {
    if (!isHeading(block)) continue;
    const text = plainText(block);
    const anchor = anchorOf(text);
    const times = used.get(anchor) ?? 0;
    used.set(anchor, times + 1);
    const numbered = times === 0 ? anchor : `${anchor}-${times}`;
    found.set(block, { depth: block.depth, text, anchor: numbered });
  }
  return found;
}

function sectionsOf(
  blocks: readonly Token[],
  headings: ReadonlyMap<Token, Heading>,
): readonly Section[] {
  const sections: { heading: Heading | null; texts: string[] }[] = [{ heading: null, texts: [] }];
  for (const block of blocks) {
    const heading = headings.get(block);
    if (heading === undefined) sections.at(-1)?.texts.push(plainText(block));
    else if (heading.depth > 1) sections.push({ heading, texts: [] });
  }
  return sections.map(({ heading, texts }) => ({
    heading,
    text: texts.join(' ').replace(/\s+/g, ' ').trim(),
  }));
}

function rendererOf(
  headings: ReadonlyMap<Token, Heading>,
  resolve: ResolveLink,
): RendererObject<string, string> {
  return {
    heading(token) {
      const { depth, text, anchor } = headings.get(token) ?? {
        depth: token.depth,
        text: '',
        anchor: '',
      };
      const inner = this.parser.parseInline(token.tokens);
      const label = escapeHtml(`Link to “${text}”`);
      const link = `<a class="anchor" href="#${anchor}" aria-label="${label}">#</a>`;
      return `<div class="heading"><h${depth} id="${anchor}">${inner}</h${depth}>${link}</div>\n`;
    },
    code({ text, lang }) {
      const language = lang?.split(/\s/, 1)[0] || undefined;
      return `<pre><code>${highlight(text, language)}</code></pre>\n`;
    },
    table(token) {
      const cell = (tag: string) => (one: Tokens.TableCell) => {
        const align = one.align === null ? '' : ` class="${one.align}"`;
        return `<${tag}${align}>${this.parser.parseInline(one.tokens)}</${tag}>`;
      };
      const head = token.header.map(cell('th')).join('');
      const rows = token.rows.map((row) => `<tr>${row.map(cell('td')).join('')}</tr>`).join('\n');
      return `<div class="scroll"><table><thead><tr>${head}</tr></thead>\n<tbody>${rows}</tbody></table></div>\n`;
    },
    link({ href, title, tokens }) {
      const inner = this.parser.parseInline(tokens);
      const target = resolve(href, 'link');
      if (target === null) return inner;
      const hint = title ? ` title="${escapeHtml(title)}"` : '';
      const external = target.external ? ' class="external" rel="noreferrer"' : '';
      return `<a href="${escapeHtml(target.href)}"${hint}${external}>${inner}</a>`;
    },
    image({ href, text }) {
      const target = resolve(href, 'image');
      if (target === null) return escapeHtml(text);
      return `<img src="${escapeHtml(target.href)}" alt="${escapeHtml(text)}" loading="lazy">`;
    },
    html({ raw }) {
      return /^\s*<!--[\s\S]*?-->\s*$/.test(raw) ? '' : escapeHtml(raw);
    },
  };
}

/** Renders a document. */
export function render(text: string, resolve: ResolveLink): Rendered {
  const blocks = blocksOf(text);
  const headings = headingsOf(blocks);
  const titleBlock = blocks.find((block) => isHeading(block) && block.depth === 1);
  const shown = blocks.filter((block) => block !== titleBlock);
  const title = titleBlock === undefined ? '' : plainText(titleBlock);
  const lead = shown.find((block) => block.type === 'paragraph');
  const marked = new Marked({ gfm: true, renderer: rendererOf(headings, resolve) });
  return {
    title,
    lead: lead === undefined ? '' : plainText(lead).replace(/\s+/g, ' '),
    html: marked.parser([...shown]),
    headings: [...headings.values()].filter(({ depth }) => depth > 1),
    sections: sectionsOf(shown, headings),
  };
}
