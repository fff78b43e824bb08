/**
 * Serves files at a prefix: the entries of the route table, and the responses with their headers.
 * The caller is never checked.
 */
import type { Config } from '#core/base/config/variables.ts';
import { codingFor } from '#edge/http/compression.ts';
import { namesTag } from '#edge/http/entity-tag.ts';
import type { Request } from '#edge/http/request.ts';
import type { Response } from '#edge/http/response.ts';
import { routeNotFound } from '#edge/http/router.ts';
import type { PageServices, RouteEntry } from '#edge/rest/route.ts';
import type { FileSource } from './file-source.ts';
import { type StaticFile, typeOf } from './static-file.ts';

/** Files that are served at a prefix. */
export interface StaticSite {
  /** Such as `/admin`; no part of it is a parameter. */
  readonly prefix: string;
  /** Its title, with the article: `the Admin App`. */
  readonly title: string;
  /** Whether it is served; otherwise its routes are ROUTE_NOT_FOUND. */
  readonly enabled: (config: Config) => boolean;
  readonly source: (services: PageServices) => FileSource;
  /** The Content-Security-Policy of a file. */
  readonly policy: (name: string, config: Config) => string;
  /** The file at the prefix itself; null without one. */
  readonly entry: string | null;
  /** Names that change with the content, so that browsers cache them without revalidation. */
  readonly hashed?: RegExp;
  /** The file for all other paths of pages, for a single-page application. */
  readonly deepLinks?: string;
  /** The page that browsers receive with status 404. */
  readonly missing?: string;
}

const FOREVER = 'public, max-age=31536000, immutable';
/** Cached, but revalidated on each use. */
const ASK = 'no-cache';

/** The name of a file in the path of a request below a prefix. */
interface Named {
  /** Null when no file can have this name. */
  readonly name: string | null;
  /** It ends with a slash. */
  readonly slash: boolean;
  /** It tries to leave the folder, or to end a text early. */
  readonly hostile: boolean;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
const CONTROL = /[\x00-\x1f\x7f]/;

function namedBy(request: Request, prefix: string): Named {
  const all = request.segments.slice(prefix.split('/').length - 1);
  const slash = all.at(-1) === '';
  const parts = slash ? all.slice(0, -1) : all;
  const hostile = parts.some((part) => part === '.' || part === '..' || CONTROL.test(part));
  const possible = !hostile && parts.every((part) => part !== '' && !/[/\\%]/.test(part));
  return { name: possible ? parts.join('/') : null, slash, hostile };
}

function acceptsPages(request: Request): boolean {
  return request.header('accept')?.includes('text/html') === true;
}

async function fileResponse(
  request: Request,
  site: StaticSite,
  name: string,
  file: StaticFile,
  config: Config,
): Promise<Response> {
  const compresses = config.COMPRESSION && file.isCompressible;
  const headers = {
    ETag: file.tag,
    'Cache-Control': site.hashed?.test(name) === true ? FOREVER : ASK,
    'Content-Security-Policy': site.policy(name, config),
  };
  const known = request.header('if-none-match');
  if (known !== undefined && namesTag(known, file.tag)) {
    const varying = compresses ? { Vary: 'Accept-Encoding' } : {};
    return { status: 304, headers: { ...headers, ...varying } };
  }
  const typed = { ...headers, 'Content-Type': file.type };
  const coding = compresses ? codingFor(request) : null;
  // The server marks an uncompressed response as compressible.
  if (coding === null) return { status: 200, headers: typed, body: file.bytes };
  return {
    status: 200,
    headers: { ...typed, 'Content-Encoding': coding, Vary: 'Accept-Encoding' },
    body: await file.compressed(coding),
  };
}

/** Whether a path without a file is one of the pages that the application renders. */
function isDeepLink(site: StaticSite, request: Request, { name, hostile }: Named): boolean {
  if (hostile || (name !== null && site.hashed?.test(name) === true)) return false;
  return acceptsPages(request) || name === null || typeOf(name) === undefined;
}

async function answer(
  site: StaticSite,
  request: Request,
  services: PageServices,
): Promise<Response> {
  const { config } = services;
  if (!site.enabled(config)) throw routeNotFound(request);
  const source = site.source(services);
  const named = namedBy(request, site.prefix);
  const name = named.name === '' ? site.entry : named.name;
  const file = name === null ? null : await source.find(name);
  if (file !== null && name !== null) {
    const { deepLinks } = site;
    if (!named.slash || deepLinks !== undefined) {
      return await fileResponse(request, site, name, file, config);
    }
    // Relative, because a proxy may have prepended a path.
    const last = request.path.replace(/\/+$/, '').split('/').at(-1) ?? '';
    return { status: 301, headers: { Location: `../${last}`, 'Cache-Control': ASK } };
  }
  if (site.deepLinks !== undefined && isDeepLink(site, request, named)) {
    const page = await source.find(site.deepLinks);
    if (page !== null) return await fileResponse(request, site, site.deepLinks, page, config);
  }
  if (site.missing !== undefined && acceptsPages(request)) {
    const page = await source.find(site.missing);
    if (page !== null) return notFoundPage(page, site.policy(site.missing, config));
  }
  throw routeNotFound(request);
}

function notFoundPage({ type, bytes }: StaticFile, policy: string): Response {
  const headers = { 'Content-Type': type, 'Content-Security-Policy': policy };
  return { status: 404, headers, body: bytes };
}

function entryOf(site: StaticSite, part: Pick<RouteEntry, 'path' | 'summary' | 'answer'>) {
  const unchecked = (request: Request, services: PageServices) => answer(site, request, services);
  const leftOut = 'It serves files for browsers, not data.';
  const shared = { method: 'GET', access: 'anyone', body: null, leftOut } as const;
  return { ...shared, handle: { unchecked }, ...part };
}

/** The route table entry for the prefix itself. */
export function staticFile(site: StaticSite): RouteEntry {
  const { prefix, title, entry } = site;
  const type = entry === null ? undefined : typeOf(entry)?.replace(/;.*/, '');
  const statuses = { statuses: [200, 304], type: type ?? 'text/html' };
  return entryOf(site, { path: prefix, summary: `Reads ${title}`, answer: statuses });
}

/**
 * The route table entries of a site: for its prefix if a file exists there, and for all paths
 * below.
 */
export function staticRoutes(site: StaticSite): readonly RouteEntry[] {
  const { prefix, title, entry } = site;
  const files = { statuses: [200, 304], type: null };
  const below = entryOf(site, {
    path: `${prefix}/*`,
    summary: `Reads a file of ${title}`,
    answer: files,
  });
  return entry === null ? [below] : [staticFile(site), below];
}
