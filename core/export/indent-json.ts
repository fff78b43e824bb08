/** Indents JSON without reading its values: numbers keep their digits, objects their members. */

/** A text, a bracket or a comma or a colon, or a number or word. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * The same JSON with a member or element on each line, indented with tabs.
 * @param indent tabs before each line but the first
 */
export function indentJson(text: string, indent: number): string {
  let out = '';
  let before = '';
  let line = `\n${'\t'.repeat(indent)}`;
  for (const [token] of text.matchAll(TOKEN)) {
    const isOpened = before === '{' || before === '[';
    const closes = token === '}' || token === ']';
    if (closes) line = line.slice(0, -1);
    if (isOpened !== closes || before === ',') out += line;
    out += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') line += '\t';
    before = token;
  }
  return out;
}
