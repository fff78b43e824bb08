/** `/docs`: the built documentation, or a page that explains how to build it. */
import { DOCS_BUILD } from '#core/base/config/build-commands.ts';
import type { PageServices } from '#edge/rest/route.ts';
import type { FileSource, Folder } from './file-source.ts';
import { notBuiltPage } from './not-built.ts';
import { type StaticSite, staticRoutes } from './static-routes.ts';

const PAGE = '.html';
const NOT_FOUND = 'not-found';

const notBuilt = notBuiltPage('The documentation', DOCS_BUILD);

/** The files by their served paths; pages also have an extension. */
function sourceOf(docs: Folder): FileSource {
  return {
    async find(name) {
      const path = name === '' ? 'docs' : `docs/${name}`;
      const page = await docs.find(path + PAGE);
      if (page !== null) return page;
      const file = name.endsWith(PAGE) ? null : await docs.find(path);
      if (file !== null || name !== NOT_FOUND) return file;
      return (await docs.exists()) ? null : notBuilt;
    },
  };
}

const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'"],
  ...[
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ],
].join('; ');

const site: StaticSite = {
  prefix: '/docs',
  title: 'the documentation',
  enabled: ({ DOCS_PAGE }) => DOCS_PAGE,
  source: ({ docs }: PageServices) => sourceOf(docs),
  policy: () => POLICY,
  entry: '',
  hashed: /^assets\//,
  missing: NOT_FOUND,
};

export const DOCS_ROUTES = staticRoutes(site);
