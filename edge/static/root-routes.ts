/** The paths at the root of a server that browsers and crawlers request. */
import { join } from 'node:path';
import type { Request } from '#edge/http/request.ts';
import type { Response } from '#edge/http/response.ts';
import { routeNotFound } from '#edge/http/router.ts';
import type { PageServices, RouteEntry } from '#edge/rest/route.ts';
import { Folder } from './file-source.ts';
import { staticFile } from './static-routes.ts';

const icons = new Folder(join(import.meta.dirname, 'icon'), 'favicon.ico');

/** Redirects to the first page that this installation has. */
async function front(request: Request, { config, adminApp }: PageServices): Promise<Response> {
  const app = config.ADMIN_APP && (await adminApp.exists());
  if (!app && !config.DOCS_PAGE) throw routeNotFound(request);
  // Relative, because a proxy may have prepended a path.
  return { status: 302, headers: { Location: app ? 'admin' : 'docs' } };
}

const leftOut = 'It is for browsers and crawlers.';
const shared = { method: 'GET', access: 'anyone', body: null, leftOut } as const;

export const ROOT_ROUTES: readonly RouteEntry[] = [
  {
    ...shared,
    path: '/',
    summary: 'Leads to the Admin App, or to the documentation where that is not built',
    answer: { statuses: [302], type: null },
    handle: { unchecked: front },
  },
  staticFile({
    prefix: '/favicon.ico',
    title: 'the icon',
    enabled: () => true,
    source: () => icons,
    policy: () => "default-src 'none'; frame-ancestors 'none'",
    entry: 'favicon.ico',
  }),
  {
    ...shared,
    path: '/robots.txt',
    summary: 'Asks crawlers to stay away',
    answer: { statuses: [200], type: 'text/plain' },
    handle: {
      status: 200,
      headers: { 'Content-Type': 'text/plain; charset=utf-8' },
      body: 'User-agent: *\nDisallow: /\n',
    },
  },
];
