/**
 * A page to try GraphQL in, for browsers that open an endpoint: Altair, whose files are served from here
 * and from nowhere else. Its policy lets no script run but these files.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import Negotiator from 'negotiator';
import { entityTag, namesTag } from '#edge/http/entity-tag.ts';
import type { Request } from '#edge/http/request.ts';
import type { Response } from '#edge/http/response.ts';
import { routeNotFound } from '#edge/http/router.ts';
import type { Scope } from './schema.ts';

/** Where the files of the page are. */
export const PAGE_PATH = '/graphql/page';

/** A browser asks again after a day. */
const CACHING = 'public, max-age=86400';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};

interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly tag: string;
}

/** The script that tells the page its endpoint. */
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
  initialHeaders: { Authorization: 'Bearer ' },
  disableAccount: true,
});
`;
}

function fileOf(name: string, content: string | Buffer): PageFile {
  const bytes = Buffer.from(content);
  return { type: TYPES[extname(name)] ?? '', bytes, tag: entityTag(bytes) };
}

/** The files of the page; read when the first is asked for. */
class PageFiles {
  readonly #folder = join(dirname(fileURLToPath(import.meta.resolve('altair-static'))), 'dist');
  readonly #known = new Map<string, PageFile>([
    ['items.js', fileOf('items.js', settingsOf('items'))],
    ['system.js', fileOf('system.js', settingsOf('system'))],
  ]);
  #names: ReadonlySet<string> | null = null;

  /** Null when there is no such file. */
  get(name: string): PageFile | null {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    this.#names ??= new Set(this.#list());
    if (!this.#names.has(name)) return null;
    const file = fileOf(name, readFileSync(join(this.#folder, name)));
    this.#known.set(name, file);
    return file;
  }

  #list(): readonly string[] {
    return readdirSync(this.#folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && TYPES[extname(entry.name)] !== undefined)
      .map((entry) => relative(this.#folder, join(entry.parentPath, entry.name)))
      .map((name) => name.split(sep).join('/'));
  }
}

const files = new PageFiles();

/** Whether a browser asks for something to look at, not for an answer. */
export function wantsPage(request: Request): boolean {
  if (request.method === 'POST' || new URLSearchParams(request.query).has('query')) return false;
  const accept = request.header('accept');
  if (accept === undefined) return false;
  const types = ['application/json', 'application/graphql-response+json', 'text/html'];
  return new Negotiator({ headers: { accept } }).mediaTypes(types)[0] === 'text/html';
}

/** The page for an endpoint. */
export function pageOf(scope: Scope): Response {
  const policy = [
    // The page writes its styles itself; only scripts could do harm, and they come as files alone.
    ...["default-src 'none'", "script-src 'self'", "style-src 'self' 'unsafe-inline'"],
    ...["img-src 'self' data:", "font-src 'self' data:"],
    ...["connect-src 'self'", "worker-src 'self' blob:", "frame-src 'self'", "base-uri 'self'"],
    ...["form-action 'none'", "frame-ancestors 'none'"],
  ];
  const html = files
    .get('index.html')
    ?.bytes.toString()
    .replace(/<base [^>]*>/, `<base href="${PAGE_PATH}/">`)
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
    body: html ?? '',
  };
}

/**
 * A file of the page.
 * @param name below {@link PAGE_PATH}
 * @throws ServiceError ROUTE_NOT_FOUND
 */
export function pageFile(request: Request, name: string): Response {
  const file = name === 'index.html' ? null : files.get(name);
  if (file === null) throw routeNotFound(request);
  const { tag, type, bytes } = file;
  const headers = { ETag: tag, 'Cache-Control': CACHING };
  const known = request.header('if-none-match');
  if (known !== undefined && namesTag(known, tag)) return { status: 304, headers };
  // What an extension of the page runs in a frame has no origin.
  const sandbox = name.startsWith('iframe-sandbox/')
    ? { 'Content-Security-Policy': 'sandbox allow-scripts' }
    : {};
  return { status: 200, headers: { ...headers, ...sandbox, 'Content-Type': type }, body: bytes };
}
