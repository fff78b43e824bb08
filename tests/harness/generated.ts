/**
 * Generated parts of documents, between `<!-- name -->` and `<!-- end -->`. With UPDATE_DOCUMENTS=1
 * they are rewritten instead of compared.
 */
import { readFile, writeFile } from 'node:fs/promises';

interface Test {
  equal(found: unknown, wanted: unknown, message: string): boolean;
}

/** Compares a part of a document with its expected text. */
export async function checkGenerated(t: Test, file: string, name: string, text: string) {
  const document = await readFile(file, 'utf8');
  const [start, end] = [`<!-- ${name} -->\n`, '<!-- end -->'];
  const [before = '', rest] = document.split(start);
  const after = rest?.slice(rest.indexOf(end));
  const wanted = `${before}${start}${text}\n${after}`;
  if (process.env.UPDATE_DOCUMENTS === '1') await writeFile(file, wanted);
  else t.equal(document, wanted, `${file}; UPDATE_DOCUMENTS=1 writes it anew`);
}

/** A Markdown table. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
