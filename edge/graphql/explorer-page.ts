/**
 * The page for trying GraphQL, for browsers that open an endpoint: Altair, with all files from this
 * server. Its policy prevents all scripts except these files.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Negotiator from 'negotiator';
import type { Request } from '#edge/http/request.ts';
import type { Response } from '#edge/http/response.ts';
import { type FileSource, Folder, filesInMemory, firstOf } from '#edge/static/file-source.ts';
import { StaticFile } from '#edge/static/static-file.ts';
import { type StaticSite, staticRoutes } from '#edge/static/static-routes.ts';
import type { Scope } from './schema.ts';

/** Where the files of the page are. */
const PAGE_PATH = '/graphql/page';

/** The script that sets the endpoint of the page. */
function settingsOf(scope: Scope): string {
  const path = scope === 'items' ? '/graphql' : '/graphql/system';
  return `const endpoint = new URL(${JSON.stringify(path)}, location.href);
const socket = new URL('/graphql', location.href);
socket.protocol = socket.protocol.replace('http', 'ws');
AltairGraphQL.init({
  endpointURL: endpoint.href,
  subscriptionsEndpoint: socket.href,
  subscriptionsProtocol: 'graphql-ws',
  initialSubscriptionsProvider: 'graphql-ws',
  initialName: ${JSON.stringify(`Sluice: ${scope}`)},
  initialQuery: '# Write a query. Ctrl + Enter sends it.\\n',
  initialSettings: { theme: 'light', 'theme.dark': 'dark' },
  initialHeaders: { Authorization: 'Bearer ' },
  disableAccount: true,
});
`;
}

function script(scope: Scope): readonly [string, StaticFile] {
  return [`${scope}.js`, new StaticFile('text/javascript; charset=utf-8', settingsOf(scope))];
}

/** Hides what advertises other products. */
const STYLE = `app-banner-container, nz-alert:has([track-id="donate"]), .query-result__none-subtext { display: none !important; }
`;

const folder = new Folder(
  join(dirname(fileURLToPath(import.meta.resolve('altair-static'))), 'dist'),
);
const style = new StaticFile('text/css; charset=utf-8', STYLE);
const added = new Map([script('items'), script('system'), ['sluice.css', style]]);
const all = firstOf(filesInMemory(added), folder);
/** The page itself is served at the endpoints. */
const files: FileSource = {
  find: async (name) => (name === 'index.html' ? null : await all.find(name)),
};

/** Whether the request is from a browser that displays a page. */
export function acceptsHtml(request: Request): boolean {
  if (request.method === 'POST' || new URLSearchParams(request.query).has('query')) return false;
  const accept = request.header('accept');
  if (accept === undefined) return false;
  const types = ['application/json', 'application/graphql-response+json', 'text/html'];
  return new Negotiator({ headers: { accept } }).mediaTypes(types)[0] === 'text/html';
}

/** The page for an endpoint. */
export async function explorerPage(scope: Scope): Promise<Response> {
  const policy = [
    // The page sets inline styles; only scripts could cause harm, and they are allowed only as
    // files.
    ...["default-src 'none'", "script-src 'self'", "style-src 'self' 'unsafe-inline'"],
    ...["img-src 'self' data:", "font-src 'self' data:"],
    ...["connect-src 'self'", "worker-src 'self' blob:", "frame-src 'self'", "base-uri 'self'"],
    ...["form-action 'none'", "frame-ancestors 'none'"],
  ];
  const index = await folder.find('index.html');
  const html = Buffer.from(index?.bytes ?? '')
    .toString()
    .replace(/<base [^>]*>/, `<base href="${PAGE_PATH}/">`)
    .replace(/<title>[^<]*/, '<title>Sluice GraphQL')
    .replace('</head>', '<link href="sluice.css" rel="stylesheet" /></head>')
    .replace('</body>', `<script type="module" src="${scope}.js"></script></body>`);
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy.join('; '),
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      Vary: 'Accept',
    },
    body: html,
  };
}

const page: StaticSite = {
  prefix: PAGE_PATH,
  title: 'the page to try GraphQL in',
  enabled: ({ GRAPHQL_PAGE }) => GRAPHQL_PAGE,
  source: () => files,
  entry: null,
  hashed: /-[A-Z0-9]{8}\.\w+$/,
  // An extension of the page that runs in a frame has no origin.
  policy: (name) =>
    name.startsWith('iframe-sandbox/')
      ? 'sandbox allow-scripts'
      : "default-src 'none'; frame-ancestors 'none'",
};

/** The files of the page. */
export const EXPLORER_ROUTES = staticRoutes(page);
