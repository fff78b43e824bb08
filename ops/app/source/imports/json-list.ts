/** Finds the list of rows in a JSON document such as `{"meta": …, "data": [ … ]}`. */

/** The position after a text that begins here. */
function textEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

/** The list of `data` in the only object of a text, which may be cut; null without one. */
export function wrappedList(text: string): string | null {
  let [depth, begin, end] = [0, -1, text.length];
  let member = '';
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') {
      const after = textEnd(text, at);
      if (depth === 1) member = text.slice(at + 1, after - 1);
      at = after - 1;
    } else if (sign === '{' || sign === '[') {
      if (sign === '[' && depth === 1 && begin === -1 && member === 'data') begin = at;
      if (sign === '[' && depth === 0) return null;
      depth += 1;
    } else if (sign === '}' || sign === ']') {
      depth -= 1;
      if (depth === 1 && begin !== -1) end = Math.min(end, at + 1);
      // Another object follows, so each is a row.
      if (depth === 0 && text.slice(at + 1).trim() !== '') return null;
    }
  }
  return begin === -1 ? null : text.slice(begin, end);
}
