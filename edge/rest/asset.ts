/** The content of files: `GET /assets/:id`, signed URLs, and archives of several files. */
import * as v from 'valibot';
import type { Caller } from '#core/access/grants.ts';
import { publicUrl } from '#core/base/config/public-url.ts';
import { reason } from '#core/base/errors/reason.ts';
import { unavailable } from '#core/base/errors/service-error.ts';
import { zipOf } from '#core/files/archive/zip.ts';
import type { FileVariant } from '#core/files/file-variant.ts';
import type { ImageTransformation } from '#core/files/images/image-transformation.ts';
import {
  asksForVariant,
  parseTransformation,
  resolved,
} from '#core/files/images/transformation.ts';
import type { ByteRange } from '#core/files/storage/storage.ts';
import type { Place } from '#core/files/unclaimed-content.ts';
import { type Asset, FILES, type FolderFiles } from '#core/services/files/assets.ts';
import { disposition } from '#edge/http/content-disposition.ts';
import type { Pieces, Response } from '#edge/http/response.ts';
import { fileResponse } from '#edge/http/stored-file.ts';
import { servedType } from '#edge/http/user-content.ts';
import { timestampSchema } from './answer/value.ts';
import { objectSchema, parseBody } from './body.ts';
import {
  type Call,
  type CallHandler,
  dataResponse,
  pathParameter,
  registeredStream,
} from './call.ts';
import { IMAGE_PARAMETERS } from './parameter/image.ts';
import { flagParameter } from './parameter/item.ts';
import { dataAnswer, jsonBody, parsedBody, type RouteEntry } from './route.ts';

/**
 * Headers that identify the caller, so that a browser does not share cached files between users.
 */
const CALLER_HEADERS = ['Authorization', 'Cookie'] as const;

function varying(names: readonly string[]): Readonly<Record<string, string>> {
  return names.length === 0 ? {} : { Vary: names.join(', ') };
}

/** The Cache-Control header: how long a file may be cached, and whether only privately. */
function cacheControl({ services: { config } }: Call, { user }: Caller): string {
  const who = user === null ? 'public' : 'private';
  const age = config.ASSETS_CACHE_REVALIDATE
    ? 'max-age=0, must-revalidate'
    : `max-age=${Math.floor(config.ASSETS_CACHE_TTL / 1_000)}`;
  return `${who}, ${age}`;
}

function isDownload({ parameters: { download } }: Call): boolean {
  return download !== undefined && download !== 'false';
}

/** The caller of a file: from the signature of the URL, else from the token. */
async function readerOf(call: Call): Promise<Caller> {
  const { signature } = call.parameters;
  if (typeof signature !== 'string') return call.caller;
  return await call.services.signedUrls.callerOf(signature, pathParameter(call, 'id'), call.ip);
}

/** The content to send: the file itself, or a variant of it. */
interface Sent {
  readonly place: Place;
  readonly filename: string;
  readonly type: string;
  readonly bytes: number;
  readonly version: string;
  readonly modified: Date;
  /** Request headers on which the content depends, besides those that identify the caller. */
  readonly vary?: readonly string[];
}

async function assetResponse(call: Call, sent: Sent, reader: Caller): Promise<Response> {
  const { request, services } = call;
  const { assets } = services;
  const { type, disposition: usual, headers } = servedType(sent.type);
  const shown = {
    type,
    disposition: disposition(sent.filename, isDownload(call) ? 'attachment' : usual),
    cacheControl: cacheControl(call, reader),
  };
  const stored = {
    ...{ bytes: sent.bytes, tag: `"${sent.version}"`, modified: sent.modified, type },
    headers: {
      ...headers,
      'Content-Disposition': shown.disposition,
      'Cache-Control': shown.cacheControl,
      ...varying([...(reader.user === null ? [] : CALLER_HEADERS), ...(sent.vary ?? [])]),
    },
    read: (range: ByteRange | undefined) => assets.lend(sent.place, range),
  };
  const response = fileResponse(request, stored, (pieces) => watched(call, reader, pieces));
  if (request.method === 'HEAD' || response.status === 304) return response;
  const url = await assets.url(sent.place, shown);
  return url === null ? response : redirection(url, sent, headers);
}

