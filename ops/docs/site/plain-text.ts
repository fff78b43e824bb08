/** The plain text of parts of a document: for anchors, for the search, and for descriptions. */
import type { MarkedToken, Token } from 'marked';

/** The lexer makes no others as long as nothing extends it. */
function isKnown(token: Token): token is MarkedToken {
  return token.type !== '';
}

function joined(tokens: readonly Token[], between = ''): string {
  return tokens
    .map(plainText)
    .filter((text) => text !== '')
    .join(between);
}

/** What a reader sees of it; HTML and comments count as nothing. */
export function plainText(token: Token): string {
  if (!isKnown(token)) return '';
  switch (token.type) {
    case 'list':
      return joined(token.items, ' ');
    case 'table':
      return [token.header, ...token.rows]
        .map((cells) => cells.map((cell) => joined(cell.tokens)).join(' '))
        .join(' ');
    case 'html':
    case 'space':
    case 'hr':
    case 'def':
    case 'checkbox':
      return '';
    case 'br':
      return ' ';
    case 'code':
    case 'codespan':
    case 'escape':
    case 'image':
      return token.text;
    case 'list_item':
    case 'blockquote':
      return joined(token.tokens, ' ');
    case 'text':
      return token.tokens === undefined ? token.text : joined(token.tokens);
    default:
      return joined(token.tokens);
  }
}

/** The anchor of a heading, as GitHub makes it, so that links hold in both places. */
export function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}
