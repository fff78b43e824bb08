/** Marks the parts of code in the languages of the documents; the colours are in the style sheet. */
import { createRequire } from 'node:module';
import { escapeHtml } from '#core/base/text/escape-html.ts';

/** What is used of the library; its own declarations would bring those of browsers into every file. */
interface Highlighter {
  registerLanguage(name: string, language: unknown): void;
  registerAliases(aliases: readonly string[], of: { readonly languageName: string }): void;
  getLanguage(name: string): unknown;
  highlight(
    code: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ): { readonly value: string };
}

const require = createRequire(import.meta.url);
const highlighter: Highlighter = require('highlight.js/lib/core');
const LANGUAGES: Readonly<Record<string, unknown>> = {
  bash: require('highlight.js/lib/languages/bash'),
  graphql: require('highlight.js/lib/languages/graphql'),
  http: require('highlight.js/lib/languages/http'),
  ini: require('highlight.js/lib/languages/ini'),
  json: require('highlight.js/lib/languages/json'),
  nginx: require('highlight.js/lib/languages/nginx'),
  sql: require('highlight.js/lib/languages/sql'),
  typescript: require('highlight.js/lib/languages/typescript'),
  xml: require('highlight.js/lib/languages/xml'),
  yaml: require('highlight.js/lib/languages/yaml'),
};
for (const [name, language] of Object.entries(LANGUAGES)) {
  highlighter.registerLanguage(name, language);
}
highlighter.registerAliases(['sh', 'shell'], { languageName: 'bash' });
highlighter.registerAliases(['js', 'javascript', 'ts', 'tsx'], { languageName: 'typescript' });
highlighter.registerAliases(['html', 'vue', 'svelte'], { languageName: 'xml' });

/** The language of a file by its ending, where the highlighter knows it. */
export function languageOf(path: string): string | undefined {
  const ending = /\.(\w+)$/.exec(path)?.[1] ?? '';
  if (path.endsWith('.service')) return 'ini';
  return highlighter.getLanguage(ending) === undefined ? undefined : ending;
}

/** HTML of a piece of code; without a known language it is only escaped. */
export function highlight(code: string, language: string | undefined): string {
  if (language === undefined || highlighter.getLanguage(language) === undefined) {
    return escapeHtml(code);
  }
  return highlighter.highlight(code, { language, ignoreIllegals: true }).value;
}