/**
 * Redirects the client to the storage. The storage does not check permissions, so the redirect must
 * not be cached.
 */
function redirection(
  url: string,
  { vary = [] }: Sent,
  shown: Readonly<Record<string, string>>,
): Response {
  const own = { Location: url, 'Cache-Control': 'no-store', ...varying(vary) };
  return { status: 302, headers: { ...shown, ...own } };
}

/** The pieces of a file, which end when the reader loses permission to read it. */
function watched(call: Call, reader: Caller, pieces: Pieces): Pieces {
  const facts = { kind: 'items', collection: FILES } as const;
  if (reader === call.caller) return registeredStream(call, facts, pieces);
  const { request, since, services } = call;
  const again = () => readerOf(call);
  return services.streams.listed(request, { ...facts, caller: reader, since, again }, pieces);
}

/** The name of an image in another format. */
function renamed(filename: string, type: string): string {
  const ending = type === 'image/jpeg' ? 'jpg' : type.slice('image/'.length);
  return `${filename.replace(/\.[^.]*$/, '')}.${ending}`;
}

/** A variant, generated now if necessary; null when the file's content has changed since. */
async function variantOf(
  call: Call,
  { id: file, storage, name }: Asset,
  transformation: ImageTransformation,
): Promise<FileVariant | null> {
  const { variants, assets } = call.services;
  const source = { file, storage, name };
  const known = await variants.find(source, transformation);
  if (known !== null) return known;
  const { id: requestId, signal } = call.request;
  const caller = await readerOf(call);
  const made = await variants.make(source, transformation, { caller, requestId, signal });
  // Generating takes time, so permissions or the file may have changed.
  const now = await assets.find(await readerOf(call), file);
  return now.name === name ? made : null;
}

/** The content of a file, or of the variant that the parameters request. */
async function sentOf(call: Call, asset: Asset, reader: Caller): Promise<Sent> {
  const plain = { ...asset, place: asset };
  if (!asksForVariant(call.parameters)) return plain;
  const rules = await call.services.variants.rules();
  const asked = parseTransformation(call.parameters, rules);
  if (asked === null) return plain;
  const transformation = resolved(asked, asset, {
    accept: call.request.header('accept'),
    isPreset: call.parameters.key !== undefined,
    mayEnlarge: reader.user !== null,
    maxPixels: rules.maxPixels,
  });
  if (transformation === null) return plain;
  const variant = await variantOf(call, asset, transformation);
  if (variant === null) throw unavailable('images', reason('file_content_changed'));
  return {
    ...{ place: variant, type: variant.type, bytes: variant.bytes },
    ...{ version: variant.sha256, modified: variant.made },
    filename: variant.type === asset.type ? asset.filename : renamed(asset.filename, variant.type),
    ...(asked.format === 'auto' ? { vary: ['Accept'] } : {}),
  };
}

const read: CallHandler = async (call) => {
  const reader = await readerOf(call);
  const asset = await call.services.assets.find(reader, pathParameter(call, 'id'));
  return assetResponse(call, await sentOf(call, asset, reader), reader);
};

/** An archive as a download. */
function zipResponse(call: Call, { name, files }: FolderFiles): Response {
  const { assets } = call.services;
  const entries = files.map(({ asset, path }) => ({
    path: path + asset.filename.replaceAll('/', '_'),
    modified: asset.modified,
    bytes: asset.bytes,
    read: () => assets.read(asset),
  }));
  const { length, content } = zipOf(entries);
  return {
    status: 200,
    headers: {
      'Content-Type': 'application/zip',
      'Content-Disposition': disposition(`${name}.zip`),
      'Cache-Control': 'no-store',
    },
    body: registeredStream(call, { kind: 'items', collection: FILES }, content),
    length,
  };
}

