/** Makes what can be shown of formatted text: without scripts, styles, forms, and foreign sources. */
import DOMPurify from 'dompurify';
import { marked } from 'marked';

const PURIFY = DOMPurify(window);

PURIFY.addHook('afterSanitizeAttributes', (node) => {
  // The policy of the App lets nothing be loaded from another host.
  const source = node.getAttribute('src');
  if (source !== null && !isOwn(source)) node.removeAttribute('src');
  for (const name of ['srcset', 'poster', 'background']) node.removeAttribute(name);
  if (node.tagName === 'A') {
    node.setAttribute('rel', 'noopener noreferrer');
    node.setAttribute('target', '_blank');
  }
});

function isOwn(source: string): boolean {
  try {
    return new URL(source, window.location.href).origin === window.location.origin;
  } catch {
    return false;
  }
}

/** The nodes of Markdown or HTML. */
export function preview(text: string, isHtml: boolean): DocumentFragment {
  const html = isHtml ? text : marked.parse(text, { async: false });
  return PURIFY.sanitize(html, {
    RETURN_DOM_FRAGMENT: true,
    FORBID_TAGS: [
      'style',
      'form',
      'input',
      'button',
      'textarea',
      'select',
      'svg',
      'math',
      'video',
      'audio',
    ],
    FORBID_ATTR: ['style', 'id', 'class', 'name'],
  });
}
