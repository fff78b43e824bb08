/** `/admin`: the built Admin App, or a page that explains how to build it. */
import { ADMIN_APP_BUILD } from '#core/base/config/build-commands.ts';
import { redirectOrigins } from '#core/base/config/storage-location.ts';
import type { Config } from '#core/base/config/variables.ts';
import type { PageServices } from '#edge/rest/route.ts';
import type { FileSource, Folder } from './file-source.ts';
import { notBuiltPage } from './not-built.ts';
import { type StaticSite, staticRoutes } from './static-routes.ts';

const NOT_BUILT = 'not-built.html';

const notBuilt = notBuiltPage('The Admin App', ADMIN_APP_BUILD);

/**
 * The app loads its content from this server, except for files in buckets to which browsers are
 * redirected. It sets inline styles, and previews files before they are uploaded.
 */
function policyOf({ locations }: Config): string {
  const buckets = locations.flatMap(redirectOrigins);
  return [
    ...["default-src 'self'", "script-src 'self'", "style-src 'self' 'unsafe-inline'"],
    ["img-src 'self' data: blob:", ...buckets].join(' '),
    ["media-src 'self' blob:", ...buckets].join(' '),
    ["frame-src 'self'", ...buckets].join(' '),
    ...["font-src 'self' data:", "connect-src 'self'", "worker-src 'self' blob:"],
    ...["object-src 'none'", "base-uri 'self'", "form-action 'self'", "frame-ancestors 'none'"],
  ].join('; ');
}

/** The app, or the page that replaces it when it is not built. */
function sourceOf(app: Folder): FileSource {
  return {
    async find(name) {
      const file = await app.find(name);
      if (file !== null || name !== NOT_BUILT) return file;
      return (await app.exists()) ? null : notBuilt;
    },
  };
}

const site: StaticSite = {
  prefix: '/admin',
  title: 'the Admin App',
  enabled: ({ ADMIN_APP }) => ADMIN_APP,
  source: ({ adminApp }: PageServices) => sourceOf(adminApp),
  policy: (_, config) => policyOf(config),
  entry: 'index.html',
  hashed: /^assets\//,
  deepLinks: 'index.html',
  missing: NOT_BUILT,
};

export const ADMIN_APP_ROUTES = staticRoutes(site);
