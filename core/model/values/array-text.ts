/** PostgreSQL's text form of arrays: parses and writes it (manual, section 8.15). */

const SPACE = new Set([' ', '\t', '\n', '\v', '\f', '\r']);

/** Parses `"…"` from the quote at `start`; null when it does not end. */
function quotedElement(text: string, start: number): { value: string; next: number } | null {
  let value = '';
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"') return { value, next: at + 1 };
    if (char === '\\') at += 1;
    value += text.charAt(at);
  }
  return null;
}

/** Parses an element without quotes, up to the comma or brace after it. */
function bareElement(text: string, start: number): { value: string; next: number } {
  let value = '';
  let at = start;
  while (at < text.length && !',{}"'.includes(text.charAt(at))) {
    if (text.charAt(at) === '\\') at += 1;
    value += text.charAt(at);
    at += 1;
  }
  return { value: value.trim(), next: at };
}

/**
 * The elements of an array's text from left to right, including nested ones, without NULL. Null
 * when the text is not an array; shapes that only PostgreSQL can check (explicit bounds, rows of
 * different lengths) count as an array.
 */
export function arrayElements(text: string): string[] | null {
  const trimmed = text.trim();
  if (trimmed.startsWith('[')) return [];
  if (!trimmed.startsWith('{')) return null;
  const elements: string[] = [];
  let depth = 0;
  for (let at = 0; at < trimmed.length; ) {
    const char = trimmed.charAt(at);
    if (SPACE.has(char) || char === ',') {
      at += 1;
    } else if (char === '{' || char === '}') {
      depth += char === '{' ? 1 : -1;
      at += 1;
      if (depth === 0) return at === trimmed.length ? elements : null;
    } else {
      const quoted = char === '"';
      const element = quoted ? quotedElement(trimmed, at) : bareElement(trimmed, at);
      if (element === null) return null;
      if (quoted || element.value.toUpperCase() !== 'NULL') elements.push(element.value);
      at = element.next;
    }
  }
  return null;
}

/** The text of one element, quoted so that no part of it is parsed as syntax. */
function quoteElement(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/**
 * The text of an array, nested lists as further dimensions.
 * @param textOf the text of an element that is neither a list nor null
 */
export function arrayText(values: readonly unknown[], textOf: (value: unknown) => string): string {
  const elements = values.map((value) => {
    if (value === null) return 'NULL';
    return Array.isArray(value) ? arrayText(value, textOf) : quoteElement(textOf(value));
  });
  return `{${elements.join(',')}}`;
}