const zipBody = objectSchema({
  ids: v.pipe(
    v.array(v.string('must be keys'), 'must be a list of keys'),
    v.nonEmpty('must not be empty'),
  ),
});

const readSome: CallHandler = async (call) => {
  const { assets } = call.services;
  await assets.admit(call.caller);
  const { ids } = await parseBody(call, zipBody, 'BODY_MAX_SIZE');
  const found = await assets.some(call.caller, ids);
  return zipResponse(call, { name: 'files', files: found.map((asset) => ({ asset, path: '' })) });
};

const readFolder: CallHandler = async (call) =>
  zipResponse(call, await call.services.assets.inFolder(call.caller, pathParameter(call, 'key')));

/** The requested lifetime in milliseconds, at most ASSETS_URL_MAX_TTL. */
function lifetimeOf({ services: { config } }: Call, seconds: number | undefined): number {
  const wanted = seconds === undefined ? config.ASSETS_URL_TTL : seconds * 1_000;
  return Math.min(wanted, config.ASSETS_URL_MAX_TTL);
}

const urlBody = objectSchema({
  expires: v.optional(
    v.pipe(
      v.number('must be a number of seconds'),
      v.integer('must be a number of seconds'),
      v.minValue(1, 'must be at least 1'),
    ),
  ),
  download: v.optional(v.boolean('must be true or false'), false),
});

async function signUrl(call: Call, body: v.InferOutput<typeof urlBody>): Promise<Response> {
  const { signedUrls, config } = call.services;
  const id = pathParameter(call, 'key');
  const lifetime = lifetimeOf(call, body.expires);
  const { token, expires } = await signedUrls.sign(call.caller, id, lifetime);
  const url = new URL(`${publicUrl(config)}/assets/${id}`);
  url.searchParams.set('signature', token);
  if (body.download) url.searchParams.set('download', '');
  return {
    ...dataResponse({ url: url.href, expires: expires.toISOString() }),
    headers: { 'Cache-Control': 'no-store' },
  };
}

const READ_FILES = [{ action: 'read', collection: FILES }] as const;
const ASSET = {
  access: 'rights',
  needs: READ_FILES,
  parameters: {
    download: { summary: 'As an attachment', schema: flagParameter },
    signature: { summary: 'The signature of a signed URL', schema: v.string() },
    ...IMAGE_PARAMETERS,
  },
  headers: ['Range'],
  errors: [
    'RANGE_NOT_SATISFIABLE',
    'PRECONDITION_FAILED',
    'UNPROCESSABLE_ENTITY',
    'CONTENT_TOO_LARGE',
  ],
  body: null,
  answer: { statuses: [200, 206, 302, 304], type: 'application/octet-stream' },
} as const;
const ZIP = { statuses: [200], type: 'application/zip' } as const;

export const ASSET_ROUTES: readonly RouteEntry[] = [
  { ...ASSET, method: 'GET', path: '/assets/:id', summary: 'Reads a file', handle: read },
  {
    ...ASSET,
    method: 'GET',
    path: '/assets/:id/:filename',
    summary: 'Reads a file under a name for people',
    handle: read,
  },
  {
    method: 'POST',
    path: '/assets/files',
    summary: 'Reads files as an archive',
    access: 'rights',
    needs: READ_FILES,
    body: jsonBody(zipBody),
    answer: ZIP,
    handle: readSome,
  },
  {
    method: 'POST',
    path: '/assets/folder/:key',
    summary: 'Reads the files of a folder as an archive',
    access: 'rights',
    needs: READ_FILES,
    body: null,
    answer: ZIP,
    handle: readFolder,
  },
  {
    method: 'POST',
    path: '/files/:key/url',
    summary: 'Signs a URL of a file that ends after a while',
    access: 'user',
    answer: dataAnswer(
      v.strictObject({ url: v.pipe(v.string(), v.url()), expires: timestampSchema }),
    ),
    ...parsedBody(urlBody, signUrl),
  },
];
