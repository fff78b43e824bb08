/** Reads elements of XML that may be cut, such as the beginning of a sheet. */

export interface Element {
  readonly attributes: string;
  readonly content: string;
}

/** The elements of a name, in their order; an element that is cut ends them. */
export function* elementsOf(xml: string, name: string): Generator<Element, undefined> {
  const open = new RegExp(`<(\\w+:)?${name}(?=[\\s/>])([^>]*)>`, 'g');
  for (;;) {
    const found = open.exec(xml);
    if (found === null) return;
    const [, prefix = '', attributes = ''] = found;
    if (attributes.endsWith('/')) {
      yield { attributes: attributes.slice(0, -1), content: '' };
      continue;
    }
    const end = xml.indexOf(`</${prefix}${name}>`, open.lastIndex);
    if (end === -1) return;
    yield { attributes, content: xml.slice(open.lastIndex, end) };
    open.lastIndex = end;
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" },
};

function character(entity: string, name: string): string {
  if (!name.startsWith('#')) return ENTITIES[name] ?? entity;
  const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
}

/** A text without the notations of XML and of workbooks for characters. */
export function unescaped(text: string): string {
  return text
    .replace(/&(#x[\da-f]+|#\d+|\w+);/gi, character)
    .replace(/_x([\da-f]{4})_/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
}

export function attributesOf(text: string): Readonly<Record<string, string>> {
  const found = text.matchAll(/([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g);
  return Object.fromEntries(
    [...found].map(([, name, double, single]) => [name, unescaped(double ?? single ?? '')]),
  );
}

/** The texts in an element, without the guides to their pronunciation. */
export function textsOf(xml: string): string {
  const spoken = [...elementsOf(xml, 'rPh')].map(({ content }) => content);
  const own = spoken.reduce((rest, guide) => rest.replace(guide, ''), xml);
  return [...elementsOf(own, 't')].map(({ content }) => unescaped(content)).join('');
}
