/**
 * `/docs/api`: a page to read and try the API description. All its files come from this server, and
 * no other scripts run.
 */

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tokenStyleSheet } from '#core/base/design/style-sheet.ts';
import { type FileSource, Folder, filesInMemory, firstOf } from '#edge/static/file-source.ts';
import { StaticFile } from '#edge/static/static-file.ts';
import { staticRoutes } from '#edge/static/static-routes.ts';

const PAGE = join(import.meta.dirname, 'page');
const own = new Folder(PAGE);
const icon = new Folder(join(import.meta.dirname, '../static/icon'), 'icon.svg');
/** The style sheet after the design tokens that it uses. */
const styled = filesInMemory(
  new Map([
    [
      'page.css',
      new StaticFile(
        'text/css; charset=utf-8',
        tokenStyleSheet() + readFileSync(join(PAGE, 'page.css'), 'utf8'),
      ),
    ],
  ]),
);
const library = new Folder(
  dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'))),
  'package.json',
);

const PREFIX = 'swagger-ui/';
const USED: ReadonlySet<string> = new Set(['swagger-ui-bundle.js', 'swagger-ui.css']);

/** The files that the page uses from the library. */
const parts: FileSource = {
  find: async (name) => {
    const part = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : '';
    return USED.has(part) ? await library.find(part) : null;
  },
};

const source = firstOf(styled, own, icon, parts);

const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:"],
  ...["connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join('; ');

export const API_PAGE_ROUTES = staticRoutes({
  prefix: '/docs/api',
  title: 'the page about the API',
  enabled: ({ OPENAPI_ENABLED }) => OPENAPI_ENABLED,
  source: () => source,
  policy: () => POLICY,
  entry: 'index.html',
});
