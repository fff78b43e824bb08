/** Exports items as JSON, JSON lines, YAML or XML. */
import XmlBuilder from 'fast-xml-builder';
import { stringify } from 'yaml';
import { indentJson } from '#core/base/json/indent-json.ts';

type Batches = AsyncIterable<readonly unknown[]>;

type Texts = AsyncIterable<readonly string[]>;

/** An array indented with tabs. */
export async function* jsonText(items: Texts): AsyncGenerator<string> {
  let before = '[';
  for await (const batch of items) {
    if (batch.length === 0) continue;
    yield `${before}\n\t${batch.map((item) => indentJson(item, 1)).join(',\n\t')}`;
    before = ',';
  }
  yield before === '[' ? '[]' : '\n]';
}

/** One item per line: stored documents may contain line breaks between tokens. */
export function singleLine(text: string): string {
  return /[\r\n]/.test(text) ? text.replace(/[\r\n]+/g, ' ') : text;
}

/** One JSON text per line. */
export async function* ndjsonText(items: Texts): AsyncGenerator<string> {
  for await (const batch of items) {
    if (batch.length > 0) yield `${batch.map(singleLine).join('\n')}\n`;
  }
}

/** A YAML list. Words that older readers parse as booleans are quoted. */
export async function* yamlText(items: Batches): AsyncGenerator<string> {
  let begun = false;
  for await (const batch of items) {
    if (batch.length === 0) continue;
    begun = true;
    yield stringify(batch, { compat: 'yaml-1.1', aliasDuplicateObjects: false });
  }
  if (!begun) yield '[]\n';
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML 1.0 cannot hold
const NOT_XML = /[\0-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]/g;

/** Whether a key can be the name of an element (XML 1.0, production 5, its plain part). */
function elementName(key: string): string {
  const name = key.replace(/[^\p{L}\p{N}_.-]/gu, '_');
  return /^[\p{L}_]/u.test(name) ? name : `_${name}`;
}

/** Replaces names and characters that XML does not allow. */
function forXml(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(NOT_XML, '');
  if (Array.isArray(value)) return value.map(forXml);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [elementName(key), forXml(member)]),
  );
}

/** One `item` element per item inside `data`. */
export async function* xmlText(items: Batches): AsyncGenerator<string> {
  const builder = new XmlBuilder({ format: true, indentBy: '  ', suppressEmptyNode: true });
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<data>\n';
  for await (const batch of items) {
    if (batch.length > 0) yield builder.build({ item: batch.map(forXml) });
  }
  yield '</data>\n';
}
