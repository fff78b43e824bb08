/** Indents JSON without reading its values: numbers keep their digits, objects their members. */
import { textEnd } from './text-end.ts';

/** The beginning of a text, a bracket or a comma or a colon, or a number or word. */
const TOKEN = /["{}[\],:]|[^\s{}[\],:"]+/g;
/** Lists and objects at deeper levels stay on one line; tabs alone would fill the file. */
const LEVELS = 64;

/**
 * The same JSON with a member or element on each line, indented with tabs.
 * @param indent tabs before each line but the first
 */
export function indentJson(text: string, indent: number): string {
  const pattern = new RegExp(TOKEN);
  let out = '';
  let before = '';
  let line = `\n${'\t'.repeat(indent)}`;
  let depth = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const [token] = found;
    const isOpened = before === '{' || before === '[';
    const closes = token === '}' || token === ']';
    const isBroken = depth <= LEVELS;
    if (closes) {
      if (isBroken) line = line.slice(0, -1);
      depth -= 1;
    }
    if (isBroken && (isOpened !== closes || before === ',')) out += line;
    if (token === '"') {
      pattern.lastIndex = textEnd(text, found.index);
      out += text.slice(found.index, pattern.lastIndex);
    } else out += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') {
      depth += 1;
      if (depth <= LEVELS) line += '\t';
    }
    before = token;
  }
  return out;
}
