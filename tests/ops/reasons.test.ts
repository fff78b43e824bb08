// @newest @quick
/**
 * What follows from the catalogue of reasons: the names that the client knows, the English sentences of
 * the Admin App, and the tables of the page. UPDATE_DOCUMENTS=1 writes them anew.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { reasonsBySubject } from '#core/base/errors/reason.ts';
import { checkGenerated, markdownTable } from '#tests/harness/generated.ts';

const OPS = join(import.meta.dirname, '../../ops');
const TITLES: Readonly<Record<string, string>> = { graphql: 'GraphQL' };

const SUBJECTS = Object.entries(reasonsBySubject).map(([subject, sentences]) => ({
  title: TITLES[subject] ?? `${subject.charAt(0).toUpperCase()}${subject.slice(1)}`,
  reasons: Object.entries(sentences),
}));
const REASONS = SUBJECTS.flatMap(({ reasons }) => reasons);

/** Compares a whole file with what it has to be. */
function checkFile(t: Test, file: string, text: string) {
  if (process.env.UPDATE_DOCUMENTS === '1') writeFileSync(file, text);
  else t.equal(readFileSync(file, 'utf8'), text, `${file}; UPDATE_DOCUMENTS=1 writes it anew`);
}

t.test('no two reasons have one name', async (t) => {
  const names = REASONS.map(([name]) => name);
  t.ok(names.length > 400, `${names.length} reasons`);
  t.equal(new Set(names).size, names.length);
});

t.test('the client knows the name of every reason', async (t) => {
  const names = REASONS.map(([name]) => `  | '${name}'`).join('\n');
  checkFile(
    t,
    join(OPS, 'client/source/types/reason-code.ts'),
    `/** The names of all reasons, as errors have them. A test of the repository writes this file. */
export type ReasonCode =
${names};
`,
  );
});

t.test('the Admin App has every sentence, with parameters as its texts have them', async (t) => {
  const texts = REASONS.map(([name, sentence]) => [name, sentence.replace(/\{(\w+)\}/g, '%{$1}')]);
  checkFile(
    t,
    join(OPS, 'app/source/translation/en/reason-sentences.json'),
    `${JSON.stringify(Object.fromEntries(texts), null, 2)}\n`,
  );
});

/** A sentence as Markdown shows it in a cell. */
function cell(sentence: string): string {
  return sentence.replace(/\\|\||<|\*|__/g, (sign) => [...sign].map((one) => `\\${one}`).join(''));
}

t.test('the page of errors has every reason, by subject', async (t) => {
  const tables = SUBJECTS.map(({ title, reasons }) => {
    const rows = reasons.map(([name, sentence]) => [`\`${name}\``, cell(sentence)]);
    return `### ${title}\n\n${markdownTable(['reason_code', 'sentence'], rows)}`;
  });
  const text = `\n${tables.join('\n\n')}\n`;
  await checkGenerated(t, join(OPS, 'docs/errors.md'), 'reasons', text);
});
